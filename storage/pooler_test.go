package storage_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
)

// Behind PgBouncer in transaction mode, with three sessions for all, statements with parameters, batches that begin and
// commit, COPY, temporary tables, advisory locks of a transaction, gorm and snapshots work for many at once.
func TestTransactionsBehindAPooler(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	bouncer := testkit.StartPgBouncer(t, env, 3)
	pg, err := storage.OpenPostgres(t.Context(), storage.PostgresOptions{URL: bouncer.URL, Direct: env.PostgresURL, MaxConns: 24})
	require.NoError(t, err)
	defer func() { require.NoError(t, pg.Close()) }()
	_, err = pg.Pool.Exec(t.Context(), `CREATE TABLE pooled (id uuid PRIMARY KEY, n bigint NOT NULL, tags text[])`)
	require.NoError(t, err)

	var running sync.WaitGroup
	for worker := range 12 {
		running.Go(func() {
			for round := range 10 {
				if err := useAll(t.Context(), pg, worker, round); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	var rows int
	require.NoError(t, pg.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pooled`).Scan(&rows))
	require.Equal(t, 12*10*2, rows)
}

// useAll uses what the platform uses of Postgres; the text of a statement differs by worker and round.
func useAll(ctx context.Context, pg *storage.Postgres, worker, round int) error {
	conn, err := pg.Commits.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	b := &pgx.Batch{}
	b.Queue("begin")
	b.Queue(storage.FixPlans())
	b.Queue(storage.ShareDrawsSQL, storage.DrawLocks([]uuid.UUID{uuid.Must(uuid.NewV7())}))
	b.Queue(`INSERT INTO pooled (id, n, tags) SELECT * FROM unnest($1::uuid[], $2::bigint[]), (SELECT ARRAY['a', 'b']) t`,
		storage.UUIDs{uuid.Must(uuid.NewV7())}, []int64{int64(worker)})
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	b = &pgx.Batch{}
	b.Queue(fmt.Sprintf(`UPDATE pooled SET n = $1 + %d WHERE n = -1`, round), worker)
	b.Queue("commit")
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	err = pg.InTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `CREATE TEMPORARY TABLE own (n bigint) ON COMMIT DROP; INSERT INTO own VALUES (1)`); err != nil {
			return err
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"pooled"}, []string{"id", "n", "tags"}, pgx.CopyFromRows([][]any{{uuid.Must(uuid.NewV7()), worker, []string{"c"}}}))
		return err
	})
	if err != nil {
		return fmt.Errorf("transaction: %w", err)
	}
	var n, sum int64
	if err := pg.Gorm.WithContext(ctx).Raw(`SELECT count(*) FROM pooled WHERE n = ?`, worker).Scan(&n).Error; err != nil {
		return fmt.Errorf("gorm: %w", err)
	}
	return pg.Snapshot(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, fmt.Sprintf(`SELECT coalesce(sum(n), 0)::bigint FROM pooled WHERE n >= $1 AND %d = %[1]d`, round), worker).Scan(&sum)
	})
}

// A session of its own is Postgres's: LISTEN, locks and settings outlive a transaction there.
func TestSessionsGoAroundAPooler(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	bouncer := testkit.StartPgBouncer(t, env, 2)
	pg, err := storage.OpenPostgres(t.Context(), storage.PostgresOptions{URL: bouncer.URL, Direct: env.PostgresURL})
	require.NoError(t, err)
	defer func() { require.NoError(t, pg.Close()) }()
	own, err := pgx.ConnectConfig(t.Context(), pg.SessionConfig())
	require.NoError(t, err)
	defer func() { require.NoError(t, own.Close(context.WithoutCancel(t.Context()))) }()
	_, err = own.Exec(t.Context(), `LISTEN pooled`)
	require.NoError(t, err)
	_, err = pg.Pool.Exec(t.Context(), `SELECT pg_notify($1, '')`, "pooled")
	require.NoError(t, err)
	_, err = own.WaitForNotification(t.Context())
	require.NoError(t, err)
	var timeout string
	require.NoError(t, own.QueryRow(t.Context(), `SHOW statement_timeout`).Scan(&timeout))
	require.Equal(t, "30s", timeout)
}

// A pooler whose sessions lack the bounds of statements is refused, with the statements that set them.
func TestAPoolerWithoutSettingsIsRefused(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	bouncer := testkit.StartPgBouncer(t, env, 1)
	config, err := pgx.ParseConfig(env.PostgresURL)
	require.NoError(t, err)
	for _, name := range []string{"statement_timeout", "jit"} {
		_, err := env.PG.Pool.Exec(t.Context(), "ALTER DATABASE "+config.Database+" RESET "+name)
		require.NoError(t, err)
	}
	bouncer.Kill()
	bouncer.Start()
	require.Eventually(t, func() bool {
		_, err = storage.OpenPostgres(t.Context(), storage.PostgresOptions{URL: bouncer.URL, Direct: env.PostgresURL})
		require.Error(t, err)
		return strings.Contains(err.Error(), "ALTER ROLE")
	}, testkit.WaitTimeout, testkit.WaitTimeout/1000)
	require.ErrorContains(t, err, "SET statement_timeout = '30000'")
	require.ErrorContains(t, err, "SET jit = 'off'")
	require.NotContains(t, err.Error(), "plan_cache_mode")
}
