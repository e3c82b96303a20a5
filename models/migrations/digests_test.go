package migrations_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/models/migrations"
)

// undivided is the last migration of release 0.3.0 before the tables of sales are divided.
const undivided = 62

// Rests of refunded tickets, whose ids are digests in release 0.3.0, do not stop the division by months: they get ids
// of their time.
func TestDigestsAreDividedByMonth(t *testing.T) {
	t.Parallel()
	env := testkit.NewUndivided(t)
	config, err := pgx.ParseConfig(env.PostgresURL)
	require.NoError(t, err)
	db := stdlib.OpenDB(*config)
	defer func() { require.NoError(t, db.Close()) }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithDisableGlobalRegistry(true))
	require.NoError(t, err)
	_, err = provider.DownTo(t.Context(), undivided)
	require.NoError(t, err)
	_, err = env.PG.Pool.Exec(t.Context(), `
		INSERT INTO transactions (id, type, entity_id, currency_id, amount, ticket_id, reverses_id, created_at)
			SELECT id, 'sale', gen_random_uuid(), '01900000-0000-7000-8000-0000000000c1'::uuid, amount,
			'01900000-0000-7000-8000-000000000001', reverses, '2026-11-20 10:00:00.0009Z' FROM (VALUES
				('01900000-0000-7000-8000-000000000001'::uuid, 100, NULL::uuid), ('e2edfc30-d800-5cff-8000-000000000002', 60, NULL), ('01900000-0000-7000-8000-000000000003', -60, 'e2edfc30-d800-5cff-8000-000000000002'),
				('00edfc30-d800-5cff-8000-000000000004', 30, NULL)) x (id, amount, reverses);
		INSERT INTO postings (transaction_id, wallet_id, amount, direct, created_at) SELECT id, w, CASE w WHEN
			'01900000-0000-7000-8000-00000000000a' THEN amount ELSE -amount END, false, created_at
			FROM transactions, (VALUES ('01900000-0000-7000-8000-00000000000a'::uuid),
				('01900000-0000-7000-8000-00000000000b')) x (w);
		INSERT INTO draw_refunds (draw_id, ticket_id, amount, transaction_id, created_at) VALUES
			(gen_random_uuid(), '01900000-0000-7000-8000-000000000001', 30, 'e2edfc30-d800-5cff-8000-000000000002', now())`)
	require.NoError(t, err)
	_, err = provider.Up(t.Context())
	require.NoError(t, err)
	var ids string
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT string_agg(t.id || ' ' || (SELECT count(*) FROM
		postings p WHERE p.transaction_id = t.id), ', ' ORDER BY t.id) FROM transactions t`).Scan(&ids))
	const dated = "01a1f866-0d00-7cff-8000-000000000002"
	require.Equal(t, "00edfc30-d800-5cff-8000-000000000004 2, 01900000-0000-7000-8000-000000000001 2, 01900000-0000-7000-8000-000000000003 2, "+dated+" 2", ids)
	for _, sql := range []string{
		`SELECT reverses_id::text FROM transactions WHERE reverses_id IS NOT NULL`, `SELECT reverses_id::text FROM
			transaction_reversals`, `SELECT transaction_id::text FROM draw_refunds`,
	} {
		var id string
		require.NoError(t, env.PG.Pool.QueryRow(t.Context(), sql).Scan(&id))
		require.Equal(t, dated, id, sql)
	}
	_, err = env.PG.Pool.Exec(t.Context(), `DELETE FROM postings`)
	require.ErrorContains(t, err, "is not allowed")
}
