package testkit_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
)

// Tests of one template begin with its rows, which are written once, and are isolated from each other.
func TestTemplateOfRows(t *testing.T) {
	t.Parallel()
	filled := 0
	template := testkit.NewTemplate(func(ctx context.Context, pg *storage.Postgres) error {
		filled++
		_, err := pg.Pool.Exec(ctx, `CREATE TABLE filled AS SELECT 1 AS id`)
		return err
	})
	for range 3 {
		var rows int
		require.NoError(t, template.New(t).PG.Pool.QueryRow(t.Context(), `WITH added AS (INSERT INTO filled VALUES (2)) SELECT count(*) FROM filled`).Scan(&rows))
		assert.Equal(t, 1, rows)
	}
	assert.Equal(t, 1, filled)
	var exists bool
	require.NoError(t, testkit.New(t).PG.Pool.QueryRow(t.Context(), `SELECT to_regclass('filled') IS NOT NULL`).Scan(&exists))
	assert.False(t, exists, "other tests have the migrated database")
}
