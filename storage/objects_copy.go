package storage

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"
)

const (
	// copySum is the metadata of a copied object: the hash of the file that it was copied from. What the application
	// stores has none.
	copySum        = "Banca-Copy-Sum"
	copiedAtOnce   = 16
	maxCopyDamaged = 100 // keys that CopyResult names
)

// CopyResult counts the objects of a bucket that CopyFolder saw.
type CopyResult struct {
	Copied  int
	Bytes   int64 // of the copied bodies
	Present int   // copied by an earlier call, and the same
	Newer   int   // stored by the application in the bucket, and left
	Damaged int   // with another hash or size than when they were written, and not copied
	Names   []string
}

// String is one line for the operator.
func (r *CopyResult) String() string {
	return fmt.Sprintf("%d copied (%d bytes), %d present, %d newer in the store, %d damaged", r.Copied, r.Bytes, r.Present, r.Newer, r.Damaged)
}

// CopyFolder copies the objects of a bucket that is kept in a folder into this bucket of an S3 store. A call that was
// interrupted is continued by the next one; it copies what is missing or was replaced in the folder since, and leaves
// what the application has stored in this bucket. Errors: a folder without the bucket, ErrObjectDamaged at the end if an
// object of the folder is damaged; all others are copied.
func (o *Objects) CopyFolder(ctx context.Context, dir, bucket string) (CopyResult, error) {
	to, ok := o.backend.(*s3Bucket)
	if !ok {
		return CopyResult{}, errors.New("storage: objects are copied from a folder to an S3 store")
	}
	from, err := readFolder(dir, bucket)
	if err != nil {
		return CopyResult{}, fmt.Errorf("storage: folder of objects: %w", err)
	}
	c := &folderCopy{from: from, to: to}
	if err := c.run(ctx); err != nil {
		return c.result, fmt.Errorf("storage: copy objects of %s: %w", bucket, err)
	}
	if c.result.Damaged > 0 {
		return c.result, fmt.Errorf("%w: %d of %s, such as %s", ErrObjectDamaged, c.result.Damaged, bucket, strings.Join(c.result.Names, ", "))
	}
	return c.result, nil
}

// readFolder opens a bucket of a folder for reading, whoever owns it.
func readFolder(dir, bucket string) (*folderBucket, error) {
	if !isBucketName(bucket) {
		return nil, fmt.Errorf("%q names no bucket", bucket)
	}
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	b := &folderBucket{folder: dir, bucket: bucket, disk: osDisk{}}
	if b.owner, err = b.readOwner(folder); err != nil {
		return nil, err
	}
	return b, nil
}

type folderCopy struct {
	from *folderBucket
	to   *s3Bucket

	mu     sync.Mutex
	result CopyResult
}

func (c *folderCopy) run(ctx context.Context) error {
	root, err := c.from.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(copiedAtOnce)
	walk := &keyWalk{found: func(key string) {
		group.Go(func() error { return c.object(ctx, key) })
	}}
	err = walk.dir(ctx, root, ".", "")
	if copying := group.Wait(); copying != nil { // the walk ends early because of it
		return copying
	}
	return err
}

// object copies one object if the store does not have it.
func (c *folderCopy) object(ctx context.Context, key string) (err error) {
	object, err := c.from.object(ctx, key)
	switch {
	case errors.Is(err, ErrObjectNotFound): // deleted since it was listed
		return nil
	case errors.Is(err, ErrObjectDamaged):
		c.damaged(key)
		return nil
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, object.file.Close()) }()
	options := c.to.putOptions(object.contentType)
	options.UserMetadata = map[string]string{copySum: hex.EncodeToString(object.sum[:])}
	info, err := c.to.client.StatObject(ctx, c.to.bucket, key, minio.StatObjectOptions{})
	switch {
	case minio.ToErrorResponse(err).Code == minio.NoSuchKey:
		options.SetMatchETagExcept("*") // the application may store it meanwhile
		return c.put(ctx, key, object, options)
	case err != nil:
		return s3Error("stat", key, err)
	case info.UserMetadata[copySum] == options.UserMetadata[copySum]:
		c.count(func(r *CopyResult) { r.Present++ })
		return nil
	}
	options.SetMatchETag(info.ETag)
	return c.replace(ctx, key, object, options, info.UserMetadata[copySum])
}

// replace copies an object that was replaced in the folder after an earlier call had copied it with the hash sum, unless
// the application has stored it since. A store may keep the metadata when the body is replaced, so the body decides.
func (c *folderCopy) replace(
	ctx context.Context, key string, object *folderObject, options minio.PutObjectOptions, sum string,
) error {
	stored, err := c.to.sum(ctx, key)
	if err != nil {
		return s3Error("get", key, err)
	}
	if stored != sum {
		c.count(func(r *CopyResult) { r.Newer++ })
		return nil
	}
	return c.put(ctx, key, object, options)
}

// sum returns the hash that a folder would keep with an object.
func (b *s3Bucket) sum(ctx context.Context, key string) (sum string, err error) {
	object, err := b.client.GetObject(ctx, b.bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, object.Close()) }()
	info, err := object.Stat()
	if err != nil {
		return "", err
	}
	h := newObjectSum(key, info.ContentType)
	_, err = io.Copy(h, object)
	return hex.EncodeToString(h.Sum(nil)), err
}

func (c *folderCopy) put(ctx context.Context, key string, object *folderObject, options minio.PutObjectOptions) error {
	if err := object.copyTo(ctx, io.Discard); errors.Is(err, ErrObjectDamaged) { // a store would keep what was sent
		c.damaged(key)
		return nil
	} else if err != nil {
		return err
	}
	if _, err := object.body.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := c.to.client.PutObject(ctx, c.to.bucket, key, object.body, object.size, options)
	if minio.ToErrorResponse(err).Code == minio.PreconditionFailed {
		c.count(func(r *CopyResult) { r.Newer++ })
		return nil
	}
	if err != nil {
		return s3Error("put", key, err)
	}
	c.count(func(r *CopyResult) { r.Copied, r.Bytes = r.Copied+1, r.Bytes+object.size })
	return nil
}

func (c *folderCopy) damaged(key string) {
	c.count(func(r *CopyResult) {
		if r.Damaged++; len(r.Names) < maxCopyDamaged {
			r.Names = append(r.Names, strconv.Quote(key))
		}
	})
}

func (c *folderCopy) count(change func(*CopyResult)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.result)
}
