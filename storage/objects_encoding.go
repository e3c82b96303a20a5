package storage

import (
	"context"
	"errors"
	"strings"

	"github.com/minio/minio-go/v7"
)

// recodePrefix is where an object is kept while it is stored anew. Nobody reads it without a key.
const recodePrefix = "recode/"

// RemoveEncodings stores objects anew that have a content encoding, which earlier releases stored by mistake, and returns
// their number. An object is absent for an instant: versitygw keeps the encoding when an object is replaced, and when it is
// copied onto itself. A call that is interrupted is continued by the next one. It is idempotent.
func (o *Objects) RemoveEncodings(ctx context.Context) (changed int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing
	for _, prefix := range []string{recodePrefix, ""} {
		for found := range o.client.ListObjects(ctx, o.bucket, minio.ListObjectsOptions{Recursive: true, Prefix: prefix}) {
			if found.Err != nil {
				return changed, objectError("list", "", found.Err)
			}
			again, err := o.recode(ctx, found.Key)
			if err != nil {
				return changed, objectError("recode", found.Key, err)
			}
			if again {
				changed++
			}
		}
	}
	return changed, nil
}

// recode stores an object anew if it has a content encoding, or is what an interrupted call left.
func (o *Objects) recode(ctx context.Context, key string) (changed bool, err error) {
	if left, ok := strings.CutPrefix(key, recodePrefix); ok {
		_, err := o.client.StatObject(ctx, o.bucket, left, minio.StatObjectOptions{})
		if errors.Is(objectError("stat", left, err), ErrObjectNotFound) {
			return true, o.restore(ctx, left)
		}
		return false, errors.Join(err, o.Delete(ctx, key))
	}
	info, err := o.client.StatObject(ctx, o.bucket, key, minio.StatObjectOptions{})
	if err != nil || info.Metadata.Get("Content-Encoding") == "" {
		return false, err
	}
	if err := o.duplicate(ctx, key, recodePrefix+key); err != nil {
		return false, err
	}
	if err := o.Delete(ctx, key); err != nil {
		return false, err
	}
	return true, o.restore(ctx, key)
}

// restore puts an object back from recodePrefix.
func (o *Objects) restore(ctx context.Context, key string) error {
	if err := o.duplicate(ctx, recodePrefix+key, key); err != nil {
		return err
	}
	return o.Delete(ctx, recodePrefix+key)
}

// duplicate stores the body and the content type of an object under another key, too.
func (o *Objects) duplicate(ctx context.Context, from, to string) (err error) {
	body, err := o.client.GetObject(ctx, o.bucket, from, minio.GetObjectOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	info, err := body.Stat()
	if err != nil {
		return err
	}
	return o.PutFile(ctx, to, info.ContentType, body, info.Size)
}
