package outbox_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// TestRelayKilledBetweenEnqueueAndDelete cuts the relay's session off once its first batch is in the
// queue, so that the rows are still there; the relay enqueues them again under the same ids.
func TestRelayKilledBetweenEnqueueAndDelete(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	commit(t, env, row(t), row(t), row(t))
	client := asynq.NewClientFromRedisClient(env.Redis)
	queue := &cuttingQueue{countingQueue: countingQueue{Queue: client}, cut: func() {
		// The only transaction of this database that is open is the relay's.
		_, err := env.PG.Pool.Exec(context.WithoutCancel(t.Context()), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND state = 'idle in transaction'`)
		assert.NoError(t, err)
	}}
	start(t, env, queue, outbox.RelayConfig{})

	require.Eventually(t, func() bool { return left(t, env) == 0 }, waitTimeout, pollInterval)
	assert.EqualValues(t, 6, queue.n.Load(), "every row was enqueued by both attempts")
	assert.Equal(t, 3, pending(t, env, tasks.QueueMessaging), "and is one task")
}

// cuttingQueue calls cut after its third task, once.
type cuttingQueue struct {
	countingQueue
	once sync.Once
	mu   sync.Mutex
	done int
	cut  func()
}

func (q *cuttingQueue) EnqueueContext(ctx context.Context, task *asynq.Task, opts ...asynq.Option) (*asynq.TaskInfo, error) {
	info, err := q.countingQueue.EnqueueContext(ctx, task, opts...)
	q.mu.Lock()
	q.done++
	last := q.done == 3
	q.mu.Unlock()
	if last {
		q.once.Do(q.cut)
	}
	return info, err
}

func TestRedisDownThenUp(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	server := testkit.StartRedis(t)
	client, err := storage.OpenRedis(t.Context(), server.URL())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	log := &logLines{}
	ctx, cancel := context.WithCancel(t.Context())
	relay := outbox.NewRelay(env.PG.Pool, asynq.NewClientFromRedisClient(client), outbox.RelayConfig{Poll: 20 * time.Millisecond}, slog.New(slog.NewTextHandler(log, nil)))
	var running sync.WaitGroup
	running.Go(func() { relay.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })

	server.Stop()
	commit(t, env, row(t), row(t))
	require.Eventually(t, func() bool { return log.count("relay stopped") == 1 }, waitTimeout, pollInterval)
	time.Sleep(time.Second) // several more attempts
	assert.Equal(t, 2, left(t, env), "rows stay")
	assert.Equal(t, 1, log.count("relay stopped"), "one line for one change")
	assert.Zero(t, count(t, env, "SELECT sum(attempts) FROM outbox"), "it is not the rows' fault")

	server.Start()
	require.Eventually(t, func() bool { return left(t, env) == 0 }, waitTimeout, pollInterval)
	require.Eventually(t, func() bool { return log.count("works again") == 1 }, waitTimeout, pollInterval)
	n, err := client.LLen(ctx, "asynq:{messaging}:pending").Result()
	require.NoError(t, err)
	assert.EqualValues(t, 2, n)
}

func TestInvalidOutboxRowsAreMovedToOutboxDead(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	ctx := t.Context()
	// Ten of each sort come first; with batches of ten they fill the first two completely.
	_, err := env.PG.Pool.Exec(ctx, `INSERT INTO outbox (id, kind, payload)
		SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
			CASE WHEN n <= 10 THEN 'no.such' ELSE 'message.send' END, '{"nonsense": true}' FROM generate_series(1, 20) n`)
	require.NoError(t, err)
	commit(t, env, row(t), row(t))
	start(t, env, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{Batch: 10, Poll: 20 * time.Millisecond})

	require.Eventually(t, func() bool { return pending(t, env, tasks.QueueMessaging) == 2 }, waitTimeout, pollInterval)
	require.Eventually(t, func() bool {
		_, err := env.PG.Pool.Exec(ctx, "UPDATE outbox SET retry_at = now()") // time flies
		require.NoError(t, err)
		return count(t, env, "SELECT count(*) FROM outbox_dead") == 20
	}, waitTimeout, 50*time.Millisecond)
	assert.Zero(t, left(t, env))
	assert.Equal(t, 20, count(t, env, `SELECT count(*) FROM outbox_dead WHERE attempts = 10 AND last_error <> ''`))
	assert.Equal(t, 2, pending(t, env, tasks.QueueMessaging))
}

// TestARowThatTheQueueRefusesIsPostponed: an error of one row only is not an outage.
func TestARowThatTheQueueRefusesIsPostponed(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	bad, good := row(t), row(t)
	commit(t, env, bad, good)
	start(t, env, &pickyQueue{Queue: asynq.NewClientFromRedisClient(env.Redis), refuse: bad.ID, with: assert.AnError}, outbox.RelayConfig{})
	require.Eventually(t, func() bool { return left(t, env) == 1 }, waitTimeout, pollInterval)
	assert.Equal(t, 1, count(t, env, "SELECT count(*) FROM outbox WHERE id = $1 AND attempts = 1 AND retry_at > now()", bad.ID))
}

// TestAnErrorOfAnyTextIsKept: what Postgres cannot store as text must not hold up the whole batch.
func TestAnErrorOfAnyTextIsKept(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	bad, good := row(t), row(t)
	commit(t, env, bad, good)
	strange := errors.New("\x00\xff" + strings.Repeat("ñ", 1000))
	start(t, env, &pickyQueue{Queue: asynq.NewClientFromRedisClient(env.Redis), refuse: bad.ID, with: strange}, outbox.RelayConfig{})
	require.Eventually(t, func() bool { return left(t, env) == 1 }, waitTimeout, pollInterval)
	assert.Equal(t, 1, count(t, env, "SELECT count(*) FROM outbox WHERE id = $1 AND last_error LIKE 'ññ%'", bad.ID))
}

type pickyQueue struct {
	outbox.Queue
	refuse uuid.UUID
	with   error
}

func (q *pickyQueue) EnqueueContext(ctx context.Context, task *asynq.Task, opts ...asynq.Option) (*asynq.TaskInfo, error) {
	for _, opt := range opts {
		if opt.Type() == asynq.TaskIDOpt && opt.Value() == q.refuse.String() {
			return nil, q.with
		}
	}
	return q.Queue.EnqueueContext(ctx, task, opts...)
}

// TestListenerReconnects ends the listening session; the poll is out of reach.
func TestListenerReconnects(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	start(t, env, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{Poll: time.Hour})
	const listening = `FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN outbox'`
	require.Eventually(t, func() bool { return count(t, env, "SELECT count(*) "+listening) == 1 }, waitTimeout, pollInterval)
	_, err := env.PG.Pool.Exec(t.Context(), "SELECT pg_terminate_backend(pid) "+listening)
	require.NoError(t, err)
	commit(t, env, row(t)) // while no relay listens
	require.Eventually(t, func() bool { return left(t, env) == 0 }, waitTimeout, pollInterval)
}

// logLines is a writer that counts lines by their text.
type logLines struct {
	mu    sync.Mutex
	lines []string
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(p))
	return len(p), nil
}

func (l *logLines) count(text string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}
