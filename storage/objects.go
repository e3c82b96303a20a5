package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	// MaxObjectSize bounds every object, in bytes: the largest upload the API takes.
	MaxObjectSize = 10 << 20

	maxObjectKey   = 512 // bytes
	objectRetries  = 3
	objectIdle     = 256              // idle connections kept, as many as receipts are uploaded at a time
	objectHeaders  = 15 * time.Second // for the store to begin its answer
	maxSignedFor   = time.Hour
	defaultRegion  = "us-east-1"
	contentUnknown = "application/octet-stream"
)

var (
	// ErrObjectNotFound reports that no object has the key.
	ErrObjectNotFound = errors.New("storage: object not found")
	// ErrObjectTooLarge reports that an object exceeds [MaxObjectSize].
	ErrObjectTooLarge = errors.New("storage: object too large")
	// ErrObjectKey reports that a key is not a plain relative path.
	ErrObjectKey = errors.New("storage: bad object key")
)

// ObjectsOptions configures [OpenObjects].
type ObjectsOptions struct {
	Endpoint             string // http://127.0.0.1:9000
	AccessKey, SecretKey string
	Bucket               string // made when absent
	Region               string // default us-east-1

	// PublicURL is where browsers and messengers find the bucket's public objects; default
	// Endpoint/Bucket.
	PublicURL string

	// Private makes every object readable by signed addresses only.
	Private bool
	// User is the user of the store that the bucket's policy lets read, write, delete and list; empty names none, because the
	// owner of the key owns the bucket. A store that decides by policies alone, as versitygw does, needs it for any other key.
	User string
	// SignedEndpoint is the address of the store, up to the bucket, in signed addresses; default Endpoint. The
	// signature covers the host, so a proxy in front must pass the Host header unchanged.
	SignedEndpoint string
}

// Objects keeps files in one bucket of an S3-compatible store. Everyone may read keys below receipts/ and
// public/ of a bucket that is not private; all others need a signed address.
type Objects struct {
	client    *minio.Client
	signer    *minio.Client // signs addresses for clients, and never connects
	transport *http.Transport
	bucket    string
	publicURL string
	private   bool
	user      string
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
	objects, err := newObjects(o)
	if err != nil {
		return nil, fmt.Errorf("storage: objects: %w", err)
	}
	return objects, nil
}

// Prepare creates the bucket if it is absent and publishes its public prefixes; it removes the policy of a private
// bucket. It is idempotent.
func (o *Objects) Prepare(ctx context.Context) error {
	if err := o.ensureBucket(ctx); err != nil {
		return fmt.Errorf("storage: objects: %w", err)
	}
	return nil
}

func newObjects(o ObjectsOptions) (*Objects, error) {
	endpoint, err := parseEndpoint(o.Endpoint)
	if err != nil {
		return nil, err
	}
	if o.Region == "" {
		o.Region = defaultRegion
	}
	transport, err := minio.DefaultTransport(endpoint.Scheme == "https")
	if err != nil {
		return nil, err
	}
	transport.ResponseHeaderTimeout = objectHeaders
	transport.MaxIdleConnsPerHost = objectIdle
	client, err := o.client(endpoint, transport)
	if err != nil {
		return nil, err
	}
	signer := client
	if o.SignedEndpoint != "" {
		outside, err := parseEndpoint(o.SignedEndpoint)
		if err != nil {
			return nil, err
		}
		if signer, err = o.client(outside, transport); err != nil {
			return nil, err
		}
	}
	public := o.PublicURL
	if public == "" {
		public = strings.TrimSuffix(o.Endpoint, "/") + "/" + o.Bucket
	}
	return &Objects{
		client: client, signer: signer, transport: transport, bucket: o.Bucket, publicURL: strings.TrimSuffix(public, "/"), private: o.Private, user: o.User,
	}, nil
}

func parseEndpoint(text string) (*url.URL, error) {
	endpoint, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	if endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, errors.New("the endpoint must look like https://host:port")
	}
	return endpoint, nil
}

func (o *ObjectsOptions) client(endpoint *url.URL, transport http.RoundTripper) (*minio.Client, error) {
	return minio.New(endpoint.Host, &minio.Options{
		Creds:      credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""),
		Secure:     endpoint.Scheme == "https",
		Region:     o.Region, // set, so that signing needs no request
		Transport:  transport,
		MaxRetries: objectRetries,
	})
}

