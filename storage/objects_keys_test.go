package storage_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/storage"
)

// Every method refuses keys that a store or a path would read as another key.
func TestObjectKeys(t *testing.T) {
	t.Parallel()
	eachBackend(t, checkObjectKeys)
}

func checkObjectKeys(t *testing.T, b *backend) {
	t.Helper()
	ctx, objects := t.Context(), b.public
	for _, key := range []string{
		"", ".", "..", "/", "/a", "a/", "a//b", "../a", "a/../b", "a/..", "a/.", "./a", "/etc/passwd", "../../etc/passwd",
		`..\a`, `a\b`, `C:\a`, "a\x00", "\x00", "\xff", strings.Repeat("a", 513),
	} {
		_, err := objects.Put(ctx, key, "", nil)
		require.ErrorIs(t, err, storage.ErrObjectKey, "put %q", key)
		require.ErrorIs(t, objects.PutFile(ctx, key, "", strings.NewReader(""), 0), storage.ErrObjectKey, "put %q", key)
		_, _, err = objects.Get(ctx, key)
		require.ErrorIs(t, err, storage.ErrObjectKey, "get %q", key)
		require.ErrorIs(t, objects.Delete(ctx, key), storage.ErrObjectKey, "delete %q", key)
		_, err = objects.SignedURL(ctx, key, "", time.Minute)
		require.ErrorIs(t, err, storage.ErrObjectKey, "sign %q", key)
	}
}

// Keys are listed in order, below any prefix.
func TestObjectsAreListed(t *testing.T) {
	t.Parallel()
	eachBackend(t, checkObjectsAreListed)
}

func checkObjectsAreListed(t *testing.T, b *backend) {
	t.Helper()
	ctx := t.Context()
	for _, key := range []string{"exports/12/b.csv", "exports/1/z.csv", "exports/1/a b.csv", "exports/1a.csv", "other"} {
		_, err := b.private.Put(ctx, key, "text/csv", []byte(key))
		require.NoError(t, err)
	}
	for prefix, want := range map[string][]string{
		"exports/1/":   {"exports/1/a b.csv", "exports/1/z.csv"},
		"exports/1":    {"exports/1/a b.csv", "exports/1/z.csv", "exports/12/b.csv", "exports/1a.csv"},
		"exports/1/a ": {"exports/1/a b.csv"},
		"oth":          {"other"},
		"absent/":      nil,
	} {
		keys, err := b.private.Keys(ctx, prefix)
		require.NoError(t, err)
		assert.Equal(t, want, keys, prefix)
	}
	require.NoError(t, b.private.Delete(ctx, "exports/1/z.csv"))
	keys, err := b.private.Keys(ctx, "")
	require.NoError(t, err)
	assert.Equal(t, []string{"exports/1/a b.csv", "exports/12/b.csv", "exports/1a.csv", "other"}, keys)
}

// An object that is not whole does not replace the earlier one.
func TestAShortBodyStoresNothing(t *testing.T) {
	t.Parallel()
	eachBackend(t, checkAShortBodyStoresNothing)
}

func checkAShortBodyStoresNothing(t *testing.T, b *backend) {
	t.Helper()
	ctx := t.Context()
	_, err := b.private.Put(ctx, "exports/a", "text/csv", []byte("old"))
	require.NoError(t, err)
	broken := io.MultiReader(strings.NewReader("new"), errReader{})
	for _, body := range []io.Reader{strings.NewReader("new"), broken} {
		require.Error(t, b.private.PutFile(ctx, "exports/a", "text/plain", body, 5))
		got, contentType, err := b.private.Get(ctx, "exports/a")
		require.NoError(t, err)
		assert.Equal(t, []string{"old", "text/csv"}, []string{string(got), contentType})
	}
	keys, err := b.private.Keys(ctx, "")
	require.NoError(t, err)
	assert.Equal(t, []string{"exports/a"}, keys)
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("the file cannot be read") }

// An object's key may begin the key of another one, which a plain directory could not hold. The object store of
// development cannot either, so only a folder is asked.
func TestAKeyBeginsAnotherKey(t *testing.T) {
	t.Parallel()
	ctx, objects := t.Context(), newFolder(t, nil).public
	keys := []string{
		"a", "a/b", "a/b/c", "a@", "a@/b", "a%40", "A", "ñ", "n\u0303", "=tmp", "=tmp/b", ".owner", "con", "a.", "a-b",
	}
	for range 2 {
		for _, key := range keys {
			_, err := objects.Put(ctx, key, "text/plain", []byte(key))
			require.NoError(t, err, key)
		}
	}
	slices.Sort(keys) // by bytes, as S3 does
	listed, err := objects.Keys(ctx, "")
	require.NoError(t, err)
	assert.Equal(t, keys, listed)
	for i, key := range keys {
		body, _, err := objects.Get(ctx, key)
		require.NoError(t, err, key)
		assert.Equal(t, key, string(body))
		require.NoError(t, objects.Delete(ctx, key))
		listed, err := objects.Keys(ctx, "")
		require.NoError(t, err)
		assert.ElementsMatch(t, keys[i+1:], listed)
	}
}

// A listing has a bound, and the first keys are in it.
func TestAFolderListsTheFirstKeys(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	var want []string
	for i := range 1005 {
		key := fmt.Sprintf("k/%02d/%04d", i%50, i)
		want = append(want, key)
		f.plant(t, key)
	}
	keys, err := f.public.Keys(t.Context(), "k/")
	require.NoError(t, err)
	assert.Len(t, keys, 1000)
	assert.IsIncreasing(t, keys)
	assert.Subset(t, want, keys)
	assert.NotContains(t, keys, "k/49/0999")
}
