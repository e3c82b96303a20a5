package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/url"
	"strings"
	"time"

	"banca/internal/platform/clock"
)

const (
	// MaxObjectSize bounds every object of Put and Get, in bytes: the largest upload the API takes.
	MaxObjectSize = 10 << 20

	maxSignedFor   = time.Hour
	maxKeys        = 1000 // of Keys
	contentUnknown = "application/octet-stream"

	// objectCache makes caches revalidate, because an object may be replaced.
	objectCache = "no-cache"
)

var (
	// ErrObjectNotFound reports that no object has the key.
	ErrObjectNotFound = errors.New("storage: object not found")
	// ErrObjectTooLarge reports that an object exceeds [MaxObjectSize].
	ErrObjectTooLarge = errors.New("storage: object too large")
)

// ObjectsOptions configures [OpenObjects]. Either Endpoint or Dir is set.
type ObjectsOptions struct {
	Endpoint             string // of an S3-compatible store: http://127.0.0.1:9000
	AccessKey, SecretKey string
	Bucket               string // made when absent
	Region               string // default us-east-1

	// Dir is the folder that holds the buckets instead of an S3-compatible store. It needs PublicURL, Secret and Owner.
	Dir string
	// Secret signs the addresses of a folder's objects; at least 32 bytes. All processes have the same one.
	Secret []byte
	// Owner is the installation, such as the id of its database. A folder that another owner has prepared is refused.
	Owner  string
	Clock  clock.Clock  // of the addresses of a folder's objects; default clock.System
	Logger *slog.Logger // of the handler of a folder's objects; default none

	// PublicURL is where browsers and messengers find the bucket's public objects; default
	// Endpoint/Bucket. In a folder it is also the base of signed addresses, and where [Objects.Handler] is mounted.
	PublicURL string

	// Private makes every object readable by signed addresses only.
	Private bool
	// User is the user of the store that the bucket's policy lets read, write, delete and list; empty names none, because
	// the owner of the key owns the bucket. A store that decides by policies alone, as versitygw does, needs it for any
	// other key.
	User string
	// SignedEndpoint is the address of the store, up to the bucket, in signed addresses; default Endpoint. The
	// signature covers the host, so a proxy in front must pass the Host header unchanged.
	SignedEndpoint string
}

// Objects keeps files in one bucket of an S3-compatible store or of a folder. Everyone may read keys below receipts/
// and public/ of a bucket that is not private; all others need a signed address.
type Objects struct {
	backend   objectBackend
	publicURL string
}

// OpenObjects is [NewObjects] and [Objects.Prepare].
func OpenObjects(ctx context.Context, o ObjectsOptions) (*Objects, error) {
	objects, err := NewObjects(o)
	if err != nil {
		return nil, err
	}
	if err := objects.Prepare(ctx); err != nil {
		objects.Close()
		return nil, err
	}
	return objects, nil
}

// NewObjects returns a client that connects when it is used first. An error is one of the options.
func NewObjects(o ObjectsOptions) (*Objects, error) {
	backend, err := newBackend(&o)
	if err != nil {
		return nil, fmt.Errorf("storage: objects: %w", err)
	}
	public := o.PublicURL
	if public == "" {
		public = strings.TrimSuffix(o.Endpoint, "/") + "/" + o.Bucket
	}
	return &Objects{backend: backend, publicURL: strings.TrimSuffix(public, "/")}, nil
}

func newBackend(o *ObjectsOptions) (objectBackend, error) {
	switch {
	case o.Dir == "":
		return newS3Bucket(o)
	case o.Endpoint == "":
		return newFolderBucket(o)
	default:
		return nil, errors.New("objects are in a store or in a folder, not in both")
	}
}

// Prepare creates the bucket if it is absent and publishes its public prefixes; it removes the policy of a private
// bucket. In a folder it removes what interrupted writes left, and returns [ErrObjectOwner] if the folder has another
// owner. It is idempotent.
func (o *Objects) Prepare(ctx context.Context) error {
	if err := o.backend.prepare(ctx); err != nil {
		return fmt.Errorf("storage: objects: %w", err)
	}
	return nil
}

// Put stores body under key, replacing an earlier object, and returns the address at which a public key is read.
// Cache-Control makes caches revalidate, because the object may be replaced.
func (o *Objects) Put(ctx context.Context, key, contentType string, body []byte) (publicURL string, err error) {
	if len(body) > MaxObjectSize {
		return "", fmt.Errorf("%w: %s has %d bytes", ErrObjectTooLarge, key, len(body))
	}
	if err := o.PutFile(ctx, key, contentType, bytes.NewReader(body), int64(len(body))); err != nil {
		return "", err
	}
	return o.PublicURL(key), nil
}

// PutFile stores size bytes of body under key, replacing an earlier object. The object appears whole or not at all.
// Unlike Put it has no bound of its own, and holds no more than a part in memory. A file is read in place, without a
// copy in memory.
func (o *Objects) PutFile(ctx context.Context, key, contentType string, body io.Reader, size int64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if contentType == "" {
		contentType = contentUnknown
	}
	return o.backend.put(ctx, key, contentType, body, size)
}

// Get returns an object and its content type. It reads at most [MaxObjectSize].
func (o *Objects) Get(ctx context.Context, key string) (body []byte, contentType string, err error) {
	if err := checkKey(key); err != nil {
		return nil, "", err
	}
	return o.backend.get(ctx, key)
}

// Delete removes an object; an absent one is not an error.
func (o *Objects) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return o.backend.remove(ctx, key)
}

// Keys lists keys below a prefix, in order, up to a bound.
func (o *Objects) Keys(ctx context.Context, prefix string) ([]string, error) {
	return o.backend.keys(ctx, prefix, maxKeys)
}

// SignedURL returns an address that reads a private object until it expires, one hour from now at most. A browser
// shows the object, and saves it under the name, if there is one.
func (o *Objects) SignedURL(ctx context.Context, key, name string, expires time.Duration) (string, error) {
	return o.signedURL(ctx, key, "inline", name, expires)
}

// DownloadURL is SignedURL for an object that a browser saves and does not show.
func (o *Objects) DownloadURL(ctx context.Context, key, name string, expires time.Duration) (string, error) {
	return o.signedURL(ctx, key, "attachment", name, expires)
}

func (o *Objects) signedURL(ctx context.Context, key, disposition, name string, expires time.Duration) (string, error) {
	if err := checkKey(key); err != nil {
		return "", err
	}
	if name == "" {
		disposition = ""
	} else {
		disposition = mime.FormatMediaType(disposition, map[string]string{"filename": name})
	}
	return o.backend.sign(ctx, key, disposition, min(expires, maxSignedFor))
}

// PublicURL returns the address at which everyone can read a key below a public prefix.
func (o *Objects) PublicURL(key string) string { return addressOf(o.publicURL, key) }

// parseAddress parses an http or https address; problem says how another one must look.
func parseAddress(text, problem string) (*url.URL, error) {
	address, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	if address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, errors.New(problem)
	}
	return address, nil
}

// addressOf returns the address of a key below a base.
func addressOf(base, key string) string { return base + "/" + (&url.URL{Path: key}).EscapedPath() }

// Ping reports whether the store answers and still has the bucket.
func (o *Objects) Ping(ctx context.Context) error { return o.backend.ping(ctx) }

// Close closes idle connections.
func (o *Objects) Close() { o.backend.close() }
