package health

import (
	"context"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/storage"
	"banca/tasks"
)

func booksOf(env *testkit.Env) *Books {
	return &Books{
		Pool:     env.PG.Pool,
		Messages: func(context.Context, storage.RowQuerier) (Messages, error) { return Messages{}, nil },
		Leader:   func(context.Context, storage.RowQuerier) (bool, error) { return true, nil },
		Months:   func(context.Context, storage.RowQuerier) (Months, error) { return Months{}, nil },
	}
}

func (b *Books) sample(t *testing.T) *Figures {
	t.Helper()
	store, err := b.Probe().Read(t.Context())
	require.NoError(t, err)
	f := &Figures{}
	store(f)
	return f
}

func TestSalesByMinute(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	b := booksOf(env)
	require.Equal(t, time.Time{}, b.sample(t).Sales.LastAt)
	_, err := env.PG.Pool.Exec(t.Context(), `INSERT INTO sale_minutes (minute, tickets, last_at)
		SELECT date_trunc('minute', at), n, at FROM (VALUES (now() - interval '90 minutes', 3), (now() - interval '30 minutes', 5), (now(), 7)) AS s (at, n)`)
	require.NoError(t, err)
	s := b.sample(t).Sales
	assert.EqualValues(t, 5+7, s.LastHour())
	assert.WithinDuration(t, time.Now(), s.LastAt, time.Minute)
	assert.Len(t, s.Minutes, 60)
}

// A sample reads no ticket, whatever the hour held.
func TestTheMonitorReadsNoTickets(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	_, err := env.PG.Pool.Exec(t.Context(), `INSERT INTO tickets (id, serial_code, entity_id, validation_code, user_id, status, wallet_id, total, currency_id, potential_prize, cancel_before, created_at, expires_at)
		SELECT gen_random_uuid(), gen_random_uuid()::text, gen_random_uuid(), '000000', gen_random_uuid(), 'pending', gen_random_uuid(), 100, gen_random_uuid(), 100, now(), clock_timestamp(), now()
		FROM generate_series(1, 1000)`)
	require.NoError(t, err)
	b := booksOf(env)
	assert.Zero(t, env.BlocksRead(t, "tickets", func(pg *storage.Postgres) {
		b.Pool = pg.Pool
		b.sample(t)
	}))
}