// Put stores body under key, replacing an earlier object, and returns the address at which a public key is read.
// Cache-Control makes caches revalidate, because the object may be replaced.
func (o *Objects) Put(ctx context.Context, key, contentType string, body []byte) (publicURL string, err error) {
	if err := checkKey(key); err != nil {
		return "", err
	}
	if len(body) > MaxObjectSize {
		return "", fmt.Errorf("%w: %s has %d bytes", ErrObjectTooLarge, key, len(body))
	}
	if contentType == "" {
		contentType = contentUnknown
	}
	_, err = o.client.PutObject(ctx, o.bucket, key, bytes.NewReader(body), int64(len(body)),
		minio.PutObjectOptions{ContentType: contentType, CacheControl: objectCache, DisableMultipart: true, DisableContentSha256: unchunked})
	if err != nil {
		return "", objectError("put", key, err)
	}
	return o.PublicURL(key), nil
}

// unchunked sends a body as it is. A signature in chunks would leave the content encoding aws-chunked in the object of a
// store that keeps the header, and clients that obey it refuse the object.
const unchunked = true

// objectCache makes caches ask again.
const objectCache = "no-cache"

// objectPart is the size of the parts in which a large object is sent, in bytes.
const objectPart = 16 << 20

// PutFile stores size bytes of body under key, replacing an earlier object. The object appears whole or not at all. Unlike Put it has no bound
// of its own, and holds no more than a part in memory. A file is read in place, without a copy in memory.
func (o *Objects) PutFile(ctx context.Context, key, contentType string, body io.Reader, size int64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	_, err := o.client.PutObject(ctx, o.bucket, key, body, size,
		minio.PutObjectOptions{ContentType: contentType, CacheControl: objectCache, PartSize: objectPart, NumThreads: 1, DisableContentSha256: unchunked})
	if err != nil {
		return objectError("put", key, err)
	}
	return nil
}

// Get returns an object and its content type. It reads at most [MaxObjectSize].
func (o *Objects) Get(ctx context.Context, key string) (body []byte, contentType string, err error) {
	if err := checkKey(key); err != nil {
		return nil, "", err
	}
	object, err := o.client.GetObject(ctx, o.bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, "", objectError("get", key, err)
	}
	defer func() { err = errors.Join(err, object.Close()) }()
	info, err := object.Stat()
	if err != nil {
		return nil, "", objectError("get", key, err)
	}
	if info.Size > MaxObjectSize {
		return nil, "", fmt.Errorf("%w: %s has %d bytes", ErrObjectTooLarge, key, info.Size)
	}
	body, err = io.ReadAll(io.LimitReader(object, MaxObjectSize))
	if err != nil {
		return nil, "", objectError("get", key, err)
	}
	return body, info.ContentType, nil
}

// Delete removes an object; an absent one is not an error.
func (o *Objects) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	err := o.client.RemoveObject(ctx, o.bucket, key, minio.RemoveObjectOptions{})
	if err != nil {
		return objectError("delete", key, err)
	}
	return nil
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
	answer := url.Values{}
	if name != "" {
		answer.Set("response-content-disposition", mime.FormatMediaType(disposition, map[string]string{"filename": name}))
	}
	u, err := o.signer.PresignedGetObject(ctx, o.bucket, key, min(expires, maxSignedFor), answer)
	if err != nil {
		return "", objectError("sign", key, err)
	}
	return u.String(), nil
}

// PublicURL returns the address at which everyone can read a key below a public prefix.
func (o *Objects) PublicURL(key string) string {
	return o.publicURL + "/" + (&url.URL{Path: key}).EscapedPath()
}

// Ping reports whether the store answers and still has the bucket.
func (o *Objects) Ping(ctx context.Context) error {
	found, err := o.client.BucketExists(ctx, o.bucket)
	if err == nil && !found {
		err = fmt.Errorf("storage: bucket %s is gone", o.bucket)
	}
	return err
}

// Close closes idle connections.
func (o *Objects) Close() { o.transport.CloseIdleConnections() }

// checkKey refuses keys that some store or path would read as something else.
func checkKey(key string) error {
	if key == "" || len(key) > maxObjectKey || strings.HasPrefix(key, "/") || path.Clean(key) != key ||
		key == ".." || strings.HasPrefix(key, "../") {
		return ErrObjectKey
	}
	return nil
}

func objectError(op, key string, err error) error {
	if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
		return fmt.Errorf("%w: %s", ErrObjectNotFound, key)
	}
	return fmt.Errorf("storage: %s object %s: %w", op, key, err)
}

// maxKeys bounds what Keys lists.
const maxKeys = 1000

// Keys lists keys below a prefix, in order, up to a bound.
func (o *Objects) Keys(ctx context.Context, prefix string) ([]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing
	var keys []string
	for object := range o.client.ListObjects(ctx, o.bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true, MaxKeys: maxKeys}) {
		if object.Err != nil {
			return nil, objectError("list", prefix, object.Err)
		}
		keys = append(keys, object.Key)
		if len(keys) == maxKeys {
			break
		}
	}
	return keys, nil
}
