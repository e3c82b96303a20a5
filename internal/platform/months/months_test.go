package months_test

import (
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/months"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// monthAt is the first instant of a month after the current one, of UTC.
func monthAt(n int) time.Time {
	now := time.Now().UTC()
	return time.Date(now.Year(), now.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
}

// partitions returns the partitions of a table.
func partitions(t *testing.T, env *testkit.Env, table string) []string {
	t.Helper()
	rows, err := env.PG.Pool.Query(t.Context(), `SELECT relid::regclass::text FROM pg_partition_tree($1::text::regclass) WHERE isleaf ORDER BY 1`, table)
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return names
}

// sell inserts a ticket with a line, a sale and two postings whose ids are of an instant, and returns their partition.
func sell(t *testing.T, env *testkit.Env, at time.Time, serial string) (partition string) {
	t.Helper()
	tx, err := env.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	var id [16]byte
	require.NoError(t, tx.QueryRow(t.Context(), `SELECT (substr(first_id_at($1 AT TIME ZONE 'UTC')::text, 1, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid`, at).Scan(&id))
	for _, sql := range []string{
		`INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
			VALUES ($1, 1, gen_random_uuid(), gen_random_uuid(), 'straight', '5', 100, 30, 3000, 1, '{}')`,
		`INSERT INTO transactions (id, type, entity_id, currency_id, amount, ticket_id, reference, created_at)
			VALUES ($1, 'sale', gen_random_uuid(), gen_random_uuid(), 100, $1, '', now())`,
		`INSERT INTO postings (transaction_id, wallet_id, amount, direct) SELECT $1, id, CASE row_number() OVER () WHEN 1 THEN 100 ELSE -100 END, false FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 2)) w`,
	} {
		_, err := tx.Exec(t.Context(), sql, id)
		require.NoError(t, err)
	}
	require.NoError(t, tx.QueryRow(t.Context(), `INSERT INTO tickets (id, serial_code, entity_id, validation_code, user_id, status, wallet_id, total, currency_id, potential_prize, wants_payment_info, cancel_before, created_at, expires_at)
		VALUES ($1, $2, gen_random_uuid(), '000000', gen_random_uuid(), 'pending', gen_random_uuid(), 100, gen_random_uuid(), 100, false, now(), now(), now()) RETURNING tableoid::regclass::text`, id, serial).Scan(&partition))
	require.NoError(t, tx.Commit(t.Context()))
	return partition
}

// TestPartitionsOfMonths: a migrated database has the partitions of the months ahead, and rows of each month go into theirs.
func TestPartitionsOfMonths(t *testing.T) {
	t.Parallel()
	env := testkit.NewUndivided(t)
	s := &months.Service{PG: env.PG}
	made, err := s.Prepare(t.Context())
	require.NoError(t, err)
	assert.Zero(t, made, "the migration made them")
	state, err := s.State(t.Context(), env.PG.Pool)
	require.NoError(t, err)
	assert.False(t, state.Stray)
	assert.Equal(t, monthAt(months.Ahead+1), state.Until)
	for _, table := range []string{"tickets", "ticket_items", "transactions", "postings"} {
		assert.Contains(t, partitions(t, env, table), table+"_"+monthAt(months.Ahead).Format("200601"))
	}
	assert.Equal(t, "tickets_"+monthAt(2).Format("200601"), sell(t, env, monthAt(2), "A"))
	assert.Equal(t, "tickets_"+monthAt(2).Format("200601"), sell(t, env, monthAt(3).Add(-time.Millisecond), "B"))
	assert.Equal(t, "tickets_before_"+monthAt(2).Format("200601"), sell(t, env, monthAt(2).Add(-time.Millisecond), "C"))
}

// TestRowsOfAMonthWithoutAPartition: a sale in a month without a partition is kept, told, and moved when its partition is made;
// nothing is booked twice.
func TestRowsOfAMonthWithoutAPartition(t *testing.T) {
	t.Parallel()
	env := testkit.NewUndivided(t)
	far, s := monthAt(months.Ahead+1), &months.Service{PG: env.PG}
	assert.Equal(t, "tickets_default", sell(t, env, far, "A"))
	state, err := s.State(t.Context(), env.PG.Pool)
	require.NoError(t, err)
	assert.True(t, state.Stray)
	var made, rows, pending int
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT monthly_prepare($1)`, months.Ahead+1).Scan(&made))
	assert.Equal(t, 4, made)
	state, err = s.State(t.Context(), env.PG.Pool)
	require.NoError(t, err)
	assert.Equal(t, months.State{Until: monthAt(months.Ahead + 2)}, state)
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM tickets) + (SELECT count(*) FROM ticket_items) + (SELECT count(*) FROM transactions) + (SELECT count(*) FROM postings),
		(SELECT count(*) FROM pending_balances)`).Scan(&rows, &pending))
	assert.Equal(t, 5, rows)
	assert.Equal(t, 2, pending, "moved rows are not filed again")
}

// TestPartitionsAreReachedThroughTheirTables: the guards of the ledger hold for its partitions.
func TestPartitionsAreReachedThroughTheirTables(t *testing.T) {
	t.Parallel()
	env := testkit.NewUndivided(t)
	sell(t, env, time.Now(), "A")
	for _, table := range []string{"transactions", "postings"} {
		for _, partition := range partitions(t, env, table) {
			_, err := env.PG.Pool.Exec(t.Context(), "DELETE FROM "+partition)
			require.ErrorContains(t, err, "is not allowed", partition)
			_, err = env.PG.Pool.Exec(t.Context(), "TRUNCATE "+partition)
			require.ErrorContains(t, err, "is not allowed", partition)
		}
	}
}

// TestAReversalInAnotherMonth: a transaction is reversed once, whatever months the reversals belong to.
func TestAReversalInAnotherMonth(t *testing.T) {
	t.Parallel()
	env := testkit.NewUndivided(t)
	reverse := func(at time.Time) error {
		_, err := env.PG.Pool.Exec(t.Context(), `INSERT INTO transactions (id, type, entity_id, currency_id, amount, reverses_id, reference, created_at)
			VALUES ((substr(first_id_at($1 AT TIME ZONE 'UTC')::text, 1, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, 'sale', gen_random_uuid(), gen_random_uuid(), 100, '01900000-0000-7000-8000-000000000000', '', now())`, at)
		return err
	}
	require.NoError(t, reverse(time.Now()))
	require.ErrorContains(t, reverse(monthAt(2)), "transaction_reversals_pkey")
	require.ErrorContains(t, reverse(time.Now()), "SQLSTATE 23505")
}
