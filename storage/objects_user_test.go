package storage_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/embedded"
	"banca/storage"
)

// The application does its work as a user that is not root of the store: the policies that root writes name it. The user can
// neither change a policy nor make a bucket, and another user has nothing.
func TestTheApplicationIsNotRootOfTheStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "users.json"), []byte(`{"accessAccounts":{
		"banca":{"access":"banca","secret":"banca-secret","role":"user"},"other":{"access":"other","secret":"other-secret","role":"user"}}}`), 0o600))
	s3, err := embedded.StartS3(t.Context(), embedded.S3Options{
		Dir: t.TempDir(), AccessKey: "root", SecretKey: "root-secret", IAMDir: dir, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s3.Stop(context.WithoutCancel(t.Context()))) })
	for _, bucket := range []struct {
		name    string
		private bool
	}{{"shop", false}, {"shop-private", true}} {
		root := storage.ObjectsOptions{Endpoint: s3.Endpoint(), AccessKey: "root", SecretKey: "root-secret", Bucket: bucket.name, Private: bucket.private, User: "banca"}
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
		raw, err := minio.New(s3.Endpoint()[len("http://"):], &minio.Options{Creds: credentials.NewStaticV4("banca", "banca-secret", ""), Region: "us-east-1"})
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