func TestFiguresOfTheBooks(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	exec := func(sql string) {
		_, err := env.PG.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	b := booksOf(env)
	f := b.sample(t)
	assert.Equal(t, &Outbox{}, f.Outbox)
	assert.Equal(t, &Bank{}, f.Bank)
	assert.Equal(t, &Draws{}, f.Draws)
	assert.True(t, f.Ledger.VerifiedAt.IsZero())

	exec(`INSERT INTO outbox (id, kind, payload, created_at) SELECT gen_random_uuid(), 'x', '{}', now() - n * interval '1 minute' FROM generate_series(1, 3) n`)
	exec(`INSERT INTO outbox_dead (id, kind, payload, attempts, last_error, created_at) VALUES (gen_random_uuid(), 'x', '{}', 9, 'x', now())`)
	exec(`INSERT INTO bank_events (id, phase, address, outcome, status, answer, checks, duration_us, received_at)
		SELECT ('0000000' || n || '-0000-7000-8000-000000000000')::uuid, 'query', '', 'x', CASE n WHEN 2 THEN 200 ELSE 403 END, false, '[]', n * 1000, now() - (10 - n) * interval '1 minute' FROM generate_series(1, 5) n`)
	exec(`INSERT INTO ledger_verifications (verified_at, took, checks, broken, warnings) VALUES (now() - interval '1 hour', '1 s', 80, 2, 1), (now() - interval '2 hours', '1 s', 80, 0, 0)`)
	f = b.sample(t)
	assert.EqualValues(t, 3, f.Outbox.Rows)
	assert.EqualValues(t, 1, f.Outbox.Dead)
	assert.InDelta(t, 3*time.Minute, f.Outbox.Age, float64(time.Minute))
	assert.EqualValues(t, 3, f.Bank.Refused)
	assert.Equal(t, 2*time.Millisecond, f.Bank.P95, "of the good call")
	assert.WithinDuration(t, time.Now().Add(-8*time.Minute), f.Bank.LastGoodAt, time.Minute)
	assert.WithinDuration(t, time.Now().Add(-5*time.Minute), f.Bank.LastAt, time.Minute)
	assert.EqualValues(t, 2, f.Ledger.Broken)
}

// A source fails by its calls since the last good one, among which an answer without a result yet is.
func TestFiguresOfTheSources(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	b := booksOf(env)
	assert.Empty(t, b.sample(t).Sources)
	_, err := env.PG.Pool.Exec(t.Context(), `SET session_replication_role = replica; INSERT INTO result_fetches (id, draw_id, source, digest, outcome, duration_ms, repeats, fetched_at, last_at)
		SELECT gen_random_uuid(), gen_random_uuid(), source, 'x', outcome, took, repeats, now(), now() - ago * interval '1 minute'
		FROM (VALUES ('official', 'unavailable', 9, 4, 50), ('official', 'not_yet', 120, 0, 30), ('official', 'malformed', 80, 1, 20), ('official', 'refused', 70, 0, 10),
			('mirror', 'unavailable', 8000, 2, 5), ('mirror', 'result', 30, 0, 1)) f (source, outcome, took, repeats, ago)`)
	require.NoError(t, err)
	all := b.sample(t).Sources
	require.Len(t, all, 2)
	assert.Equal(t, "mirror", all[0].Name)
	assert.Zero(t, all[0].Failed)
	assert.Equal(t, 30*time.Millisecond, all[0].Took)
	assert.EqualValues(t, 3, all[1].Failed, "the repeated answer counts twice")
	assert.WithinDuration(t, time.Now().Add(-30*time.Minute), all[1].GoodAt, time.Minute)
	assert.WithinDuration(t, time.Now().Add(-10*time.Minute), all[1].At, time.Minute)
	problems := sourceProblems(&Snapshot{Figures: Figures{Sources: all}})
	require.Len(t, problems, 1)
	assert.Equal(t, Problem{Code: "source", Runbook: "sources", Name: "official", Count: 3, Since: all[1].GoodAt}, problems[0])
}

// The figures of a queue equal asynq's own inspector.
func TestFiguresOfTheQueues(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	client := asynq.NewClientFromRedisClient(env.Redis)
	for range 3 {
		_, err := client.EnqueueContext(t.Context(), asynq.NewTask("x", nil), asynq.Queue(tasks.QueueReceipts))
		require.NoError(t, err)
	}
	_, err := client.EnqueueContext(t.Context(), asynq.NewTask("x", nil), asynq.Queue(tasks.QueueReceipts), asynq.ProcessIn(time.Hour))
	require.NoError(t, err)
	inspector := asynq.NewInspectorFromRedisClient(env.Redis)
	require.NoError(t, inspector.PauseQueue(tasks.QueueReceipts))
	later := clock.NewFake(time.Now().Add(time.Minute))
	store, err := QueueProbe(env.Redis, later).Read(t.Context())
	require.NoError(t, err)
	f := &Figures{}
	store(f)
	assert.Len(t, f.Queues.Queues, len(tasks.Queues()))
	for _, q := range f.Queues.Queues {
		if q.Name != tasks.QueueReceipts {
			assert.Equal(t, Queue{Name: q.Name}, q)
			continue
		}
		info, err := inspector.GetQueueInfo(q.Name)
		require.NoError(t, err)
		assert.EqualValues(t, info.Pending, q.Pending)
		assert.EqualValues(t, info.Scheduled, q.Scheduled)
		assert.True(t, q.Paused)
		assert.InDelta(t, time.Minute, q.Lag, float64(10*time.Second))
	}
}

// The size of the log and the slots of its receivers are read, and a slot without a receiver is a problem.
func TestTheReceiversOfTheLog(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), testkit.StartPrimary(t).URL())
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	none, err := readBackup(t.Context(), pool)
	require.NoError(t, err)
	require.Zero(t, none.Inactive)
	require.Empty(t, backupProblems(&Snapshot{Figures: Figures{Backup: &none}}))
	_, err = pool.Exec(t.Context(), `SELECT pg_create_physical_replication_slot('away', true)`)
	require.NoError(t, err)
	b, err := readBackup(t.Context(), pool)
	require.NoError(t, err)
	require.Equal(t, []int64{none.Slots + 1, 1, 0}, []int64{b.Slots, b.Inactive, b.Lost})
	require.Positive(t, b.Log)
	require.Equal(t, []Problem{{Code: "backup.stopped", Runbook: "backup", Count: 1}}, backupProblems(&Snapshot{Figures: Figures{Backup: &b}}))

	_, err = pool.Exec(t.Context(), `CREATE ROLE plain LOGIN`)
	require.NoError(t, err)
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SET LOCAL ROLE plain`)
	require.NoError(t, err)
	b, err = readBackup(t.Context(), tx)
	require.NoError(t, err, "a role that may not read the size of the log")
	require.EqualValues(t, 1, b.Inactive)
	require.Zero(t, b.Log)
	require.NoError(t, tx.Rollback(t.Context()))
}
