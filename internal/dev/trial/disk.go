package trial

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// disk is a directory on a small file system of its own where this machine allows it, else a plain directory.
type disk struct {
	dir   string
	small bool
}

// newDisk makes a disk. Without the right to mount, its directory is on the disk of its parent and cannot be filled.
func newDisk(dir string, mebibytes int, log *slog.Logger) (*disk, error) {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, err
	}
	err := mountDisk(dir, mebibytes)
	if err != nil {
		log.Warn("no small disk can be mounted, so none is filled", "error", err)
	} else if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // other accounts reach their directories below it
		return nil, err
	}
	return &disk{dir: dir, small: err == nil}, nil
}

func diskSize(mebibytes int) string { return "size=" + strconv.Itoa(mebibytes) + "m" }

func (d *disk) filler() string { return filepath.Join(d.dir, "filler") }

// fill leaves no free byte.
func (d *disk) fill() error {
	f, err := os.Create(d.filler())
	if err != nil {
		return err
	}
	zeros := make([]byte, 1<<20)
	for err == nil {
		_, err = f.Write(zeros)
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

func (d *disk) free() error { return os.Remove(d.filler()) }

func (d *disk) close() error {
	if !d.small {
		return nil
	}
	return unmountDisk(d.dir)
}
