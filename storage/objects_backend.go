package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// objectBackend is a bucket: of an S3-compatible store, or a folder. [Objects] checks keys before it calls a backend.
type objectBackend interface {
	objectBody
	objectBucket
	// sign returns an address that reads an object until it expires. The answer has the header Content-Disposition if
	// disposition is not empty.
	sign(ctx context.Context, key, disposition string, expires time.Duration) (address string, err error)
}

// objectBody reads and writes objects.
type objectBody interface {
	// put stores size bytes of body and replaces an earlier object. Readers get the earlier object or the new one.
	put(ctx context.Context, key, contentType string, body io.Reader, size int64) error
	// get returns an object of at most [MaxObjectSize]. Errors: ErrObjectNotFound, ErrObjectTooLarge.
	get(ctx context.Context, key string) (body []byte, contentType string, err error)
	// remove deletes an object; an absent one is not an error.
	remove(ctx context.Context, key string) error
	// keys returns the first keys, in the order of their bytes, that begin with a prefix.
	keys(ctx context.Context, prefix string, limit int) ([]string, error)
}

// objectBucket is the bucket as a whole.
type objectBucket interface {
	// prepare makes the bucket. It is idempotent, and several processes may call it at once.
	prepare(ctx context.Context) error
	ping(ctx context.Context) error
	close()
}

// objectError adds the operation and the key to an error that does not name the key.
func objectError(op, key string, err error) error {
	if errors.Is(err, ErrObjectNotFound) || errors.Is(err, ErrObjectDamaged) || errors.Is(err, ErrObjectKey) {
		return err
	}
	return fmt.Errorf("storage: %s object %s: %w", op, key, err)
}
