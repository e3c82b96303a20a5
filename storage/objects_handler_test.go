package storage_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/storage"
)

// answer is what a server answered.
type answer struct {
	StatusCode int
	Header     http.Header
}

// ask makes a request with headers, given as pairs.
func ask(t *testing.T, method, url string, headers ...string) (a answer, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return answer{resp.StatusCode, resp.Header}, string(raw)
}

// Public objects have the headers that browsers, messengers and caches need, with both kinds of stores. A revision of a
// receipt replaces the object, so caches ask again, and get the new one.
func TestAPublicObjectIsServed(t *testing.T) {
	t.Parallel()
	eachBackend(t, checkAPublicObjectIsServed)
}

func checkAPublicObjectIsServed(t *testing.T, b *backend) {
	t.Helper()
	address, err := b.public.Put(t.Context(), "receipts/a.png", "image/png", []byte("0123456789"))
	require.NoError(t, err)
	got, body := ask(t, http.MethodGet, address)
	assert.Equal(t, []string{"0123456789", "image/png", "10", "no-cache"}, []string{
		body, got.Header.Get("Content-Type"), got.Header.Get("Content-Length"), got.Header.Get("Cache-Control"),
	})
	assert.Empty(t, got.Header.Get("Content-Disposition"))
	tag := got.Header.Get("Etag")
	require.NotEmpty(t, tag)
	require.NotEmpty(t, got.Header.Get("Last-Modified"))

	head, body := ask(t, http.MethodHead, address)
	assert.Equal(t, []string{"", "image/png", "10", tag}, []string{
		body, head.Header.Get("Content-Type"), head.Header.Get("Content-Length"), head.Header.Get("Etag"),
	})
	part, body := ask(t, http.MethodGet, address, "Range", "bytes=2-4")
	assert.Equal(t, http.StatusPartialContent, part.StatusCode)
	assert.Equal(t, []string{"234", "bytes 2-4/10"}, []string{body, part.Header.Get("Content-Range")})
	same, body := ask(t, http.MethodGet, address, "If-None-Match", tag)
	assert.Equal(t, http.StatusNotModified, same.StatusCode, body)

	_, err = b.public.Put(t.Context(), "receipts/a.png", "image/png", []byte("revised"))
	require.NoError(t, err)
	revised, body := ask(t, http.MethodGet, address, "If-None-Match", tag)
	assert.Equal(t, http.StatusOK, revised.StatusCode)
	assert.Equal(t, "revised", body)
	assert.NotEqual(t, tag, revised.Header.Get("Etag"))
}

// A signed address shows an object or saves it under a name.
func TestASignedAddressNamesTheFile(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, b *backend) {
		t.Helper()
		ctx := t.Context()
		_, err := b.private.Put(ctx, "exports/1.csv", "text/csv", []byte("a,b"))
		require.NoError(t, err)
		for name, sign := range map[string]func() (string, error){
			"": func() (string, error) { return b.private.SignedURL(ctx, "exports/1.csv", "", time.Minute) },
			"inline; filename=ventas.csv": func() (string, error) {
				return b.private.SignedURL(ctx, "exports/1.csv", "ventas.csv", time.Minute)
			},
			`attachment; filename="las ventas.csv"`: func() (string, error) {
				return b.private.DownloadURL(ctx, "exports/1.csv", "las ventas.csv", 24*time.Hour)
			},
		} {
			address, err := sign()
			require.NoError(t, err)
			got, body := ask(t, http.MethodGet, address)
			assert.Equal(t, "a,b", body)
			assert.Equal(t, name, got.Header.Get("Content-Disposition"))
			assert.Equal(t, "no-cache", got.Header.Get("Cache-Control"))
		}
		_, err = b.private.SignedURL(ctx, "exports/1.csv", "", 0)
		require.Error(t, err, "it would have expired")
	})
}

