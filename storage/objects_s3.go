package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	objectRetries = 3
	objectIdle    = 256              // idle connections kept, as many as receipts are uploaded at a time
	objectHeaders = 15 * time.Second // for the store to begin its answer
	objectPart    = 16 << 20         // bytes of the parts in which a larger object is sent
	defaultRegion = "us-east-1"

	// unchunked sends a body as it is. A signature in chunks would leave the content encoding aws-chunked in the object
	// of a store that keeps the header, and clients that obey it refuse the object.
	unchunked = true
)

// s3Bucket is a bucket of an S3-compatible store.
type s3Bucket struct {
	client    *minio.Client
	signer    *minio.Client // signs addresses for clients, and never connects
	transport *http.Transport
	bucket    string
	private   bool
	user      string
}

func newS3Bucket(o *ObjectsOptions) (*s3Bucket, error) {
	endpoint, err := parseEndpoint(o.Endpoint)
	if err != nil {
		return nil, err
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
	return &s3Bucket{
		client: client, signer: signer, transport: transport, bucket: o.Bucket, private: o.Private, user: o.User,
	}, nil
}

func parseEndpoint(text string) (*url.URL, error) {
	return parseAddress(text, "the endpoint must look like https://host:port")
}

func (o *ObjectsOptions) client(endpoint *url.URL, transport http.RoundTripper) (*minio.Client, error) {
	region := o.Region
	if region == "" {
		region = defaultRegion
	}
	return minio.New(endpoint.Host, &minio.Options{
		Creds:      credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""),
		Secure:     endpoint.Scheme == "https",
		Region:     region, // set, so that signing needs no request
		Transport:  transport,
		MaxRetries: objectRetries,
	})
}

func (b *s3Bucket) put(ctx context.Context, key, contentType string, body io.Reader, size int64) error {
	_, err := b.client.PutObject(ctx, b.bucket, key, body, size, b.putOptions(contentType))
	if err != nil {
		return s3Error("put", key, err)
	}
	return nil
}

func (*s3Bucket) putOptions(contentType string) minio.PutObjectOptions {
	return minio.PutObjectOptions{
		ContentType: contentType, CacheControl: objectCache, PartSize: objectPart, NumThreads: 1,
		DisableContentSha256: unchunked,
	}
}

func (b *s3Bucket) get(ctx context.Context, key string) (body []byte, contentType string, err error) {
	object, err := b.client.GetObject(ctx, b.bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, "", s3Error("get", key, err)
	}
	defer func() { err = errors.Join(err, object.Close()) }()
	info, err := object.Stat()
	if err != nil {
		return nil, "", s3Error("get", key, err)
	}
	if info.Size > MaxObjectSize {
		return nil, "", fmt.Errorf("%w: %s has %d bytes", ErrObjectTooLarge, key, info.Size)
	}
	body, err = io.ReadAll(io.LimitReader(object, MaxObjectSize))
	if err != nil {
		return nil, "", s3Error("get", key, err)
	}
	return body, info.ContentType, nil
}

func (b *s3Bucket) remove(ctx context.Context, key string) error {
	err := b.client.RemoveObject(ctx, b.bucket, key, minio.RemoveObjectOptions{})
	if err != nil {
		return s3Error("delete", key, err)
	}
	return nil
}

func (b *s3Bucket) keys(ctx context.Context, prefix string, limit int) ([]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing
	var keys []string
	options := minio.ListObjectsOptions{Prefix: prefix, Recursive: true, MaxKeys: limit}
	for object := range b.client.ListObjects(ctx, b.bucket, options) {
		if object.Err != nil {
			return nil, s3Error("list", prefix, object.Err)
		}
		keys = append(keys, object.Key)
		if len(keys) == limit {
			break
		}
	}
	return keys, nil
}

func (b *s3Bucket) sign(ctx context.Context, key, disposition string, expires time.Duration) (string, error) {
	answer := url.Values{}
	if disposition != "" {
		answer.Set("response-content-disposition", disposition)
	}
	u, err := b.signer.PresignedGetObject(ctx, b.bucket, key, expires, answer)
	if err != nil {
		return "", s3Error("sign", key, err)
	}
	return u.String(), nil
}

func (b *s3Bucket) ping(ctx context.Context) error {
	found, err := b.client.BucketExists(ctx, b.bucket)
	if err == nil && !found {
		err = fmt.Errorf("storage: bucket %s is gone", b.bucket)
	}
	return err
}

func (b *s3Bucket) close() { b.transport.CloseIdleConnections() }

// s3Error is objectError of an answer of the store.
func s3Error(op, key string, err error) error {
	if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
		return fmt.Errorf("%w: %s", ErrObjectNotFound, key)
	}
	return objectError(op, key, err)
}
