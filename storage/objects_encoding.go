package storage

import (
	"context"
	"errors"
	"strings"

	"github.com/minio/minio-go/v7"
)

// recodePrefix is where an object is kept while it is stored anew. Nobody reads it without a key.
const recodePrefix = "recode/"

// RemoveEncodings stores objects anew that have a content encoding, which earlier releases stored by mistake, and
// returns their number. An object is absent for an instant: versitygw keeps the encoding when an object is replaced or
// copied onto itself. A call that is interrupted is continued by the next one. It is idempotent, and a no-op in a
// folder, which keeps no content encoding.
func (o *Objects) RemoveEncodings(ctx context.Context) (changed int, err error) {
	if bucket, ok := o.backend.(*s3Bucket); ok {
		return bucket.removeEncodings(ctx)
	}
	return 0, nil
}

func (b *s3Bucket) removeEncodings(ctx context.Context) (changed int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing
	for _, prefix := range []string{recodePrefix, ""} {
		options := minio.ListObjectsOptions{Recursive: true, Prefix: prefix}
		for found := range b.client.ListObjects(ctx, b.bucket, options) {
			if found.Err != nil {
				return changed, s3Error("list", "", found.Err)
			}
			again, err := b.recode(ctx, found.Key)
			if err != nil {
				return changed, s3Error("recode", found.Key, err)
			}
			if again {
				changed++
			}
		}
	}
	return changed, nil
}

// recode stores an object anew if it has a content encoding, or is what an interrupted call left.
func (b *s3Bucket) recode(ctx context.Context, key string) (changed bool, err error) {
	if left, ok := strings.CutPrefix(key, recodePrefix); ok {
		_, err := b.client.StatObject(ctx, b.bucket, left, minio.StatObjectOptions{})
		if errors.Is(s3Error("stat", left, err), ErrObjectNotFound) {
			return true, b.restore(ctx, left)
		}
		return false, errors.Join(err, b.remove(ctx, key))
	}
	info, err := b.client.StatObject(ctx, b.bucket, key, minio.StatObjectOptions{})
	if err != nil || info.Metadata.Get("Content-Encoding") == "" {
		return false, err
	}
	if err := b.duplicate(ctx, key, recodePrefix+key); err != nil {
		return false, err
	}
	if err := b.remove(ctx, key); err != nil {
		return false, err
	}
	return true, b.restore(ctx, key)
}

// restore puts an object back from recodePrefix.
func (b *s3Bucket) restore(ctx context.Context, key string) error {
	if err := b.duplicate(ctx, recodePrefix+key, key); err != nil {
		return err
	}
	return b.remove(ctx, recodePrefix+key)
}

// duplicate stores the body and the content type of an object under another key, too.
func (b *s3Bucket) duplicate(ctx context.Context, from, to string) (err error) {
	body, err := b.client.GetObject(ctx, b.bucket, from, minio.GetObjectOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	info, err := body.Stat()
	if err != nil {
		return err
	}
	return b.put(ctx, to, info.ContentType, body, info.Size)
}
