package embedded

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startTestS3 starts a store with one bucket that has the object public/a and private/a, and returns a function
// that makes clients of it.
func startTestS3(t *testing.T) (endpoint string, client func(accessKey, secretKey string) *minio.Client) {
	t.Helper()
	s, err := StartS3(t.Context(), S3Options{Dir: t.TempDir(), AccessKey: "key", SecretKey: "secret"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	client = func(accessKey, secretKey string) *minio.Client {
		c, err := minio.New(strings.TrimPrefix(s.Endpoint(), "http://"), &minio.Options{Creds: credentials.NewStaticV4(accessKey, secretKey, ""), MaxRetries: 1})
		require.NoError(t, err)
		return c
	}
	c := client("key", "secret")
	require.NoError(t, c.MakeBucket(t.Context(), "bucket", minio.MakeBucketOptions{}))
	for _, key := range []string{"public/a", "private/a"} {
		_, err := c.PutObject(t.Context(), "bucket", key, bytes.NewReader([]byte(key)), int64(len(key)), minio.PutObjectOptions{})
		require.NoError(t, err)
	}
	return s.Endpoint(), client
}

const readPublic = `{"Version":"2012-10-17","Statement":[{"Sid":"s","Effect":"Allow","Principal":{"AWS":["*"]},` +
	`"Action":["s3:GetObject"],"Resource":["arn:aws:s3:::bucket/public/*"]}]}`

func TestS3RefusesWrongKeys(t *testing.T) {
	t.Parallel()
	_, client := startTestS3(t)
	for keys, code := range map[[2]string]string{
		{"key", "other"}: "SignatureDoesNotMatch", {"other", "secret"}: "InvalidAccessKeyId", {"", ""}: "AccessDenied",
	} {
		_, err := client(keys[0], keys[1]).StatObject(t.Context(), "bucket", "private/a", minio.StatObjectOptions{})
		require.Equal(t, http.StatusForbidden, minio.ToErrorResponse(err).StatusCode, "%v", keys)
		err = client(keys[0], keys[1]).RemoveObject(t.Context(), "bucket", "private/a", minio.RemoveObjectOptions{})
		require.Equal(t, code, minio.ToErrorResponse(err).Code, "%v", keys)
	}
	_, err := client("key", "secret").StatObject(t.Context(), "bucket", "private/a", minio.StatObjectOptions{})
	require.NoError(t, err)
}

func TestS3PolicyMakesAPrefixPublic(t *testing.T) {
	t.Parallel()
	endpoint, client := startTestS3(t)
	c := client("key", "secret")
	status := func(method, key string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, endpoint+"/bucket/"+key, http.NoBody)
		require.NoError(t, err)
		res, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	assert.Equal(t, http.StatusForbidden, status(http.MethodGet, "public/a"), "without a policy")

	require.NoError(t, c.SetBucketPolicy(t.Context(), "bucket", readPublic))
	assert.Equal(t, http.StatusOK, status(http.MethodGet, "public/a"))
	assert.Equal(t, http.StatusOK, status(http.MethodHead, "public/a"))
	for method, key := range map[string]string{http.MethodGet: "private/a", http.MethodPut: "public/b", http.MethodDelete: "public/a", http.MethodHead: ""} {
		assert.Equal(t, http.StatusForbidden, status(method, key), "%s %s", method, key)
	}

	write := strings.Replace(readPublic, "s3:GetObject", "s3:PutObject", 1)
	require.Equal(t, "MalformedPolicy", minio.ToErrorResponse(c.SetBucketPolicy(t.Context(), "bucket", write)).Code)
	require.Equal(t, "NoSuchBucket", minio.ToErrorResponse(c.SetBucketPolicy(t.Context(), "none", readPublic)).Code)

	require.NoError(t, c.SetBucketPolicy(t.Context(), "bucket", ""))
	require.NoError(t, c.SetBucketPolicy(t.Context(), "bucket", ""), "deleting twice")
	assert.Equal(t, http.StatusForbidden, status(http.MethodGet, "public/a"))
}

// A client that sends its body slowly must not delay the other clients.
func TestASlowUploadDoesNotDelayOtherClients(t *testing.T) {
	t.Parallel()
	endpoint, client := startTestS3(t)
	c := client("key", "secret")
	url, err := c.PresignedPutObject(t.Context(), "bucket", "slow", time.Minute)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(url.String(), endpoint))
	body := newSlowBody()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url.String(), body)
	require.NoError(t, err)
	req.ContentLength = 2
	sent := make(chan int, 1)
	go func() {
		res, err := (&http.Client{Timeout: time.Minute}).Do(req)
		if assert.NoError(t, err) {
			assert.NoError(t, res.Body.Close())
			sent <- res.StatusCode
		}
		close(sent)
	}()
	<-body.first
	_, err = c.StatObject(t.Context(), "bucket", "public/a", minio.StatObjectOptions{})
	require.NoError(t, err)
	close(body.rest)
	assert.Equal(t, http.StatusOK, <-sent)
}

// slowBody is a body of two bytes: the first is sent at once, the second when rest is closed.
type slowBody struct {
	first, rest chan struct{}
	sent        int
}

func newSlowBody() *slowBody { return &slowBody{first: make(chan struct{}), rest: make(chan struct{})} }

func (b *slowBody) Read(p []byte) (int, error) {
	if b.sent == 1 {
		close(b.first)
		<-b.rest
	}
	b.sent++
	p[0] = 'x'
	return 1, nil
}

func (b *slowBody) Close() error { return nil }
