package storage

import (
	"bytes"
	"context"
	"io/fs"

	"github.com/minio/minio-go/v7"
)

// MigrateFiles is migrate for tests with migrations of their own.
func MigrateFiles(ctx context.Context, url string, files fs.FS) ([]int64, error) {
	return migrate(ctx, url, files)
}

// PutChunked stores an object as earlier releases did, with a signature in chunks.
func (o *Objects) PutChunked(ctx context.Context, key, contentType string, body []byte) error {
	_, err := o.client.PutObject(ctx, o.bucket, key, bytes.NewReader(body), int64(len(body)),
		minio.PutObjectOptions{ContentType: contentType, CacheControl: "no-cache", DisableMultipart: true})
	return err
}
