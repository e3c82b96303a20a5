package storage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/storage"
)

// file returns where the public bucket keeps a key that needs no escape.
func (f *folder) file(key string) string { return filepath.Join(f.dir, "shop", key+"@") }

// plant puts an empty file in the place of an object.
func (f *folder) plant(t *testing.T, key string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(f.file(key)), 0o700))
	require.NoError(t, os.WriteFile(f.file(key), nil, 0o600))
}

func TestAFolderNeedsItsOptions(t *testing.T) {
	t.Parallel()
	f := &folder{dir: t.TempDir(), base: "https://banca.example.com/files"}
	for name, change := range map[string]func(o *storage.ObjectsOptions){
		"both":           func(o *storage.ObjectsOptions) { o.Endpoint = "http://127.0.0.1:9000" },
		"no address":     func(o *storage.ObjectsOptions) { o.PublicURL = "" },
		"a path":         func(o *storage.ObjectsOptions) { o.PublicURL = "/files" },
		"a short secret": func(o *storage.ObjectsOptions) { o.Secret = []byte("secret") },
		"no owner":       func(o *storage.ObjectsOptions) { o.Owner = "" },
		"two lines":      func(o *storage.ObjectsOptions) { o.Owner = "one\ntwo" },
		"a parent":       func(o *storage.ObjectsOptions) { o.Bucket = ".." },
		"a path bucket":  func(o *storage.ObjectsOptions) { o.Bucket = "a/b" },
		"no bucket":      func(o *storage.ObjectsOptions) { o.Bucket = "" },
	} {
		o := f.options("shop")
		change(&o)
		_, err := storage.NewObjects(o)
		require.Error(t, err, name)
	}
	objects, err := storage.NewObjects(f.options("shop"))
	require.NoError(t, err)
	assert.Equal(t, "https://banca.example.com/files/shop/receipts/a%20b.png", objects.PublicURL("receipts/a b.png"))
	require.Error(t, objects.Ping(t.Context()), "it is not prepared")
	_, err = objects.Put(t.Context(), "a", "", nil)
	require.Error(t, err)
	assert.NoDirExists(t, filepath.Join(f.dir, "shop"))
}

