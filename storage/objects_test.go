package storage_test

import (
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
)

func TestObjectsRoundTrip(t *testing.T) {
	t.Parallel()
	eachBackend(t, checkObjectsRoundTrip)
}

func checkObjectsRoundTrip(t *testing.T, b *backend) {
	t.Helper()
	ctx, objects := t.Context(), b.public
	url, err := objects.Put(ctx, "receipts/2026/ñ 1.png", "image/png", []byte("png"))
	require.NoError(t, err)
	assert.Equal(t, objects.PublicURL("receipts/2026/ñ 1.png"), url)
	_, header, _ := fetchAll(t, url)
	assert.Equal(t, "no-cache", header.Get("Cache-Control"), "an object may be replaced")
	body, contentType, err := objects.Get(ctx, "receipts/2026/ñ 1.png")
	require.NoError(t, err)
	assert.Equal(t, "png", string(body))
	assert.Equal(t, "image/png", contentType)

	require.NoError(t, objects.Delete(ctx, "receipts/2026/ñ 1.png"))
	require.NoError(t, objects.Delete(ctx, "receipts/2026/ñ 1.png"), "deleting twice is harmless")
	_, _, err = objects.Get(ctx, "receipts/2026/ñ 1.png")
	require.ErrorIs(t, err, storage.ErrObjectNotFound)
	require.NoError(t, objects.Ping(ctx))
}

func TestOnlyPublicPrefixesArePublic(t *testing.T) {
	t.Parallel()
	eachBackend(t, checkOnlyPublicPrefixesArePublic)
}

func checkOnlyPublicPrefixesArePublic(t *testing.T, b *backend) {
	t.Helper()
	ctx, objects := t.Context(), b.public
	for key, want := range map[string]int{
		"receipts/a.png": http.StatusOK, "public/logo.png": http.StatusOK,
		"documents/id.pdf": b.refused, "receipts.png": b.refused,
	} {
		url, err := objects.Put(ctx, key, "text/plain", []byte(key))
		require.NoError(t, err)
		status, _ := fetch(t, url)
		assert.Equal(t, want, status, key)
	}
	status, _ := fetch(t, objects.PublicURL(""))
	assert.Equal(t, b.refused, status, "nobody can list")

	signed, err := objects.SignedURL(ctx, "documents/id.pdf", "", time.Minute)
	require.NoError(t, err)
	status, body := fetch(t, signed)
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "documents/id.pdf", body)
}

// A private bucket is readable by signed addresses only, also one that was public before; an address is valid for its
// time and object only.
func TestAPrivateBucketIsPrivate(t *testing.T) {
	t.Parallel()
	eachBackend(t, checkAPrivateBucketIsPrivate)
}

func checkAPrivateBucketIsPrivate(t *testing.T, b *backend) {
	t.Helper()
	ctx := t.Context()
	for _, key := range []string{"receipts/a.png", "public/logo.png", "entities/1/2.pdf"} {
		url, err := b.private.Put(ctx, key, "application/pdf", []byte(key))
		require.NoError(t, err)
		status, _ := fetch(t, url)
		assert.Equal(t, b.refused, status, key)
		signed, err := b.private.SignedURL(ctx, key, "Cédula ñ.pdf", time.Minute)
		require.NoError(t, err)
		status, header, body := fetchAll(t, signed)
		assert.Equal(t, http.StatusOK, status, body)
		assert.Equal(t, key, body)
		assert.Equal(t, "application/pdf", header.Get("Content-Type"))
		_, params, err := mime.ParseMediaType(header.Get("Content-Disposition"))
		require.NoError(t, err)
		assert.Equal(t, "Cédula ñ.pdf", params["filename"])
		status, _ = fetch(t, strings.Replace(signed, key, "entities/other", 1))
		assert.Equal(t, b.refused, status, "of another object")
		short, err := b.private.SignedURL(ctx, key, "", time.Second)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			status, _ := fetch(t, short)
			return status == b.refused
		}, testkit.WaitTimeout, 200*time.Millisecond)
	}
	status, _ := fetch(t, b.private.PublicURL(""))
	assert.Equal(t, b.refused, status, "nobody can list")
}

// Services and clients reach the store by different hosts; signed addresses have the clients' host.
func TestSignedAddressesAreOfTheHostThatClientsReach(t *testing.T) {
	t.Parallel()
	o := storage.ObjectsOptions{
		Endpoint: "http://s3.internal:9000", SignedEndpoint: "https://files.example.com", AccessKey: "k", SecretKey: "s", Bucket: "private", Private: true,
	}
	objects, err := storage.NewObjects(o)
	require.NoError(t, err)
	defer objects.Close()
	signed, err := objects.SignedURL(t.Context(), "a/b.pdf", "", time.Minute)
	require.NoError(t, err, "nobody is asked")
	assert.True(t, strings.HasPrefix(signed, "https://files.example.com/private/a/b.pdf?"), signed)
	o.SignedEndpoint = "files.example.com"
	_, err = storage.NewObjects(o)
	require.Error(t, err)
}

