package storage_test

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/embedded"
	"banca/internal/dev/testkit"
	"banca/storage"
)

// A process warns of a server whose lock table is too small for statements over all months, and of no other.
func TestASmallLockTableIsTold(t *testing.T) {
	t.Parallel()
	testkit.New(t) // or the servers are missing
	server, err := embedded.StartPostgres(t.Context(), embedded.PostgresOptions{
		Dir: filepath.Join(testkit.Dir(t), "postgres"), NoFsync: true,
		Settings: []string{"max_locks_per_transaction=64"},
	})
	require.NoError(t, err)
	defer func() { assert.NoError(t, server.Stop(t.Context())) }()
	for url, warned := range map[string]bool{server.URL(): true, testkit.New(t).PostgresURL: false} {
		var log bytes.Buffer
		pg, err := storage.OpenPostgres(t.Context(), storage.PostgresOptions{URL: url,
			Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		require.NoError(t, pg.Close())
		assert.Equal(t, warned, bytes.Contains(log.Bytes(), []byte("max_locks_per_transaction")), log.String())
	}
}
