package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// placeTries bounds the repetitions of a rename whose directory a concurrent remove deleted.
const placeTries = 8

// put writes a temporary file, writes it to the disk, renames it and writes the directory to the disk. A crash or an
// error leaves the earlier object or the new one; what else it leaves is in temporaryDir.
func (b *folderBucket) put(ctx context.Context, key, contentType string, body io.Reader, size int64) error {
	if err := b.store(ctx, key, contentType, body, size); err != nil {
		return objectError("put", key, err)
	}
	return nil
}

func (b *folderBucket) store(ctx context.Context, key, contentType string, body io.Reader, size int64) (err error) {
	dir, file, err := fileOf(key)
	if err != nil {
		return err
	}
	if size < 0 || !isContentType(contentType) {
		return fmt.Errorf("size %d or content type %q", size, contentType)
	}
	root, err := b.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	temporary := temporaryName()
	f, err := b.disk.create(root, temporary)
	if err != nil {
		return err
	}
	// The lock is held until the rename, so that no other process takes the file for a leftover.
	defer func() { err = errors.Join(err, f.Close()) }()
	if err = writeObject(ctx, f, key, contentType, body, size); err == nil {
		err = b.place(root, temporary, dir, file)
	}
	if err != nil {
		_ = root.Remove(temporary) // otherwise removeLeftovers does
	}
	return err
}

// writeObject writes the header with a hash of zeros, the body, and the header again.
func writeObject(ctx context.Context, f diskFile, key, contentType string, body io.Reader, size int64) error {
	h := objectHeader{size: size, contentType: contentType}
	if _, err := f.Write(h.line()); err != nil {
		return err
	}
	sum := newObjectSum(key, contentType)
	_, err := io.CopyN(io.MultiWriter(f, sum), untilDone(ctx, body), size)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the body is shorter than %d bytes: %w", size, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return err
	}
	sum.Sum(h.sum[:0])
	if _, err := f.WriteAt(h.line(), 0); err != nil {
		return err
	}
	return f.Sync()
}

// place renames a temporary file to an object's file and makes its directories.
func (b *folderBucket) place(root *os.Root, temporary, dir, file string) error {
	err := b.disk.rename(root, temporary, file)
	for tries := 0; errors.Is(err, fs.ErrNotExist) && tries < placeTries; tries++ {
		if err = b.makeDirs(root, dir); err == nil {
			err = b.disk.rename(root, temporary, file)
		}
	}
	if err != nil {
		return err
	}
	if err := b.disk.sync(root, dir); !errors.Is(err, fs.ErrNotExist) { // a concurrent remove deleted both
		return err
	}
	return nil
}

// makeDirs makes a directory and those above it.
func (b *folderBucket) makeDirs(root *os.Root, dir string) error {
	if dir == "." {
		return nil
	}
	if err := b.makeDirs(root, path.Dir(dir)); err != nil {
		return err
	}
	err := root.Mkdir(dir, dirMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return b.disk.sync(root, path.Dir(dir))
}

// remove deletes an object's file, and the directories that are empty without it.
func (b *folderBucket) remove(ctx context.Context, key string) error {
	dir, file, err := fileOf(key)
	if err != nil {
		return err
	}
	root, err := b.open(ctx)
	if err != nil {
		return objectError("delete", key, err)
	}
	defer func() { _ = root.Close() }()
	err = root.Remove(file)
	if err == nil {
		err = b.disk.sync(root, dir)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return objectError("delete", key, err)
	}
	for dir != "." && removeEmpty(root, dir) {
		dir = path.Dir(dir)
	}
	return nil
}

// removeEmpty removes a directory if it is empty. It leaves a symbolic link, which root.Remove would remove.
func removeEmpty(root *os.Root, dir string) bool {
	info, err := root.Lstat(dir)
	return err == nil && info.IsDir() && root.Remove(dir) == nil
}

// untilDone returns a reader that fails as soon as the caller has cancelled.
func untilDone(ctx context.Context, r io.Reader) io.Reader {
	return readFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return r.Read(p)
	})
}

// readFunc is a reader that is a function.
type readFunc func(p []byte) (int, error)

// Read implements io.Reader.
func (f readFunc) Read(p []byte) (int, error) { return f(p) }