// A folder belongs to the installation that prepared it first, also if several do at once.
func TestAFolderHasOneOwner(t *testing.T) {
	t.Parallel()
	f := &folder{dir: filepath.Join(t.TempDir(), "new", "folder"), base: "http://127.0.0.1"}
	open := func(owner, bucket string) error {
		o := f.options(bucket)
		o.Owner = owner
		_, err := storage.OpenObjects(t.Context(), o)
		return err
	}
	var group sync.WaitGroup
	results := make([]error, 12)
	for i := range results {
		group.Go(func() { results[i] = open([]string{"one", "two"}[i%2], []string{"shop", "papers"}[i/2%2]) })
	}
	group.Wait()
	owner, other := "one", "two"
	if results[0] != nil {
		owner, other = other, owner
	}
	for i, err := range results {
		if i%2 == 0 == (owner == "one") {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, storage.ErrObjectOwner)
		}
	}
	require.NoError(t, open(owner, "shop"))
	require.ErrorIs(t, open(other, "third"), storage.ErrObjectOwner)
	assert.NoDirExists(t, filepath.Join(f.dir, "third"))

	o := f.options("shop")
	o.Owner = other
	objects, err := storage.NewObjects(o) // which was not prepared
	require.NoError(t, err)
	require.ErrorIs(t, objects.Ping(t.Context()), storage.ErrObjectOwner)
	require.ErrorIs(t, objects.Delete(t.Context(), "a"), storage.ErrObjectOwner)
	left, err := filepath.Glob(filepath.Join(f.dir, "*", "=tmp", "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// A folder that is gone, as without its disk, is an error and no absent object.
func TestAMissingFolderIsNoAbsentObject(t *testing.T) {
	t.Parallel()
	ctx, f := t.Context(), newFolder(t, nil)
	require.NoError(t, f.public.Ping(ctx))
	require.NoError(t, os.Rename(f.dir, f.dir+"-away"))
	t.Cleanup(func() { _ = os.RemoveAll(f.dir + "-away") })
	for _, mount := range []func() error{
		func() error { return nil },
		func() error { return os.Mkdir(f.dir, 0o700) },
		func() error { return os.WriteFile(filepath.Join(f.dir, ".owner"), []byte("one\n"), 0o600) },
	} {
		require.NoError(t, mount())
		require.Error(t, f.public.Ping(ctx))
		_, _, err := f.public.Get(ctx, "a")
		require.Error(t, err)
		require.NotErrorIs(t, err, storage.ErrObjectNotFound)
		_, err = f.public.Put(ctx, "a", "", nil)
		require.Error(t, err)
		_, err = f.public.Keys(ctx, "")
		require.Error(t, err)
	}
}

// Each bit of a file counts: Get returns the object that was stored, or an error.
func TestADamagedObjectIsAnError(t *testing.T) {
	t.Parallel()
	ctx, f := t.Context(), newFolder(t, nil)
	url, err := f.public.Put(ctx, "receipts/a", "image/png", []byte("picture"))
	require.NoError(t, err)
	name := f.file("receipts/a")
	whole, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, bytes.HasSuffix(whole, []byte("\npicture")), "the body is legible without a program")
	damaged := [][]byte{nil, whole[:10], whole[:len(whole)-1], append(bytes.Clone(whole), 0)}
	for i := range 8 * len(whole) {
		flipped := bytes.Clone(whole)
		flipped[i/8] ^= 1 << (i % 8)
		damaged = append(damaged, flipped)
	}
	for i, content := range damaged {
		require.NoError(t, os.WriteFile(name, content, 0o600))
		_, _, err := f.public.Get(ctx, "receipts/a")
		require.ErrorIs(t, err, storage.ErrObjectDamaged, i)
		require.ErrorContains(t, err, "receipts/a")
		if i%10 == 0 {
			status, text := fetch(t, url)
			require.Equal(t, http.StatusInternalServerError, status)
			require.NotContains(t, text, "pictur")
		}
	}
	require.NoError(t, os.WriteFile(f.file("receipts/b"), whole, 0o600))
	_, _, err = f.public.Get(ctx, "receipts/b")
	require.ErrorIs(t, err, storage.ErrObjectDamaged, "it is another object")
	_, err = f.public.Put(ctx, "receipts/a", "image/png", []byte("again"))
	require.NoError(t, err, "a repetition mends it")
	body, _, err := f.public.Get(ctx, "receipts/a")
	require.NoError(t, err)
	assert.Equal(t, "again", string(body))
}

// A symbolic link leads no operation out of the folder.
func TestASymbolicLinkStaysInTheFolder(t *testing.T) {
	t.Parallel()
	ctx, f := t.Context(), newFolder(t, nil)
	outside := t.TempDir()
	_, err := f.public.Put(ctx, "receipts/a", "text/plain", []byte("a"))
	require.NoError(t, err)
	object, err := os.ReadFile(f.file("receipts/a"))
	require.NoError(t, err)
	for _, key := range []string{"secret", "receipts/secret", "receipts/out/secret"} { // valid objects of these keys
		secret := newFolder(t, nil)
		_, err := secret.public.Put(ctx, key, "text/plain", []byte("secret"))
		require.NoError(t, err)
		content, err := os.ReadFile(secret.file(key))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(outside, strings.ReplaceAll(key, "/", "-")), content, 0o600))
	}
	require.NoError(t, os.Rename(filepath.Join(outside, "receipts-out-secret"), filepath.Join(outside, "secret@")))
	require.NoError(t, os.Symlink(outside, filepath.Join(f.dir, "shop", "receipts", "out")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "receipts-secret"), f.file("receipts/secret")))
	before := contents(t, outside)

	for _, key := range []string{"receipts/secret", "receipts/out/secret"} {
		body, _, err := f.public.Get(ctx, key)
		require.Error(t, err, string(body))
		status, text := fetch(t, f.public.PublicURL(key))
		assert.NotEqual(t, http.StatusOK, status)
		assert.NotContains(t, text, "secret")
	}
	_, err = f.public.Put(ctx, "receipts/out/new", "", []byte("new"))
	require.Error(t, err)
	require.Error(t, f.public.Delete(ctx, "receipts/out/secret"))
	keys, err := f.public.Keys(ctx, "")
	require.NoError(t, err)
	assert.Equal(t, []string{"receipts/a"}, keys)
	assert.Equal(t, before, contents(t, outside))

	_, err = f.public.Put(ctx, "receipts/secret", "text/plain", []byte("own"))
	require.NoError(t, err, "it replaces the link, not its target")
	body, _, err := f.public.Get(ctx, "receipts/secret")
	require.NoError(t, err)
	assert.Equal(t, "own", string(body))
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(f.dir, "shop", "=tmp", "link")))
	require.NoError(t, f.public.Prepare(ctx))
	assert.Equal(t, before, contents(t, outside))

	require.NoError(t, os.RemoveAll(filepath.Join(f.dir, "shop")))
	require.NoError(t, os.Mkdir(filepath.Join(outside, "receipts"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "receipts", "a@"), object, 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(f.dir, "shop")))
	_, _, err = f.public.Get(ctx, "receipts/a")
	require.Error(t, err, "the bucket is a link")
	require.Error(t, f.public.Prepare(ctx))
}