func TestObjectBounds(t *testing.T) {
	t.Parallel()
	eachBackend(t, checkObjectBounds)
}

func checkObjectBounds(t *testing.T, b *backend) {
	t.Helper()
	ctx, objects := t.Context(), b.public
	_, err := objects.Put(ctx, "public/large", "", make([]byte, storage.MaxObjectSize+1))
	require.ErrorIs(t, err, storage.ErrObjectTooLarge)
	_, err = objects.Put(ctx, "public/large", "", make([]byte, storage.MaxObjectSize))
	require.NoError(t, err)
	body, _, err := objects.Get(ctx, "public/large")
	require.NoError(t, err)
	assert.Len(t, body, storage.MaxObjectSize)

	_, _, err = b.private.Get(ctx, "exports/larger")
	require.ErrorIs(t, err, storage.ErrObjectNotFound)
	larger := strings.NewReader(strings.Repeat("a", storage.MaxObjectSize+1))
	require.NoError(t, b.private.PutFile(ctx, "exports/larger", "text/csv", larger, larger.Size()))
	_, _, err = b.private.Get(ctx, "exports/larger")
	require.ErrorIs(t, err, storage.ErrObjectTooLarge)
}

func TestOpenObjectsRefusesABadEndpoint(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"", "127.0.0.1:9000", "ftp://host"} {
		_, err := storage.OpenObjects(t.Context(), storage.ObjectsOptions{Endpoint: endpoint, Bucket: "bucket"})
		require.Error(t, err, endpoint)
	}
}

func fetch(t *testing.T, url string) (status int, body string) {
	t.Helper()
	status, _, body = fetchAll(t, url)
	return status, body
}

func fetchAll(t *testing.T, url string) (status int, header http.Header, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	require.NoError(t, err)
	return resp.StatusCode, resp.Header, string(raw)
}

// No object has a content encoding: clients that obey the header would refuse the body of a receipt.
func TestNoObjectHasAContentEncoding(t *testing.T) {
	t.Parallel()
	eachBackend(t, checkNoObjectHasAContentEncoding)
}

func checkNoObjectHasAContentEncoding(t *testing.T, b *backend) {
	t.Helper()
	ctx := t.Context()
	url, err := b.public.Put(ctx, "receipts/a.png", "image/png", []byte("png"))
	require.NoError(t, err)
	_, header, _ := fetchAll(t, url)
	assert.Empty(t, header.Get("Content-Encoding"))
	large := strings.NewReader(strings.Repeat("a", 17<<20))
	require.NoError(t, b.private.PutFile(ctx, "exports/large.csv", "text/csv", large, large.Size()))
	signed, err := b.private.SignedURL(ctx, "exports/large.csv", "", time.Minute)
	require.NoError(t, err)
	_, header, _ = fetchAll(t, signed)
	assert.Empty(t, header.Get("Content-Encoding"))
	assert.Equal(t, strconv.Itoa(17<<20), header.Get("Content-Length"))
}

// What earlier releases stored with a content encoding is mended in the store of the compose file, also after an interruption.
func TestDeliveredStoreLosesEncodings(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	objects, err := storage.OpenObjects(ctx, storage.ObjectsOptions{Endpoint: startVersitygw(t), AccessKey: "root", SecretKey: "root-secret", Bucket: "shop"})
	require.NoError(t, err)
	t.Cleanup(objects.Close)
	encodingOf := func(key string) string {
		_, header, _ := fetchAll(t, objects.PublicURL(key))
		return header.Get("Content-Encoding")
	}
	for _, key := range []string{"receipts/old.png", "receipts/older.png"} {
		require.NoError(t, objects.PutChunked(ctx, key, "image/png", []byte(key)))
		require.Equal(t, "aws-chunked", encodingOf(key), "as earlier releases stored it")
	}
	_, err = objects.Put(ctx, "receipts/new.png", "image/png", []byte("new"))
	require.NoError(t, err)
	_, err = objects.Put(ctx, "recode/receipts/older.png", "image/png", []byte("receipts/older.png"))
	require.NoError(t, err)
	require.NoError(t, objects.Delete(ctx, "receipts/older.png"), "an earlier call ended here")
	_, err = objects.Put(ctx, "recode/receipts/new.png", "image/png", []byte("stale"))
	require.NoError(t, err, "and another one here")

	for _, want := range []int{2, 0} {
		changed, err := objects.RemoveEncodings(ctx)
		require.NoError(t, err)
		assert.Equal(t, want, changed)
	}
	for key, want := range map[string]string{"receipts/old.png": "receipts/old.png", "receipts/older.png": "receipts/older.png", "receipts/new.png": "new"} {
		_, header, body := fetchAll(t, objects.PublicURL(key))
		assert.Equal(t, []string{"", "no-cache", "image/png", want}, []string{header.Get("Content-Encoding"), header.Get("Cache-Control"), header.Get("Content-Type"), body})
	}
	left, err := objects.Keys(ctx, "recode/")
	require.NoError(t, err)
	assert.Empty(t, left)
}
