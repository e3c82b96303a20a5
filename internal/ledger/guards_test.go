package ledger_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/money"
)

// Constraints and triggers of the database refuse unbalanced books, whatever the client.
func TestTheDatabaseRefusesUnbalancedPostings(t *testing.T) {
	t.Parallel()
	b := setup(t, 3)
	require.NoError(t, b.post(t.Context(), []int{1}, b.transfer(map[int]money.Amount{1: -5_00, 0: 3_00, 2: 2_00})))
	balances := b.balances(t)
	house, own := b.wallets[0], b.wallets[1]
	const posting = `INSERT INTO postings (transaction_id, wallet_id, amount, direct) VALUES `
	for _, tt := range []struct {
		sql  string
		args []any
	}{
		{`UPDATE transactions SET amount = 1`, nil},
		{`UPDATE transactions SET created_at = now() WHERE false`, nil},
		{`DELETE FROM transactions`, nil},
		{`TRUNCATE transactions`, nil},
		{`UPDATE postings SET amount = amount + 1`, nil},
		{`DELETE FROM postings`, nil},
		{`TRUNCATE postings`, nil},
		{posting + `(gen_random_uuid(), $1, 1, false)`, []any{own}},
		{posting + `(gen_random_uuid(), $1, 1, true), (gen_random_uuid(), $1, -1, true)`, []any{house}}, // zero in sum, but of two transactions
		{posting + `('00000000-0000-7000-8000-000000000001', $1, 5, true), ('00000000-0000-7000-8000-000000000001', $2, -4, true)`, []any{house, own}},
		{posting + `(gen_random_uuid(), $1, 0, false)`, []any{own}},
		{posting + `('00000000-0000-7000-8000-000000000001', $1, 100001, true), ('00000000-0000-7000-8000-000000000001', $2, -100001, true)`, []any{house, own}}, // beyond its credit
		{`UPDATE wallets SET balance = 1 WHERE id = $1`, []any{own}},
		{`UPDATE wallets SET balance = balance - 1, credit_limit = 100`, nil},
		{`INSERT INTO wallets (id, entity_id, currency_id, kind, balance) SELECT gen_random_uuid(), entity_id, currency_id, 'external', 1 FROM wallets LIMIT 1`, nil},
		{`DELETE FROM wallets`, nil},
		{`TRUNCATE wallets CASCADE`, nil},
		{`INSERT INTO pending_balances (wallet_id, amount) VALUES ($1, 1)`, []any{own}},
		{`UPDATE pending_balances SET amount = 0`, nil},
		{`TRUNCATE pending_balances`, nil},
	} {
		_, err := b.pg.Pool.Exec(t.Context(), tt.sql, tt.args...)
		var refused *pgconn.PgError
		require.ErrorAs(t, err, &refused, tt.sql)
		require.Equal(t, "23", refused.Code[:2], "%s: an integrity error, not %s", tt.sql, refused.Message)
		require.Equal(t, balances, b.balances(t), tt.sql)
	}
	b.requireSound(t)
	b.exec(t, `UPDATE wallets SET credit_limit = 5, status = 'inactive'`) // columns that a balance does not depend on may change
	b.exec(t, `DELETE FROM pending_balances`)                             // deleting is folding: no balance is lost
	require.Equal(t, balances, b.balances(t))
	b.requireSound(t)
}

func TestAReversalHappensOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, 2)
	sale := b.transfer(map[int]money.Amount{1: -5_00, 0: 5_00})
	require.NoError(t, b.post(t.Context(), []int{1}, sale))
	first, second := sale.Reverse(b.entity, sale.At), sale.Reverse(b.entity, sale.At)
	require.NoError(t, b.post(t.Context(), []int{1}, first))
	require.Error(t, b.post(t.Context(), []int{1}, second))
	require.Equal(t, []money.Amount{0, 0}, b.balances(t))
	b.requireSound(t)
}