// Objects have the origin of the panel, so none of them is a page with its rights.
func TestAFolderServesNoActivePage(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	for contentType, sandboxed := range map[string]bool{
		"text/html": true, "image/svg+xml": true, "image/png": true, "": true, "application/pdf": false,
	} {
		address, err := f.public.Put(t.Context(), "public/a", contentType, []byte("<script>alert(1)</script>"))
		require.NoError(t, err)
		got, _ := ask(t, http.MethodGet, address)
		assert.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
		assert.Equal(t, sandboxed, strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox"), contentType)
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		got, _ := ask(t, method, f.public.PublicURL("public/a"))
		assert.Equal(t, http.StatusMethodNotAllowed, got.StatusCode)
	}
}

// A signature is valid for its bucket, key, time and disposition only, and of no use without them.
func TestForgedSignaturesAreRefused(t *testing.T) {
	t.Parallel()
	ctx, f := t.Context(), newFolder(t, nil)
	for _, objects := range []*storage.Objects{f.public, f.private} {
		for _, key := range []string{"exports/1", "exports/2", "receipts/1"} {
			_, err := objects.Put(ctx, key, "text/csv", []byte("content"))
			require.NoError(t, err)
		}
	}
	valid, err := f.private.DownloadURL(ctx, "exports/1", "a.csv", time.Minute)
	require.NoError(t, err)
	status, _ := fetch(t, valid)
	require.Equal(t, http.StatusOK, status)
	plain, err := f.private.SignedURL(ctx, "exports/1", "", time.Minute)
	require.NoError(t, err)
	o := f.options("shop-private")
	o.Secret = []byte("0123456789abcdef0123456789abcdeF")
	other, err := storage.NewObjects(o)
	require.NoError(t, err)
	foreign, err := other.SignedURL(ctx, "exports/1", "", time.Minute)
	require.NoError(t, err)
	with := func(address, name, value string) string {
		u, err := url.Parse(address)
		require.NoError(t, err)
		query := u.Query()
		query.Set(name, value)
		if value == "" {
			query.Del(name)
		}
		u.RawQuery = query.Encode()
		return u.String()
	}
	public, err := f.public.SignedURL(ctx, "receipts/1", "", time.Minute)
	require.NoError(t, err)
	for name, address := range map[string]string{
		"another key":          strings.Replace(valid, "exports/1", "exports/2", 1),
		"another bucket":       strings.Replace(valid, "shop-private", "shop", 1),
		"a later expiry":       with(valid, "expires", "99999999999"),
		"an expiry in another": with(valid, "expires", "+"+queryOf(t, valid, "expires")),
		"no expiry":            with(valid, "expires", ""),
		"another disposition":  with(valid, "disposition", "inline"),
		"no disposition":       with(valid, "disposition", ""),
		"a disposition":        with(plain, "disposition", "attachment"),
		"an empty signature":   with(valid, "signature", "") + "&signature=",
		"no signature":         with(valid, "signature", ""),
		"half a signature":     with(valid, "signature", queryOf(t, valid, "signature")[:20]),
		"a longer signature":   with(valid, "signature", queryOf(t, valid, "signature")+"A"),
		"another secret":       foreign,
		"a public key":         with(public, "signature", "AAAA"),
		"no such key":          strings.Replace(valid, "exports/1", "exports/3", 1),
	} {
		got, body := ask(t, http.MethodGet, address)
		assert.Equal(t, http.StatusNotFound, got.StatusCode, name)
		assert.Equal(t, "not found\n", body, name)
	}
	head, _ := ask(t, http.MethodHead, valid)
	assert.Equal(t, http.StatusOK, head.StatusCode)
}

func queryOf(t *testing.T, address, name string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	return u.Query().Get(name)
}

// An address is valid for its whole time, one hour at most, and for less than two seconds more.
func TestASignatureExpires(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 9, 1, 12, 0, 0, 900e6, time.UTC)
	for _, asked := range []time.Duration{time.Second, 90 * time.Second, time.Hour, 24 * time.Hour} {
		now := clock.NewFake(start)
		f := newFolder(t, now)
		_, err := f.private.Put(t.Context(), "a", "", []byte("a"))
		require.NoError(t, err)
		address, err := f.private.SignedURL(t.Context(), "a", "", asked)
		require.NoError(t, err)
		now.Advance(min(asked, time.Hour))
		status, _ := fetch(t, address)
		assert.Equal(t, http.StatusOK, status, asked)
		now.Advance(2 * time.Second)
		status, _ = fetch(t, address)
		assert.Equal(t, http.StatusNotFound, status, asked)
	}
}

// Paths that are no keys are answered as absent ones are, and nothing outside the bucket is served.
func TestHostilePathsAreNotFound(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	_, err := f.private.Put(t.Context(), "receipts/a", "", []byte("a"))
	require.NoError(t, err)
	handler := f.public.Handler()
	for _, path := range []string{
		"", "/", "//", "/.owner", "/receipts", "/receipts/", "/receipts/../../.owner", "/receipts//a", "/public/..",
		"/../shop-private/receipts/a@", "/receipts/../../shop-private/receipts/a", "/receipts/\x00", "/receipts/..\\a",
		"//etc/passwd", "/receipts/" + strings.Repeat("a", 600), "/receipts/" + strings.Repeat("ñ", 90), "/=tmp/a",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.URL.Path = path
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		assert.Equal(t, http.StatusNotFound, w.Code, path)
		assert.Equal(t, "not found\n", w.Body.String(), path)
	}
}

// A buyer opens the address of a receipt that a folder held before the objects moved to an S3 store.
func TestAnS3StoreRedirectsPublicKeys(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	get := func(objects *storage.Objects, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.URL.Path = path
		objects.Handler().ServeHTTP(w, r)
		return w
	}
	w := get(env.Objects, "/receipts/2026/a b.png")
	assert.Equal(t, http.StatusFound, w.Code)
	assert.Equal(t, env.Objects.PublicURL("receipts/2026/a b.png"), w.Header().Get("Location"))
	for _, path := range []string{"/entities/1.pdf", "/receipts/../entities/1.pdf", "/receipts//a", "//evil.test/receipts/a", ""} {
		assert.Equal(t, http.StatusNotFound, get(env.Objects, path).Code, path)
	}
	assert.Equal(t, http.StatusNotFound, get(env.Private, "/receipts/a.png").Code)
}

// A damaged object is logged with its key, an absent one is not.
func TestDamageIsLogged(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	var log bytes.Buffer
	o := f.options("shop")
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	objects, err := storage.OpenObjects(t.Context(), o)
	require.NoError(t, err)
	_, err = objects.Put(t.Context(), "receipts/a", "", []byte("a"))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(f.file("receipts/a"), 3))
	for path, want := range map[string]int{
		"/receipts/a": http.StatusInternalServerError, "/receipts/b": http.StatusNotFound,
	} {
		w := httptest.NewRecorder()
		objects.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		assert.Equal(t, want, w.Code)
	}
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	assert.Contains(t, log.String(), "key=receipts/a")
}
