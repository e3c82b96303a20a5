package customers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/customers"
)

// Chains, cycles and merges across entities are found, and personal data that a deletion left.
func TestInvariantsFindWhatBreaksThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second, third := b.create(t, "Ana", numbered(1)), b.create(t, "Anita", numbered(2)), b.create(t, "Luis", numbered(3))
	_, err := b.Merge(t.Context(), b.admin, customers.Union{Kept: first.ID, Merged: second.ID})
	require.NoError(t, err)
	require.NoError(t, b.Delete(t.Context(), b.admin, third.ID))
	b.exec(t, `ALTER TABLE customers DROP CONSTRAINT customers_check, DROP CONSTRAINT customers_check1`)
	for name, tt := range map[string]struct {
		sql  string
		args []any
		want [2]int64
	}{
		"sound":               {sql: `SELECT 1`},
		"chain":               {`UPDATE customers SET merged_into = $2 WHERE id = $1`, []any{first.ID, third.ID}, [2]int64{1, 1}},
		"cycle":               {`UPDATE customers SET merged_into = $2 WHERE id = $1`, []any{first.ID, second.ID}, [2]int64{2, 0}},
		"itself":              {`UPDATE customers SET merged_into = id WHERE id = $1`, []any{first.ID}, [2]int64{2, 0}},
		"other entity":        {`UPDATE customers SET entity_id = $2 WHERE id = $1`, []any{second.ID, b.second.ID}, [2]int64{1, 0}},
		"name of a deleted":   {`UPDATE customers SET name = 'Luis' WHERE id = $1`, []any{third.ID}, [2]int64{0, 1}},
		"e-mail of a deleted": {`UPDATE customers SET email = 'a@b.c' WHERE id = $1`, []any{third.ID}, [2]int64{0, 1}},
		"merged into deleted": {`UPDATE customers SET deleted_at = now(), name = '', search_name = '', phone = NULL WHERE id = $1`, []any{first.ID}, [2]int64{0, 1}},
	} {
		tx, err := b.env.PG.Pool.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), tt.sql, tt.args...)
		require.NoError(t, err, name)
		for i, invariant := range customers.Invariants() {
			var broken int64
			require.NoError(t, tx.QueryRow(t.Context(), invariant.Query).Scan(&broken))
			require.Equal(t, tt.want[i], broken, "%s: %s", name, invariant.Name)
		}
		require.NoError(t, tx.Rollback(t.Context()))
	}
}
