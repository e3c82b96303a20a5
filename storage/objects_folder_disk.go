package storage

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

const (
	dirMode  = 0o700
	fileMode = 0o600

	// temporaryDir holds files in writing, below a bucket. No key has this name (objects_folder_name.go). It is in the
	// file system of the bucket, so that a rename is atomic, and one directory, so that leftovers are found at once.
	temporaryDir = "=tmp"
	createTries  = 8
)

// disk does the steps of a write that may fail. Tests replace it.
type disk interface {
	// create makes a file and locks it until it is closed.
	create(root *os.Root, name string) (diskFile, error)
	rename(root *os.Root, from, to string) error
	// sync writes the names in a directory to the disk.
	sync(root *os.Root, dir string) error
}

// diskFile is a file in writing.
type diskFile interface {
	io.Writer
	io.WriterAt
	Sync() error
	Close() error
}

// osDisk is the file system.
type osDisk struct{}

func temporaryName() string { return temporaryDir + "/" + rand.Text() }

// create makes a file and takes its lock. Another process may find the file without a lock and remove it before, so
// create checks that the file is there afterwards.
func (osDisk) create(root *os.Root, name string) (diskFile, error) {
	for range createTries {
		f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f, syscall.LOCK_EX); err != nil {
			return nil, errors.Join(err, root.Remove(name), f.Close())
		}
		_, err = root.Lstat(name)
		if err == nil {
			return f, nil
		}
		if err := errors.Join(err, f.Close()); !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, errors.New("temporary files are removed by another process")
}

func (osDisk) rename(root *os.Root, from, to string) error { return root.Rename(from, to) }

func (osDisk) sync(root *os.Root, dir string) error {
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// lockFile takes a lock that ends with the file's last descriptor, so also with the process.
func lockFile(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how)
	for errors.Is(err, syscall.EINTR) { // a signal arrived
		err = syscall.Flock(int(f.Fd()), how)
	}
	if err != nil {
		return &fs.PathError{Op: "flock", Path: f.Name(), Err: err}
	}
	return nil
}

// removeLeftovers removes temporary files of processes that have ended. Locked ones are in writing.
func (b *folderBucket) removeLeftovers(root *os.Root) error {
	dir, err := root.Open(temporaryDir)
	if err != nil {
		return err
	}
	names, err := dir.Readdirnames(-1)
	if err := errors.Join(err, dir.Close()); err != nil {
		return err
	}
	for _, name := range names {
		if err := removeLeftover(root, temporaryDir+"/"+name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func removeLeftover(root *os.Root, name string) (err error) {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return root.Remove(name) // put there by hand
	}
	f, err := root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	err = lockFile(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	return root.Remove(name)
}
