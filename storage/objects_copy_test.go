package storage_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
)

func put(t *testing.T, objects *storage.Objects, key, body string) {
	t.Helper()
	_, err := objects.Put(t.Context(), key, "text/plain", []byte(body))
	require.NoError(t, err)
}

func bodyOf(t *testing.T, objects *storage.Objects, key string) string {
	t.Helper()
	body, contentType, err := objects.Get(t.Context(), key)
	require.NoError(t, err, key)
	assert.Equal(t, "text/plain", contentType)
	return string(body)
}

// A folder is copied while it is in use, the copy is repeated after the move, and nothing that the application stored in
// the meantime is replaced by an older object.
func TestObjectsMoveFromAFolderToAStore(t *testing.T) {
	t.Parallel()
	f, to := newFolder(t, nil), testkit.New(t).Objects
	const objects = 60
	for i := range objects {
		put(t, f.public, fmt.Sprintf("receipts/2026/%d/Á %d.txt", i%7, i), fmt.Sprint("body ", i))
	}
	put(t, f.public, "entities/1", "") // empty
	put(t, f.private, "entities/2", "private")

	interrupted, stop := context.WithCancel(t.Context())
	stop()
	_, err := to.CopyFolder(interrupted, f.dir, "shop")
	require.ErrorIs(t, err, context.Canceled)

	result, err := to.CopyFolder(t.Context(), f.dir, "shop")
	require.NoError(t, err)
	assert.Equal(t, objects+1, result.Copied+result.Present)
	assert.Equal(t, "body 12", bodyOf(t, to, "receipts/2026/5/Á 12.txt"))
	assert.Empty(t, bodyOf(t, to, "entities/1"))
	_, _, err = to.Get(t.Context(), "entities/2")
	require.ErrorIs(t, err, storage.ErrObjectNotFound, "of another bucket")

	put(t, f.public, "entities/1", "replaced in the folder")
	put(t, f.public, "public/logo", "added in the folder")
	put(t, f.public, "public/both", "older")
	put(t, to, "public/both", "newer")
	result, err = to.CopyFolder(t.Context(), f.dir, "shop")
	require.NoError(t, err)
	assert.Equal(t, storage.CopyResult{Copied: 2, Bytes: 41, Present: objects, Newer: 1}, result)
	assert.Equal(t, "replaced in the folder", bodyOf(t, to, "entities/1"))
	assert.Equal(t, "newer", bodyOf(t, to, "public/both"))

	put(t, to, "entities/1", "replaced in the store")
	put(t, f.public, "entities/1", "replaced in both")
	result, err = to.CopyFolder(t.Context(), f.dir, "shop")
	require.NoError(t, err)
	assert.Equal(t, storage.CopyResult{Present: objects + 1, Newer: 2}, result)
	assert.Equal(t, "replaced in the store", bodyOf(t, to, "entities/1"))
}

// A damaged object is named and not copied, and all others are.
func TestADamagedObjectIsNotCopied(t *testing.T) {
	t.Parallel()
	f, to := newFolder(t, nil), testkit.New(t).Objects
	for _, key := range []string{"receipts/a", "receipts/b", "receipts/c"} {
		put(t, f.public, key, "body of "+key)
	}
	path := filepath.Join(f.dir, "shop/receipts/b@")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), "body of", "bodY of", 1)), 0o600))
	result, err := to.CopyFolder(t.Context(), f.dir, "shop")
	require.ErrorIs(t, err, storage.ErrObjectDamaged)
	require.ErrorContains(t, err, `"receipts/b"`)
	assert.Equal(t, 2, result.Copied)
	assert.Equal(t, 1, result.Damaged)
	_, _, err = to.Get(t.Context(), "receipts/b")
	require.ErrorIs(t, err, storage.ErrObjectNotFound)
	assert.Equal(t, "body of receipts/c", bodyOf(t, to, "receipts/c"))
}

func TestACopyNeedsAFolderOfObjects(t *testing.T) {
	t.Parallel()
	f, to := newFolder(t, nil), testkit.New(t).Objects
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "absent")} {
		_, err := to.CopyFolder(t.Context(), dir, "shop")
		require.ErrorContains(t, err, dir)
	}
	for _, bucket := range []string{"", "..", "shop/receipts", "absent"} {
		_, err := to.CopyFolder(t.Context(), f.dir, bucket)
		require.Error(t, err, bucket)
	}
	_, err := f.public.CopyFolder(t.Context(), f.dir, "shop")
	require.ErrorContains(t, err, "to an S3 store")
}
