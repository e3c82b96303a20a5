package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/platform/config"
	"banca/storage"
)

// Objects of a folder are read at the addresses that the stores give: public ones by everybody, private ones by a signature,
// and every other path belongs to the API.
func TestObjectsOfAFolderAreServed(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load()
	require.NoError(t, err)
	cfg.ObjectsDir, cfg.HTTP.PublicURL, cfg.Auth.JWTSecret = t.TempDir(), "http://banca.test", config.Secret(strings.Repeat("s", 32))
	a := &App{cfg: &cfg, stores: &stores{}}
	for private, into := range map[bool]**storage.Objects{false: &a.stores.objects, true: &a.stores.private} {
		*into, err = storage.OpenObjects(t.Context(), BucketOptions(&cfg, private, "banca", nil))
		require.NoError(t, err)
	}
	handler := a.withObjects(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	get := func(address string) (int, string) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))
		return w.Code, w.Body.String()
	}
	receipt, err := a.stores.objects.Put(t.Context(), "receipts/1.png", "image/png", []byte("receipt"))
	require.NoError(t, err)
	_, err = a.stores.private.Put(t.Context(), "entities/1.pdf", "application/pdf", []byte("document"))
	require.NoError(t, err)
	document, err := a.stores.private.SignedURL(t.Context(), "entities/1.pdf", "rif.pdf", time.Minute)
	require.NoError(t, err)
	unsigned, _, _ := strings.Cut(document, "?")
	for address, want := range map[string]struct {
		status int
		body   string
	}{
		receipt:                                 {http.StatusOK, "receipt"},
		document:                                {http.StatusOK, "document"},
		unsigned:                                {http.StatusNotFound, "not found\n"},
		"http://banca.test/objects/other/1.png": {http.StatusTeapot, ""},
		"http://banca.test/objectsbanca/1.png":  {http.StatusTeapot, ""},
		"http://banca.test/admin":               {http.StatusTeapot, ""},
	} {
		status, body := get(address)
		require.Equal(t, want.status, status, address)
		require.Equal(t, want.body, body, address)
	}
}

// A receipt that was sent while a folder held it is found in the S3 store, under whatever name its bucket has there.
func TestAnAddressOfAFolderLeadsToTheStore(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load()
	require.NoError(t, err)
	cfg.Objects.Endpoint, cfg.Objects.ObjectPublicURL = "http://127.0.0.1:9000", "https://files.banca.test/house"
	a := &App{cfg: &cfg, stores: &stores{}}
	for private, into := range map[bool]**storage.Objects{false: &a.stores.objects, true: &a.stores.private} {
		*into, err = storage.NewObjects(BucketOptions(&cfg, private, "", nil))
		require.NoError(t, err)
	}
	handler := a.withObjects(http.NotFoundHandler())
	for address, want := range map[string]string{
		"/objects/banca/receipts/1.png":        "https://files.banca.test/house/receipts/1.png",
		"/objects/former/receipts/1.png":       "https://files.banca.test/house/receipts/1.png",
		"/objects/former-private/entities/1":   "",
		"/objects/banca-private/entities/1":    "",
		"/objects/former/../receipts/../../ab": "",
		"/objects/former":                      "",
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://banca.test"+address, nil))
		require.Equal(t, want, w.Header().Get("Location"), address)
	}
}
