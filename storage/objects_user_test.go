package storage_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/target"
	"banca/storage"
)

// The application does its work as a user that is not root of the store: the policies that root writes name it. The user can
// neither change a policy nor make a bucket, and another user has nothing.
func TestDeliveredStoreHasAUser(t *testing.T) {
	t.Parallel()
	endpoint := startVersitygw(t)
	for _, bucket := range []struct {
		name    string
		private bool
	}{{"shop", false}, {"shop-private", true}} {
		root := storage.ObjectsOptions{Endpoint: endpoint, AccessKey: "root", SecretKey: "root-secret", Bucket: bucket.name, Private: bucket.private, User: "banca"}
		prepared, err := storage.OpenObjects(t.Context(), root)
		require.NoError(t, err)
		require.NoError(t, prepared.Prepare(t.Context()), "repeating it is harmless")
		prepared.Close()

		own := root
		own.AccessKey, own.SecretKey = "banca", "banca-secret"
		app, err := storage.NewObjects(own)
		require.NoError(t, err)
		t.Cleanup(app.Close)
		useBucket(t, app, bucket.private)
		require.Error(t, app.Prepare(t.Context()), "the user cannot write a policy")
		raw, err := minio.New(strings.TrimPrefix(endpoint, "http://"), &minio.Options{Creds: credentials.NewStaticV4("banca", "banca-secret", ""), Region: "us-east-1"})
		require.NoError(t, err)
		require.Error(t, raw.MakeBucket(t.Context(), "mine", minio.MakeBucketOptions{}))
		require.Error(t, raw.RemoveBucket(t.Context(), bucket.name))

		foreign := root
		foreign.AccessKey, foreign.SecretKey = "other", "other-secret"
		other, err := storage.NewObjects(foreign)
		require.NoError(t, err)
		t.Cleanup(other.Close)
		_, err = other.Put(t.Context(), "receipts/b.png", "image/png", []byte("x"))
		require.Error(t, err)
		_, _, err = other.Get(t.Context(), "documents/id.pdf")
		require.Error(t, err)
	}
}

// startVersitygw starts the store of deploy/compose/docker-compose.yml with its arguments and runs its script of users.
func startVersitygw(t *testing.T) (endpoint string) {
	t.Helper()
	target.Only(t, target.Delivery)
	program, err := filepath.Abs("../.bin/versitygw")
	require.NoError(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := listener.Addr().String()
	require.NoError(t, listener.Close())
	dir := t.TempDir()
	for _, sub := range []string{"metadata", "objects", "iam"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
	}
	gateway := exec.CommandContext(t.Context(), program, "--port", addr, "--health", "/health", "--quiet", "--iam-dir", filepath.Join(dir, "iam"),
		"posix", "--sidecar", filepath.Join(dir, "metadata"), filepath.Join(dir, "objects"))
	gateway.Env = []string{"ROOT_ACCESS_KEY=root", "ROOT_SECRET_KEY=root-secret"}
	require.NoError(t, gateway.Start())
	t.Cleanup(func() { _ = gateway.Wait() }) // the end of the test's context has killed it
	endpoint = "http://" + addr
	require.EventuallyWithT(t, func(t *assert.CollectT) { get(t, endpoint+"/health") }, testkit.WaitTimeout, 50*time.Millisecond)
	for user, secret := range map[string]string{"banca": "banca-secret", "other": "other-secret"} {
		for range 2 { // as at every start
			script := exec.CommandContext(t.Context(), "../scripts/s3-user.sh")
			script.Env = []string{
				"PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"), "ADMIN_ENDPOINT_URL=" + endpoint,
				"ADMIN_ACCESS_KEY_ID=root", "ADMIN_SECRET_ACCESS_KEY=root-secret", "S3_APP_USER=" + user, "S3_APP_SECRET=" + secret,
			}
			out, err := script.CombinedOutput()
			require.NoError(t, err, string(out))
		}
	}
	return endpoint
}

func get(t *assert.CollectT, url string) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	res, err := (&http.Client{Timeout: time.Second}).Do(req)
	if assert.NoError(t, err) {
		assert.Equal(t, http.StatusOK, res.StatusCode)
		assert.NoError(t, res.Body.Close())
	}
}

// useBucket does all that the application does with a bucket.
func useBucket(t *testing.T, app *storage.Objects, private bool) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, app.Ping(ctx))
	for key, public := range map[string]bool{"receipts/a.png": true, "public/logo.png": true, "documents/id.pdf": false} {
		url, err := app.Put(ctx, key, "image/png", []byte(key))
		require.NoError(t, err)
		_, err = app.Put(ctx, key, "image/png", []byte(key))
		require.NoError(t, err, "again")
		body, contentType, err := app.Get(ctx, key)
		require.NoError(t, err)
		assert.Equal(t, []string{key, "image/png"}, []string{string(body), contentType})
		want := http.StatusForbidden
		if public && !private {
			want = http.StatusOK
		}
		status, _ := fetch(t, url)
		assert.Equal(t, want, status, key)
		signed, err := app.SignedURL(ctx, key, "a name.png", time.Minute)
		require.NoError(t, err)
		status, text := fetch(t, signed)
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, key, text)
	}
	require.NoError(t, app.Delete(ctx, "receipts/a.png"))
	_, _, err := app.Get(ctx, "receipts/a.png")
	require.ErrorIs(t, err, storage.ErrObjectNotFound)
	require.NoError(t, app.Delete(ctx, "receipts/a.png"), "deleting twice is harmless")
}
