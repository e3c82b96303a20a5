package storage_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/testkit"
	"banca/models/migrations"
)

// Every migration with a down part can be reverted, the newest first.
func TestMigrationsAreTakenBack(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	names, err := fs.Glob(migrations.FS, "*.sql")
	require.NoError(t, err)
	for _, name := range slices.Backward(names) {
		raw, err := migrations.FS.ReadFile(name)
		require.NoError(t, err)
		_, down, found := strings.Cut(string(raw), "-- +goose Down")
		require.True(t, found, name)
		_, err = env.PG.Pool.Exec(t.Context(), down)
		require.NoError(t, err, name)
	}
}