// contents returns the files of a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(content)
		return err
	}))
	return files
}

// Readers of a key that several processes write and delete get whole objects or none.
func TestConcurrentWritesOfAKey(t *testing.T) {
	t.Parallel()
	ctx, f := t.Context(), newFolder(t, nil)
	var group sync.WaitGroup
	for process := range 4 {
		objects := f.open(t, "shop")
		group.Go(func() {
			for i := range 40 {
				content := strings.Repeat(string(rune('a'+process)), 1+i*1000)
				_, err := objects.Put(ctx, "d/e/a", "text/"+content[:1], []byte(content))
				assert.NoError(t, err)
				if i%4 == 3 {
					assert.NoError(t, objects.Delete(ctx, "d/e/a"))
				}
			}
		})
		group.Go(func() {
			for range 80 {
				checkWhole(ctx, t, objects)
				_, err := objects.Keys(ctx, "d/")
				assert.NoError(t, err)
				assert.NoError(t, objects.Prepare(ctx), "as a process that starts")
			}
		})
	}
	group.Wait()
	assert.Empty(t, f.leftovers(t))
}

// leftovers lists the temporary files.
func (f *folder) leftovers(t *testing.T) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(f.dir, "*", "=tmp", "*"))
	require.NoError(t, err)
	return left
}

func checkWhole(ctx context.Context, t *testing.T, objects *storage.Objects) {
	t.Helper()
	body, contentType, err := objects.Get(ctx, "d/e/a")
	if errors.Is(err, storage.ErrObjectNotFound) {
		return
	}
	if assert.NoError(t, err) {
		letter := strings.TrimPrefix(contentType, "text/")
		assert.Equal(t, len(body), strings.Count(string(body), letter))
	}
}

// A put that the caller cancels stores nothing.
func TestACancelledPutStoresNothing(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	body := readerFunc(func(p []byte) (int, error) {
		cancel()
		return copy(p, "x"), nil
	})
	require.ErrorIs(t, f.private.PutFile(ctx, "exports/a", "", body, 100), context.Canceled)
	_, err := f.private.Put(ctx, "exports/a", "", nil)
	require.ErrorIs(t, err, context.Canceled)
	keys, err := f.private.Keys(t.Context(), "")
	require.NoError(t, err)
	assert.Empty(t, keys)
	assert.Empty(t, f.leftovers(t))
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// The folder is not readable by other users of the machine.
func TestAFolderIsClosedToOtherUsers(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	_, err := f.private.Put(t.Context(), "entities/1/2.pdf", "application/pdf", []byte("pdf"))
	require.NoError(t, err)
	require.NoError(t, fs.WalkDir(os.DirFS(f.dir), ".", func(name string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		if name != "." { // which was there
			assert.Zero(t, info.Mode().Perm()&0o077, name)
		}
		return nil
	}))
}

// Any key is refused, or is an object of its own within the bucket.
func FuzzFolderKey(f *testing.F) {
	for _, key := range []string{
		"a", "a/b", "../a", "..", "a@", "=tmp/a", ".owner", "%2e%2e/a", "%", "a%4", "ñ", "\x00", "a\\..", "a/../..", "A/b.",
		strings.Repeat("ñ", 100), "con", " ", "a\n", "~", "-rf", "*",
	} {
		f.Add(key)
	}
	dir := filepath.Join(f.TempDir(), "folder")
	beside := filepath.Join(filepath.Dir(dir), "beside")
	o := (&folder{dir: dir, base: "http://127.0.0.1", clock: nil}).options("shop")
	objects, err := storage.OpenObjects(f.Context(), o)
	require.NoError(f, err)
	require.NoError(f, os.WriteFile(beside, []byte("beside"), 0o600))
	f.Fuzz(func(t *testing.T, key string) {
		ctx := t.Context()
		_, err := objects.Put(ctx, key, "text/plain", []byte(key))
		if err != nil {
			require.ErrorIs(t, err, storage.ErrObjectKey)
			return
		}
		body, _, err := objects.Get(ctx, key)
		require.NoError(t, err)
		require.Equal(t, key, string(body))
		keys, err := objects.Keys(ctx, key)
		require.NoError(t, err)
		require.Equal(t, []string{key}, keys)
		outside, err := os.ReadDir(filepath.Dir(dir))
		require.NoError(t, err)
		require.Equal(t, "[- beside d folder/]", strings.ReplaceAll(fmt.Sprint(outside), "  ", " "))
		require.NoError(t, objects.Delete(ctx, key))
		keys, err = objects.Keys(ctx, "")
		require.NoError(t, err)
		require.Empty(t, keys)
	})
}
