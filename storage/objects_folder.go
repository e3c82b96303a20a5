package storage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"

	"banca/internal/platform/clock"
)

const (
	minObjectSecret = 32 // bytes
	maxBucketName   = 63 // bytes, as in S3
)

// folderBucket is a bucket that is a directory of a folder. Several processes may use it at once. Layout:
//
//	<folder>/.owner                         the installation that uses the folder
//	<folder>/<bucket>/receipts/2026/a.png@  the object receipts/2026/a.png (objects_folder_name.go)
//	<folder>/<bucket>/=tmp/<random>         objects in writing (objects_folder_write.go)
//
// All access passes through os.Root: neither a key nor a symbolic link leads out of the folder.
type folderBucket struct {
	folder  string
	bucket  string
	owner   string
	private bool
	base    string // of addresses
	secret  []byte
	clock   clock.Clock
	log     *slog.Logger
	disk    disk
}

func newFolderBucket(o *ObjectsOptions) (*folderBucket, error) {
	_, err := parseAddress(o.PublicURL, "the public address must look like https://host/path")
	switch {
	case err != nil:
		return nil, err
	case len(o.Secret) < minObjectSecret:
		return nil, fmt.Errorf("the secret of signatures must have at least %d bytes", minObjectSecret)
	case !isBucketName(o.Bucket):
		return nil, fmt.Errorf("the bucket %q must have 1 to %d of a to z, 0 to 9, '.' and '-'", o.Bucket, maxBucketName)
	case !isOwner(o.Owner):
		return nil, fmt.Errorf("the owner must have 1 to %d characters in one line", maxOwner)
	}
	b := &folderBucket{
		folder: o.Dir, bucket: o.Bucket, owner: o.Owner, private: o.Private, base: strings.TrimSuffix(o.PublicURL, "/"),
		secret: o.Secret, clock: o.Clock, log: o.Logger, disk: osDisk{},
	}
	if b.clock == nil {
		b.clock = clock.System{}
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	return b, nil
}

// isBucketName reports whether a bucket's name is a plain name of a directory, other than the names of this package.
func isBucketName(name string) bool {
	if name == "" || len(name) > maxBucketName || name[0] == '.' || name[0] == '-' {
		return false
	}
	for _, c := range []byte(name) {
		if c != '.' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// prepare makes the directories, claims the folder for the owner and removes what interrupted writes left.
func (b *folderBucket) prepare(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.MkdirAll(b.folder, dirMode); err != nil {
		return err
	}
	folder, err := os.OpenRoot(b.folder)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }() // nothing was written through it
	if err := b.checkOwner(folder); err != nil && !errors.Is(err, errUnclaimed) {
		return err
	}
	if err := b.makeDirs(folder, b.bucket+"/"+temporaryDir); err != nil {
		return err
	}
	root, err := folder.OpenRoot(b.bucket)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := b.removeLeftovers(root); err != nil {
		return err
	}
	return b.claim(folder)
}

// open returns the directory of the bucket, which the caller closes. Each operation opens it anew: a folder that was
// replaced, taken by another installation, or whose disk is not mounted, is noticed.
func (b *folderBucket) open(ctx context.Context) (*os.Root, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	folder, err := os.OpenRoot(b.folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	if err := b.checkOwner(folder); err != nil {
		return nil, err
	}
	return folder.OpenRoot(b.bucket)
}

func (b *folderBucket) ping(ctx context.Context) error {
	root, err := b.open(ctx)
	if err != nil {
		return fmt.Errorf("storage: bucket %s: %w", b.bucket, err)
	}
	return root.Close()
}

func (*folderBucket) close() {}

// Handler serves the objects of a folder at the path of ObjectsOptions.PublicURL, which the caller removes by
// http.StripPrefix: the remaining path is the key. Public keys are served to everyone, others by signed addresses. Every
// refusal is 404, whether or not the key exists. The handler of an S3 store redirects public keys to the store: a buyer
// keeps the address of a receipt that a folder held when it was sent.
func (o *Objects) Handler() http.Handler {
	if bucket, ok := o.backend.(*folderBucket); ok {
		return http.HandlerFunc(bucket.serve)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.URL.Path, "/")
		if bucket, ok := o.backend.(*s3Bucket); !ok || bucket.private || !isPublicKey(key) || checkKey(key) != nil {
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		http.Redirect(w, r, o.PublicURL(key), http.StatusFound) //nolint:gosec // a key is a path below the store's address
	})
}
