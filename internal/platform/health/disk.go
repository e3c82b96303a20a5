package health

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"
)

// DiskProbe reads the file system of a directory, or of the nearest one above it that exists.
func DiskProbe(dir string) Probe {
	return Probe{Name: "disk", Read: func(context.Context) (func(*Figures), error) {
		disk, err := readDisk(dir)
		return func(f *Figures) { f.Disk = disk }, err
	}}
}

// FreeDisk returns the bytes that are free for a directory, or for the nearest one above it that exists.
func FreeDisk(dir string) (uint64, error) {
	disk, err := readDisk(dir)
	if err != nil {
		return 0, err
	}
	return disk.Free, nil
}

func readDisk(dir string) (*Disk, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var stat syscall.Statfs_t
	for {
		err = syscall.Statfs(at, &stat)
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	if err != nil {
		return nil, err
	}
	block := uint64(stat.Bsize)
	return &Disk{Free: stat.Bavail * block, Size: stat.Blocks * block}, nil
}

// PasswordProbe reads which users have a password that is public. Comparing passwords is slow, so it is done rarely.
func PasswordProbe(read func(ctx context.Context) ([]string, error)) Probe {
	return Probe{Name: "passwords", Every: 10 * time.Minute, Read: func(ctx context.Context) (func(*Figures), error) {
		names, err := read(ctx)
		return func(f *Figures) { f.Exposed = names }, err
	}}
}

// ModelsProbe reads how many models of the assistant cool down.
func ModelsProbe(read func(ctx context.Context) (models, cooling int)) Probe {
	return Probe{Name: "models", Read: func(ctx context.Context) (func(*Figures), error) {
		models, cooling := read(ctx)
		return func(f *Figures) { f.Models = &Models{Models: models, Cooling: cooling} }, nil
	}}
}
