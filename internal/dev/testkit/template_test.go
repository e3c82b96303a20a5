package testkit

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/embedded"
	"banca/models/migrations"
	"banca/storage"
)

// A template is made once, holds every migration, and remains as it was when servers run on copies of it.
func TestTemplateIsMadeOnce(t *testing.T) {
	t.Parallel()
	key, err := templateKey()
	if errors.Is(err, embedded.ErrPostgresMissing) {
		unavailable(t, err)
	}
	require.NoError(t, err)
	cache := t.TempDir()
	lock, err := os.Create(filepath.Join(cache, "lock"))
	require.NoError(t, err)
	defer func() { require.NoError(t, lock.Close()) }()
	cluster := filepath.Join(cache, key)
	require.NoError(t, ensureTemplate(t.Context(), lock, cluster))
	made, err := os.Stat(filepath.Join(cluster, "PG_VERSION"))
	require.NoError(t, err)

	var versions []int64
	for range 2 {
		require.NoError(t, ensureTemplate(t.Context(), lock, cluster))
		server, err := embedded.StartPostgres(t.Context(), embedded.PostgresOptions{
			Dir: filepath.Join(Dir(t), "postgres"), Template: cluster, NoFsync: true, SharedBuffersMB: sharedBuffers, MaxWALSizeMB: maxWALSize,
		})
		require.NoError(t, err)
		applied, err := storage.Migrate(t.Context(), server.URL())
		require.NoError(t, err)
		assert.Empty(t, applied)
		versions = append(versions, migratedTo(t, server.URL()))
		require.NoError(t, server.Stop(t.Context()))
	}
	files, err := migrations.FS.ReadDir(".")
	require.NoError(t, err)
	assert.Equal(t, []int64{int64(len(files)), int64(len(files))}, versions, "a change in one copy is not in the next")
	again, err := os.Stat(filepath.Join(cluster, "PG_VERSION"))
	require.NoError(t, err)
	assert.True(t, os.SameFile(made, again))
}

// migratedTo counts the migrations of a database and removes their record.
func migratedTo(t *testing.T, url string) (n int64) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	require.NoError(t, conn.QueryRow(t.Context(), `WITH d AS (DELETE FROM goose_db_version WHERE version_id > 0 RETURNING 1) SELECT count(*) FROM d`).Scan(&n))
	return n
}

// A directory that a killed process left is not taken for a template, and templates without a recent use are removed.
func TestUnusedTemplatesAreRemoved(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{"used": time.Hour, "unused": 2 * templateKept, "killed.half": 2 * templateKept} {
		dir := filepath.Join(cache, name)
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.Chtimes(dir, now.Add(-age), now.Add(-age)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(cache, "lock"), nil, 0o600))
	require.NoError(t, os.Chtimes(filepath.Join(cache, "lock"), time.Time{}, now.Add(-2*templateKept)))
	require.NoError(t, removeUnused(filepath.Join(cache, "*"), now.Add(-templateKept)))
	entries, err := os.ReadDir(cache)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	assert.Equal(t, "lock", entries[0].Name(), "the lock of all processes stays")
	assert.Equal(t, "used", entries[1].Name())
}

// A process waits while another one creates the template.
func TestTemplateIsAwaited(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	path := filepath.Join(cache, "lock")
	maker, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, flock(maker, syscall.LOCK_EX))
	waiter, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, waiter.Close()) }()
	cluster, done := filepath.Join(cache, "cluster"), make(chan error, 1)
	go func() { done <- ensureTemplate(t.Context(), waiter, cluster) }()
	select {
	case err := <-done:
		t.Fatal("did not wait", err)
	case <-time.After(50 * time.Millisecond):
	}
	require.NoError(t, os.Mkdir(cluster, 0o700))
	require.NoError(t, maker.Close())
	require.NoError(t, <-done)
	entries, err := os.ReadDir(cluster)
	require.NoError(t, err)
	assert.Empty(t, entries, "the template of the other process is used")
}
