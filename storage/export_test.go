package storage

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	"github.com/minio/minio-go/v7"
)

// MigrateFiles is migrate for tests with migrations of their own.
func MigrateFiles(ctx context.Context, url string, files fs.FS) ([]int64, error) {
	return migrate(ctx, url, files)
}

// PutChunked stores an object as earlier releases did, with a signature in chunks.
func (o *Objects) PutChunked(ctx context.Context, key, contentType string, body []byte) error {
	b, ok := o.backend.(*s3Bucket)
	if !ok {
		return errors.New("not a bucket of an S3 store")
	}
	_, err := b.client.PutObject(ctx, b.bucket, key, bytes.NewReader(body), int64(len(body)),
		minio.PutObjectOptions{ContentType: contentType, CacheControl: "no-cache", DisableMultipart: true})
	return err
}
