package storage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// steps is a disk that calls a function before each step of a write, which may fail the step.
type steps struct {
	osDisk

	before func(step string) error
}

func (s steps) create(root *os.Root, name string) (diskFile, error) {
	if err := s.before("create"); err != nil {
		return nil, err
	}
	f, err := s.osDisk.create(root, name)
	if err != nil {
		return nil, err
	}
	return stepsFile{f, s.before}, nil
}

func (s steps) rename(root *os.Root, from, to string) error {
	if err := s.before("rename"); err != nil {
		return err
	}
	return s.osDisk.rename(root, from, to)
}

func (s steps) sync(root *os.Root, dir string) error {
	if err := s.before("sync " + dir); err != nil {
		return err
	}
	return s.osDisk.sync(root, dir)
}

// stepsFile writes the first half before the step, as a disk that fills.
type stepsFile struct {
	diskFile

	before func(step string) error
}

func (f stepsFile) Write(p []byte) (int, error) {
	half := len(p) / 2
	if n, err := f.diskFile.Write(p[:half]); err != nil {
		return n, err
	}
	if err := f.before("write"); err != nil {
		return half, err
	}
	n, err := f.diskFile.Write(p[half:])
	return half + n, err
}

func (f stepsFile) WriteAt(p []byte, offset int64) (int, error) {
	half := len(p) / 2
	if n, err := f.diskFile.WriteAt(p[:half], offset); err != nil {
		return n, err
	}
	if err := f.before("write header"); err != nil {
		return half, err
	}
	n, err := f.diskFile.WriteAt(p[half:], offset+int64(half))
	return half + n, err
}

func (f stepsFile) Sync() error {
	if err := f.before("sync file"); err != nil {
		return err
	}
	return f.diskFile.Sync()
}

func (f stepsFile) Close() error {
	return errors.Join(f.before("close"), f.diskFile.Close())
}

// openTestFolder opens a bucket of a folder whose writes pass a function.
func openTestFolder(t *testing.T, dir string, before func(step string) error) *Objects {
	t.Helper()
	objects, err := OpenObjects(t.Context(), ObjectsOptions{
		Dir: dir, Bucket: "shop", PublicURL: "http://127.0.0.1", Secret: make([]byte, 32), Owner: "one",
	})
	require.NoError(t, err)
	if bucket, ok := objects.backend.(*folderBucket); ok && before != nil {
		bucket.disk = steps{before: before}
	}
	return objects
}

func checkNoLeftovers(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*", "=tmp", "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// writeSteps are the steps of a put into a new directory, in their order: the file is on the disk before it has its
// name.
func writeSteps() []string {
	return []string{
		"create", "write", "write", "write header", "sync file", "rename", "sync .", "sync d", "rename", "sync d/e", "close",
	}
}

// A crash before any step of a put leaves the earlier object or the new one. The next start removes the rest.
func TestACrashLeavesWholeObjects(t *testing.T) {
	t.Parallel()
	for _, earlier := range []string{"", "text/old old"} {
		dir := filepath.Join(t.TempDir(), "folder")
		var taken []string
		var images []string
		objects := openTestFolder(t, dir, func(step string) error {
			image := fmt.Sprintf("%s-%d", dir, len(images)) // the folder as a crash leaves it
			taken, images = append(taken, step), append(images, image)
			return os.CopyFS(image, os.DirFS(dir))
		})
		if earlier != "" {
			_, err := openTestFolder(t, dir, nil).Put(t.Context(), "d/e/a", "text/old", []byte("old"))
			require.NoError(t, err)
		}
		_, err := objects.Put(t.Context(), "d/e/a", "text/new", []byte("newer"))
		require.NoError(t, err)
		want := writeSteps()
		if earlier != "" { // its directories are there
			want = slices.Delete(want, 6, 9)
		}
		require.Equal(t, want, taken)
		renamed := len(taken) - 1 - slices.Index(reversed(taken), "rename")
		for i, image := range images {
			name := fmt.Sprintf("before step %d, %s", i, taken[i])
			found := contentOf(t, openTestFolder(t, image, nil))
			if i > renamed {
				assert.Equal(t, "text/new newer", found, name)
			} else {
				assert.Equal(t, earlier, found, name)
			}
			checkNoLeftovers(t, image)
		}
	}
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// contentOf returns the content type and the content of an object, or nothing without it.
func contentOf(t *testing.T, objects *Objects) string {
	t.Helper()
	body, contentType, err := objects.Get(t.Context(), "d/e/a")
	if errors.Is(err, ErrObjectNotFound) {
		return ""
	}
	require.NoError(t, err)
	return contentType + " " + string(body)
}

// A full or failing disk leaves the earlier object, nothing half done, and an error that names the cause.
func TestAFullDiskLeavesTheEarlierObject(t *testing.T) {
	t.Parallel()
	for i, step := range writeSteps() {
		dir := t.TempDir()
		passed := 0
		broken := openTestFolder(t, dir, func(string) error {
			if passed++; passed == i+1 {
				return syscall.ENOSPC
			}
			return nil
		})
		name := fmt.Sprintf("step %d, %s", i, step)
		_, err := broken.Put(t.Context(), "d/e/a", "text/new", []byte("newer"))
		require.ErrorIs(t, err, syscall.ENOSPC, name)
		checkNoLeftovers(t, dir)
		whole := openTestFolder(t, dir, nil)
		if step == "close" || step == "sync d/e" { // the new object is in its place
			assert.Equal(t, "text/new newer", contentOf(t, whole), name)
		} else {
			assert.Empty(t, contentOf(t, whole), name)
		}

		_, err = whole.Put(t.Context(), "d/e/a", "text/old", []byte("old"))
		require.NoError(t, err)
		passed = 0
		_, err = broken.Put(t.Context(), "d/e/a", "text/new", []byte("newer"))
		if i < len(writeSteps())-3 { // this put makes no directories
			require.ErrorIs(t, err, syscall.ENOSPC, name)
		}
		assert.Contains(t, []string{"text/old old", "text/new newer"}, contentOf(t, whole), name)
		checkNoLeftovers(t, dir)
		_, err = whole.Put(t.Context(), "d/e/a", "text/last", []byte("last"))
		require.NoError(t, err, "when there is room again")
		assert.Equal(t, "text/last last", contentOf(t, whole))
	}
}

// A start removes the temporary files of ended processes, and leaves those in writing.
func TestAStartLeavesFilesInWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	started := 0
	objects := openTestFolder(t, dir, func(step string) error {
		left, err := filepath.Glob(filepath.Join(dir, "shop", "=tmp", "*"))
		if err != nil || step == "create" {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "shop", "=tmp", "ended"), []byte("x"), 0o600); err != nil {
			return err
		}
		openTestFolder(t, dir, nil) // another process starts
		after, err := filepath.Glob(filepath.Join(dir, "shop", "=tmp", "*"))
		assert.Equal(t, left, after, step)
		started++
		return err
	})
	_, err := objects.Put(t.Context(), "d/e/a", "text/new", []byte("newer"))
	require.NoError(t, err)
	assert.Equal(t, len(writeSteps())-1, started)
	assert.Equal(t, "text/new newer", contentOf(t, objects))
	checkNoLeftovers(t, dir)
}
