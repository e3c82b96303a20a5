package storage_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/storage"
)

// backend is a kind of store with its two buckets.
type backend struct {
	public, private *storage.Objects
	refused         int // status of an address that does not permit the read
}

// eachBackend runs a test with an S3 store and with a folder.
func eachBackend(t *testing.T, fn func(t *testing.T, b *backend)) {
	t.Helper()
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		env := testkit.New(t)
		fn(t, &backend{public: env.Objects, private: env.Private, refused: http.StatusForbidden})
	})
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		f := newFolder(t, nil)
		fn(t, &backend{public: f.public, private: f.private, refused: http.StatusNotFound})
	})
}

// folder is a folder with two buckets and the server of its addresses.
type folder struct {
	dir, base       string
	clock           clock.Clock // nil for the clock of the machine
	public, private *storage.Objects
}

func newFolder(t *testing.T, c clock.Clock) *folder {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	f := &folder{dir: t.TempDir(), base: server.URL + "/files", clock: c}
	for bucket, objects := range map[string]**storage.Objects{"shop": &f.public, "shop-private": &f.private} {
		*objects = f.open(t, bucket)
		base, err := url.Parse((*objects).PublicURL(""))
		require.NoError(t, err)
		mux.Handle(base.Path, http.StripPrefix(base.Path, (*objects).Handler()))
	}
	return f
}

func (f *folder) options(bucket string) storage.ObjectsOptions {
	return storage.ObjectsOptions{
		Dir: f.dir, Bucket: bucket, PublicURL: f.base + "/" + bucket + "/", Private: bucket == "shop-private",
		Secret: []byte("0123456789abcdef0123456789abcdef"), Owner: "one", Clock: f.clock,
	}
}

// open opens a bucket as another process does.
func (f *folder) open(t *testing.T, bucket string) *storage.Objects {
	t.Helper()
	objects, err := storage.OpenObjects(t.Context(), f.options(bucket))
	require.NoError(t, err)
	t.Cleanup(objects.Close)
	return objects
}
