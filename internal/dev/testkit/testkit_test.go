package testkit_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// Each of these tests leaves the same traces and fails if it finds any: they run side by side and, with
// -count, one after the other.
func TestEnvironmentsAreSeparateA(t *testing.T) { t.Parallel(); leaveTraces(t) }
func TestEnvironmentsAreSeparateB(t *testing.T) { t.Parallel(); leaveTraces(t) }
func TestEnvironmentsAreSeparateC(t *testing.T) { t.Parallel(); leaveTraces(t) }

func leaveTraces(t *testing.T) {
	t.Helper()
	ctx, env := t.Context(), testkit.New(t)
	_, err := env.PG.Pool.Exec(ctx, `CREATE TABLE trace (id int)`)
	require.NoError(t, err)
	set, err := env.Redis.SetNX(ctx, "trace", "1", 0).Result()
	require.NoError(t, err)
	assert.True(t, set, "the Redis database was empty")
	_, _, err = env.Objects.Get(ctx, "public/trace")
	require.ErrorIs(t, err, storage.ErrObjectNotFound)
	_, err = env.Objects.Put(ctx, "public/trace", "", []byte("1"))
	require.NoError(t, err)
	env.Log.Info("left traces")
}

func TestTheDatabaseIsMigrated(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	applied, err := storage.Migrate(t.Context(), env.PostgresURL)
	require.NoError(t, err)
	assert.Empty(t, applied)
	var version int
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT max(version_id) FROM goose_db_version`).Scan(&version))
	assert.Positive(t, version)
}

func TestLoggingAfterTheEndIsHarmless(t *testing.T) {
	var env *testkit.Env
	t.Run("inner", func(t *testing.T) { env = testkit.New(t) })
	env.Log.Info("too late")
}

func TestFaultyRedis(t *testing.T) {
	t.Parallel()
	ctx, server := t.Context(), testkit.StartRedis(t)
	client, err := storage.OpenRedis(ctx, server.URL())
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	require.NoError(t, client.Set(ctx, "kept", "1", 0).Err())

	server.Stop()
	require.Error(t, client.Ping(ctx).Err())
	server.Start()
	assert.Equal(t, "1", client.Get(ctx, "kept").Val())

	server.Pause()
	assertHangs(t, func(ctx context.Context) error { return client.Ping(ctx).Err() })
	server.Resume()
	require.NoError(t, client.Ping(ctx).Err())

	server.Kill()
	require.Error(t, client.Ping(ctx).Err())
	server.Start()
	require.NoError(t, client.Ping(ctx).Err())
	require.ErrorIs(t, client.Get(ctx, "never written").Err(), redis.Nil)
}

func TestFaultyPostgres(t *testing.T) {
	t.Parallel()
	ctx, server := t.Context(), testkit.StartPostgres(t)
	db := server.Open(t, nil)
	_, err := db.Pool.Exec(ctx, `CREATE TABLE kept AS SELECT 1 AS id`)
	require.NoError(t, err)

	server.Pause()
	assertHangs(t, db.Ping)
	server.Resume()
	require.NoError(t, db.Ping(ctx))

	for _, take := range []func(){server.Stop, server.Kill} {
		take()
		require.Error(t, db.Ping(ctx))
		server.Start()
		var id int
		require.NoError(t, db.Pool.QueryRow(ctx, `SELECT id FROM kept`).Scan(&id))
	}
}

func TestKillEndsSessionsWithoutACommit(t *testing.T) {
	t.Parallel()
	ctx, server := t.Context(), testkit.StartPostgres(t)
	conn, err := pgx.Connect(ctx, server.URL())
	require.NoError(t, err)
	tx, err := conn.Begin(ctx)
	require.NoError(t, err)
	_, err = tx.Exec(ctx, `CREATE TABLE lost (id int)`)
	require.NoError(t, err)
	server.Kill()
	require.Error(t, tx.Commit(ctx))
	server.Start()
	var exists bool
	require.NoError(t, server.Open(t, nil).Pool.QueryRow(ctx, `SELECT to_regclass('lost') IS NOT NULL`).Scan(&exists))
	assert.False(t, exists)
}

func TestASecondServerCanBePaused(t *testing.T) {
	t.Parallel()
	server := testkit.StartRedis(t)
	server.Pause() // and the test's end copes with that
}

// assertHangs wants a call that neither succeeds nor fails for its own reasons before its deadline.
func assertHangs(t *testing.T, call func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begun := time.Now()
	require.Error(t, call(ctx))
	assert.Greater(t, time.Since(begun), 150*time.Millisecond)
}
