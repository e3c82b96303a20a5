package outbox_test

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"banca/internal/dev/testkit"
	"banca/tasks"
	"banca/tasks/outbox"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

const (
	waitTimeout  = testkit.WaitTimeout
	pollInterval = 10 * time.Millisecond
)

// row returns an outbox row for a message.
func row(t testing.TB, opts ...outbox.Option) outbox.Row {
	t.Helper()
	r, err := outbox.NewRow(tasks.MessageSend{MessageID: uuid.New()}, opts...)
	require.NoError(t, err)
	return r
}

// commit writes rows in a transaction of their own.
func commit(t testing.TB, env *testkit.Env, rows ...outbox.Row) {
	t.Helper()
	require.NoError(t, env.PG.InTx(t.Context(), func(tx pgx.Tx) error {
		return outbox.EnqueueTx(t.Context(), tx, rows...)
	}))
}

// count returns the single number of a query.
func count(t testing.TB, env *testkit.Env, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func left(t testing.TB, env *testkit.Env) int {
	t.Helper()
	return count(t, env, "SELECT count(*) FROM outbox")
}

// start runs a relay until the returned function, or the test's end, stops it.
func start(t testing.TB, env *testkit.Env, queue outbox.Queue, config outbox.RelayConfig) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	relay := outbox.NewRelay(env.PG.Pool, queue, config, env.Log)
	var running sync.WaitGroup
	running.Go(func() { relay.Run(ctx) })
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

func pending(t testing.TB, env *testkit.Env, queue string) int {
	t.Helper()
	n, err := env.Redis.LLen(t.Context(), "asynq:{"+queue+"}:pending").Result()
	require.NoError(t, err)
	return int(n)
}

func TestOnlyWhatIsCommittedIsEnqueued(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	ctx := t.Context()
	start(t, env, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{})

	refused := assert.AnError
	require.ErrorIs(t, env.PG.InTx(ctx, func(tx pgx.Tx) error {
		require.NoError(t, outbox.EnqueueTx(ctx, tx, row(t)))
		return refused
	}), refused)
	later := row(t, outbox.At(time.Now().Add(time.Hour)))
	commit(t, env, row(t), later)
	require.NoError(t, env.PG.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		return outbox.EnqueueGormTx(tx, row(t), row(t))
	}))
	require.NoError(t, env.PG.InTx(ctx, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		outbox.QueueInsert(batch, nil)
		assert.Zero(t, batch.Len())
		outbox.QueueInsert(batch, []outbox.Row{row(t), row(t), row(t)})
		return tx.SendBatch(ctx, batch).Close()
	}))

	require.Eventually(t, func() bool { return left(t, env) == 0 }, waitTimeout, pollInterval)
	assert.Equal(t, 6, pending(t, env, tasks.QueueMessaging))
	score, err := env.Redis.ZScore(ctx, "asynq:{messaging}:scheduled", later.ID.String()).Result()
	require.NoError(t, err)
	assert.InDelta(t, later.ProcessAt.Unix(), score, 1)
}

func TestEnqueueOnceCountsNewRows(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	tick := row(t, outbox.WithID(uuid.New()))
	for i, want := range []int64{1, 0} {
		n, err := outbox.EnqueueOnce(t.Context(), env.PG.Pool, tick)
		require.NoError(t, err)
		assert.Equal(t, want, n, i)
	}
}

func TestConcurrentRelaysEnqueueEveryRowOnce(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	const rows = 5000
	batch := make([]outbox.Row, rows)
	for i := range batch {
		batch[i] = row(t)
	}
	commit(t, env, batch...)
	calls := &countingQueue{Queue: asynq.NewClientFromRedisClient(env.Redis)}
	for range 4 {
		start(t, env, calls, outbox.RelayConfig{Batch: 100})
	}
	require.Eventually(t, func() bool { return left(t, env) == 0 }, waitTimeout, pollInterval)
	assert.Equal(t, rows, pending(t, env, tasks.QueueMessaging))
	assert.EqualValues(t, rows, calls.n.Load(), "no row was enqueued twice")
}

type countingQueue struct {
	outbox.Queue
	n atomic.Int64
}

func (q *countingQueue) EnqueueContext(ctx context.Context, task *asynq.Task, opts ...asynq.Option) (*asynq.TaskInfo, error) {
	q.n.Add(1)
	return q.Queue.EnqueueContext(ctx, task, opts...)
}

func TestNotifierWakesAndCoalesces(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	notifier := outbox.NewNotifier(env.PG.Pool, env.Log)
	var running sync.WaitGroup
	running.Go(func() { notifier.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })

	conn, err := env.PG.Pool.Acquire(ctx)
	require.NoError(t, err)
	defer conn.Release()
	_, err = conn.Exec(ctx, "LISTEN outbox")
	require.NoError(t, err)
	for range 10_000 {
		notifier.Wake()
	}
	heard := 0
	for wait := waitTimeout; ; wait = 300 * time.Millisecond { // the first may take its time on a busy machine
		quiet, done := context.WithTimeout(ctx, wait)
		_, err := conn.Conn().WaitForNotification(quiet)
		done()
		if err != nil {
			break
		}
		heard++
	}
	assert.Positive(t, heard)
	assert.Less(t, heard, 100, "10,000 wakes within milliseconds are a few notifications")
}

// TestWokenRelayDoesNotWaitForItsPoll measures commit to queue with a poll that would be far too late.
func TestWokenRelayDoesNotWaitForItsPoll(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	notifier := outbox.NewNotifier(env.PG.Pool, env.Log)
	var running sync.WaitGroup
	running.Go(func() { notifier.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	start(t, env, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{Poll: time.Hour})
	require.Eventually(t, func() bool {
		return count(t, env, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN outbox'") == 1
	}, waitTimeout, pollInterval)
	for i := range 5 {
		began := time.Now()
		commit(t, env, row(t))
		notifier.Wake()
		require.Eventually(t, func() bool { return pending(t, env, tasks.QueueMessaging) == i+1 }, waitTimeout, time.Millisecond)
		t.Logf("commit to queue: %s", time.Since(began))
	}
}
