package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// folderObject is an object that is open. A concurrent put or remove does not change it.
type folderObject struct {
	objectHeader

	key      string
	file     *os.File
	body     *io.SectionReader
	modified time.Time
}

// get reads an object and compares it with its hash.
func (b *folderBucket) get(ctx context.Context, key string) (body []byte, contentType string, err error) {
	object, err := b.object(ctx, key)
	if err != nil {
		return nil, "", objectError("get", key, err)
	}
	defer func() { err = errors.Join(err, object.file.Close()) }()
	if object.size > MaxObjectSize {
		return nil, "", fmt.Errorf("%w: %s has %d bytes", ErrObjectTooLarge, key, object.size)
	}
	read := bytes.NewBuffer(make([]byte, 0, object.size))
	if err := object.copyTo(ctx, read); err != nil {
		return nil, "", objectError("get", key, err)
	}
	return read.Bytes(), object.contentType, nil
}

// object opens an object, whose file the caller closes. Errors: ErrObjectNotFound, ErrObjectKey, ErrObjectDamaged if
// the header or the size is wrong.
func (b *folderBucket) object(ctx context.Context, key string) (*folderObject, error) {
	_, name, err := fileOf(key)
	if err != nil {
		return nil, err
	}
	root, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrObjectNotFound, key)
	}
	if err != nil {
		return nil, err
	}
	object := &folderObject{key: key, file: file}
	if err := object.readHeader(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return object, nil
}

func (o *folderObject) readHeader() error {
	info, err := o.file.Stat()
	if err != nil {
		return err
	}
	start := make([]byte, maxObjectTitle)
	n, err := o.file.ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var length int
	if o.objectHeader, length, err = parseObjectHeader(start[:n]); err != nil {
		return fmt.Errorf("%w: %s has no header", err, o.key)
	}
	if info.Size() != int64(length)+o.size {
		return fmt.Errorf("%w: %s has %d bytes of %d", ErrObjectDamaged, o.key, info.Size()-int64(length), o.size)
	}
	o.body, o.modified = io.NewSectionReader(o.file, int64(length), o.size), info.ModTime()
	return nil
}

// copyTo writes the body and compares it with the hash. Errors: ErrObjectDamaged, after the body was written.
func (o *folderObject) copyTo(ctx context.Context, w io.Writer) error {
	sum := newObjectSum(o.key, o.contentType)
	if _, err := io.Copy(io.MultiWriter(sum, w), untilDone(ctx, o.body)); err != nil {
		return err
	}
	if [len(o.sum)]byte(sum.Sum(nil)) != o.sum {
		return fmt.Errorf("%w: %s", ErrObjectDamaged, o.key)
	}
	return nil
}
