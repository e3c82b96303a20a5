package storage_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"banca/internal/dev/testkit"
	"banca/storage"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

func TestPoolAndGormShareTheDatabase(t *testing.T) {
	t.Parallel()
	ctx, env := t.Context(), testkit.New(t)
	_, err := env.PG.Pool.Exec(ctx, `CREATE TABLE things (id int PRIMARY KEY, name text)`)
	require.NoError(t, err)
	type thing struct {
		ID   int
		Name string
	}
	require.NoError(t, env.PG.Gorm.WithContext(ctx).Create(&thing{ID: 1, Name: "one"}).Error)
	err = env.PG.Gorm.WithContext(ctx).Create(&thing{ID: 1, Name: "again"}).Error
	require.ErrorIs(t, err, gorm.ErrDuplicatedKey, "driver errors are translated")
	var name string
	require.NoError(t, env.PG.Pool.QueryRow(ctx, `SELECT name FROM things WHERE id = 1`).Scan(&name))
	assert.Equal(t, "one", name)
	require.NoError(t, env.PG.Ping(ctx))
}

func TestInTx(t *testing.T) {
	t.Parallel()
	ctx, env := t.Context(), testkit.New(t)
	_, err := env.PG.Pool.Exec(ctx, `CREATE TABLE things (id int)`)
	require.NoError(t, err)
	insert := func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO things VALUES (1)`)
		return err
	}
	count := func() (n int) {
		require.NoError(t, env.PG.Pool.QueryRow(ctx, `SELECT count(*) FROM things`).Scan(&n))
		return n
	}

	refusal := errors.New("refused")
	err = env.PG.InTx(ctx, func(tx pgx.Tx) error { return errors.Join(insert(tx), refusal) })
	require.ErrorIs(t, err, refusal)
	assert.Zero(t, count(), "an error rolls back")

	assert.Panics(t, func() {
		_ = env.PG.InTx(ctx, func(tx pgx.Tx) error { require.NoError(t, insert(tx)); panic("bug") })
	})
	assert.Zero(t, count(), "a panic rolls back")

	require.NoError(t, env.PG.InTx(ctx, insert))
	assert.Equal(t, 1, count())
}

func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	ctx, env := t.Context(), testkit.New(t)
	for setting, want := range map[string]string{
		"statement_timeout":                   "30s",
		"idle_in_transaction_session_timeout": "1min",
		"application_name":                    "banca",
		"TimeZone":                            "UTC",
	} {
		var got string
		require.NoError(t, env.PG.Pool.QueryRow(ctx, `SELECT current_setting($1)`, setting).Scan(&got))
		assert.Equal(t, want, got, setting)
	}

	db, err := storage.OpenPostgres(ctx, storage.PostgresOptions{URL: env.PostgresURL + "&statement_timeout=50"})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.Pool.Exec(ctx, `SELECT pg_sleep(5)`)
	assert.ErrorContains(t, err, "statement timeout", "the address wins over the default")
}

// What docs/operations.md promises of the connections for committing, and of no others.
func TestCommitsArePlannedOnce(t *testing.T) {
	t.Parallel()
	ctx, env := t.Context(), testkit.New(t)
	const settings = `SELECT concat_ws('/', current_setting('plan_cache_mode'), current_setting('enable_seqscan'),
		current_setting('enable_bitmapscan'), current_setting('max_parallel_workers_per_gather'), current_setting('statement_timeout'))`
	require.NoError(t, env.PG.InTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, storage.FixPlans()); err != nil {
			return err
		}
		var got string
		err := tx.QueryRow(ctx, settings).Scan(&got)
		require.Equal(t, "force_generic_plan/off/off/0/30s", got, "of a transaction that asks for them")
		return err
	}))
	for pool, want := range map[*pgxpool.Pool]string{
		env.PG.Commits: "force_generic_plan/off/off/0/30s", env.PG.Pool: "force_custom_plan/on/on/0/30s",
	} {
		var got string
		require.NoError(t, pool.QueryRow(ctx, settings).Scan(&got))
		assert.Equal(t, want, got)
	}
}

func TestSlowStatementsAreLoggedWithoutValues(t *testing.T) {
	t.Parallel()
	ctx, env := t.Context(), testkit.New(t)
	var out bytes.Buffer
	db, err := storage.OpenPostgres(ctx, storage.PostgresOptions{
		URL: env.PostgresURL, MaxConns: 1, Logger: slog.New(slog.NewTextHandler(&out, nil)),
	})
	require.NoError(t, err)

	var got string
	require.NoError(t, db.Pool.QueryRow(ctx, `SELECT $1::text`, "quick").Scan(&got))
	require.NoError(t, db.Gorm.WithContext(ctx).Raw(`SELECT ?::text FROM pg_sleep(0.25)`, "V12345678").Scan(&got).Error)
	batch := &pgx.Batch{}
	batch.Queue(`SELECT pg_sleep(0.25), $1::text`, "V12345678")
	require.NoError(t, db.Pool.SendBatch(ctx, batch).Close())
	require.NoError(t, db.Close())

	assert.Equal(t, 2, bytes.Count(out.Bytes(), []byte("pg_sleep")), "and on a busy machine perhaps others")
	assert.Contains(t, out.String(), "slow statement")
	assert.Contains(t, out.String(), "batch: SELECT pg_sleep")
	assert.NotContains(t, out.String(), "V12345678")
}

func TestOpenPostgresHidesThePassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://u:s3cret@127.0.0.1:1/db?connect_timeout=1", "postgres://u:s3cret@:bad/db"} {
		_, err := storage.OpenPostgres(t.Context(), storage.PostgresOptions{URL: url})
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "s3cret")
	}
}

// A migration that bounds its wait for a lock is tried until its holder has ended.
func TestMigrateWaitsForALockInParts(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	files := fstest.MapFS{
		"9000_table.sql": {Data: []byte("-- +goose Up\nCREATE TABLE held (id integer);\n")},
		"9001_lock.sql":  {Data: []byte("-- +goose Up\nSET LOCAL lock_timeout = '50ms';\nALTER TABLE held ADD COLUMN more integer;\n")},
	}
	_, err := env.PG.Pool.Exec(t.Context(), `DROP TABLE goose_db_version`)
	require.NoError(t, err)
	_, err = storage.MigrateFiles(t.Context(), env.PostgresURL, fstest.MapFS{"9000_table.sql": files["9000_table.sql"]})
	require.NoError(t, err)
	reader, err := env.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = reader.Exec(t.Context(), `SELECT FROM held`)
	require.NoError(t, err)
	type migrated struct {
		applied []int64
		err     error
	}
	done := make(chan migrated, 1)
	go func() {
		applied, err := storage.MigrateFiles(t.Context(), env.PostgresURL, files)
		done <- migrated{applied, err}
	}()
	select {
	case m := <-done:
		require.Fail(t, "it did not wait", "%v", m)
	case <-time.After(time.Second):
	}
	require.NoError(t, reader.Rollback(t.Context()))
	m := <-done
	require.NoError(t, m.err)
	assert.Equal(t, []int64{9001}, m.applied)
}

func TestMigrateIsDoneOnceByManyProcesses(t *testing.T) {
	t.Parallel()
	ctx, env := t.Context(), testkit.New(t)
	files := fstest.MapFS{
		"90001_a.sql": {Data: []byte("-- +goose Up\nCREATE TABLE migrated_a (id int);")},
		"90002_b.sql": {Data: []byte("-- +goose Up\nCREATE TABLE migrated_b (id int);")},
	}
	_, err := env.PG.Pool.Exec(ctx, `DROP TABLE goose_db_version`)
	require.NoError(t, err)
	type result struct {
		applied []int64
		err     error
	}
	results := make(chan result, 4)
	for range cap(results) {
		go func() {
			applied, err := storage.MigrateFiles(context.WithoutCancel(ctx), env.PostgresURL, files)
			results <- result{applied, err}
		}()
	}
	var applied []int64
	for range cap(results) {
		r := <-results
		require.NoError(t, r.err)
		applied = append(applied, r.applied...)
	}
	assert.ElementsMatch(t, []int64{90001, 90002}, applied)
}
