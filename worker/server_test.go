package worker_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/apperr"
	"banca/internal/platform/clock"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
	"banca/worker"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

const (
	waitTimeout  = testkit.WaitTimeout
	pollInterval = 10 * time.Millisecond
)

// registry returns a full registry: send handles message.send, the others do nothing.
func registry(t testing.TB, log *slog.Logger, send func(ctx context.Context, args tasks.MessageSend) error) *worker.Registry {
	t.Helper()
	r := worker.NewRegistry(clock.System{}, log)
	require.NoError(t, worker.Handle(r, send))
	r.HandleMissing()
	require.Empty(t, r.Missing())
	return r
}

func nothing[T tasks.Args](context.Context, T) error { return nil }

// start runs a server until the returned function, or the test's end, stops it.
func start(t testing.TB, env *testkit.Env, r *worker.Registry, config worker.Config) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	server := worker.NewServer(env.Redis, r, config, env.Log)
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(t, server.Run(ctx)) })
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

// enqueue puts one message.send task into the queue.
func enqueue(t testing.TB, env *testkit.Env) {
	t.Helper()
	task, err := tasks.NewTask(tasks.MessageSend{MessageID: uuid.New()})
	require.NoError(t, err)
	_, err = asynq.NewClientFromRedisClient(env.Redis).EnqueueContext(t.Context(), task)
	require.NoError(t, err)
}

func TestServerRequiresHandlersAndRedis(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	incomplete := worker.NewRegistry(clock.System{}, env.Log)
	require.ErrorIs(t, worker.NewServer(env.Redis, incomplete, worker.Config{}, env.Log).Run(t.Context()), worker.ErrMissingHandlers)

	redis := testkit.StartRedis(t)
	client, err := storage.OpenRedis(t.Context(), redis.URL())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	redis.Stop()
	r := registry(t, env.Log, nothing[tasks.MessageSend])
	require.Error(t, worker.NewServer(client, r, worker.Config{}, env.Log).Run(t.Context()))
}

// A process that is ended while it starts has not failed.
func TestServerThatEndsAtOnceHasNotFailed(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, worker.NewServer(env.Redis, registry(t, env.Log, nothing[tasks.MessageSend]), worker.Config{}, env.Log).Run(ctx))
}

func TestTaskIsRetriedAfterAPanic(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	var runs atomic.Int64
	start(t, env, registry(t, env.Log, func(context.Context, tasks.MessageSend) error {
		if runs.Add(1) == 1 {
			panic("boom")
		}
		return nil
	}), worker.Config{})
	enqueue(t, env)
	require.Eventually(t, func() bool { return runs.Load() == 2 }, waitTimeout, pollInterval)
}

// TestDuplicatesAreHandledOnce is the whole way of a task that is enqueued twice: the queue drops one of
// two with the same id, and of two with different ids the handler's guard in Postgres lets one through.
func TestDuplicatesAreHandledOnce(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	ctx := t.Context()
	_, err := env.PG.Pool.Exec(ctx, "CREATE TABLE done (id uuid PRIMARY KEY)")
	require.NoError(t, err)
	var runs, effects atomic.Int64
	start(t, env, registry(t, env.Log, func(ctx context.Context, args tasks.MessageSend) error {
		runs.Add(1)
		tag, err := env.PG.Pool.Exec(ctx, "INSERT INTO done VALUES ($1) ON CONFLICT DO NOTHING", args.MessageID)
		effects.Add(tag.RowsAffected())
		return err
	}), worker.Config{})

	args := tasks.MessageSend{MessageID: uuid.New()}
	first, err := outbox.NewRow(args)
	require.NoError(t, err)
	second, err := outbox.NewRow(args)
	require.NoError(t, err)
	relay, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		outbox.NewRelay(env.PG.Pool, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{}, env.Log).Run(relay)
	})
	t.Cleanup(func() { cancel(); running.Wait() })
	for _, rows := range [][]outbox.Row{{first, second}, {first}, {second}} {
		require.NoError(t, env.PG.InTx(ctx, func(tx pgx.Tx) error { return outbox.EnqueueTx(ctx, tx, rows...) }))
		require.Eventually(t, func() bool {
			var left int
			require.NoError(t, env.PG.Pool.QueryRow(ctx, "SELECT count(*) FROM outbox").Scan(&left))
			return left == 0
		}, waitTimeout, pollInterval)
	}
	require.Eventually(t, func() bool { return runs.Load() >= 2 }, waitTimeout, pollInterval)
	time.Sleep(300 * time.Millisecond)
	assert.EqualValues(t, 1, effects.Load())
}

func TestShutdownLetsTasksFinish(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	began, finished := make(chan struct{}), make(chan struct{})
	stop := start(t, env, registry(t, env.Log, func(ctx context.Context, _ tasks.MessageSend) error {
		close(began)
		select {
		case <-time.After(500 * time.Millisecond):
			close(finished)
		case <-ctx.Done():
		}
		return ctx.Err()
	}), worker.Config{})
	enqueue(t, env)
	<-began
	stop()
	select {
	case <-finished:
	default:
		t.Error("the server did not wait")
	}
}

// TestAbandonedTaskRunsElsewhere: a task too slow for the shutdown is cancelled, goes back to the queue and
// loses no retry.
func TestAbandonedTaskRunsElsewhere(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	began := make(chan struct{})
	stop := start(t, env, registry(t, env.Log, func(ctx context.Context, _ tasks.MessageSend) error {
		close(began)
		<-ctx.Done()
		return ctx.Err()
	}), worker.Config{ShutdownTimeout: time.Second})
	enqueue(t, env)
	<-began
	stop()

	retries := make(chan int, 1)
	start(t, env, registry(t, env.Log, func(ctx context.Context, _ tasks.MessageSend) error {
		n, _ := asynq.GetRetryCount(ctx)
		retries <- n
		return nil
	}), worker.Config{})
	select {
	case n := <-retries:
		assert.Zero(t, n)
	case <-time.After(waitTimeout):
		t.Error("the task was lost")
	}
}

// orphan puts one message.send task into the state that a killed worker leaves: taken, and its lease expired.
func orphan(t testing.TB, env *testkit.Env, opts ...asynq.Option) {
	t.Helper()
	task, err := tasks.NewTask(tasks.MessageSend{MessageID: uuid.New()}, opts...)
	require.NoError(t, err)
	info, err := asynq.NewClientFromRedisClient(env.Redis).EnqueueContext(t.Context(), task)
	require.NoError(t, err)
	prefix := "asynq:{" + info.Queue + "}:"
	require.NoError(t, env.Redis.RPopLPush(t.Context(), prefix+"pending", prefix+"active").Err())
	require.NoError(t, env.Redis.HSet(t.Context(), prefix+"t:"+info.ID, "state", "active").Err())
	expired := float64(time.Now().Add(-time.Hour).Unix())
	require.NoError(t, env.Redis.ZAdd(t.Context(), prefix+"lease", redis.Z{Score: expired, Member: info.ID}).Err())
}

// TestATaskThatKillsItsWorkerIsArchived: each kill uses up a retry, so that a task that always kills its worker is
// archived at some time.
func TestATaskThatKillsItsWorkerIsArchived(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	orphan(t, env)
	orphan(t, env, asynq.MaxRetry(0))
	retries := make(chan int, 2)
	start(t, env, registry(t, env.Log, func(ctx context.Context, _ tasks.MessageSend) error {
		n, _ := asynq.GetRetryCount(ctx)
		retries <- n
		return nil
	}), worker.Config{DelayedTaskCheckInterval: pollInterval})
	select {
	case n := <-retries:
		assert.Equal(t, 1, n, "the kill counts")
	case <-time.After(waitTimeout):
		t.Error("the task was lost")
	}
	archived, err := env.Redis.ZCard(t.Context(), "asynq:{messaging}:archived").Result()
	require.NoError(t, err)
	assert.EqualValues(t, 1, archived, "and the last one ends the task")
	assert.Empty(t, retries)
}

// asynq trims its archive beyond 10,000 tasks. The rows of the trimmed tasks are finished when the tasks are
// archived, by the last retry or by a permanent error, so the recovery enqueues none of them again.
func TestTasksThatAsynqTrimsAreNotLost(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	ctx := t.Context()
	queue := asynq.NewClientFromRedisClient(env.Redis)
	finisher := outbox.NewFinisher(env.PG.Pool, env.Log)
	permanent := apperr.New(apperr.Invalid, "TEST", "for good")
	start(t, env, registry(t, env.Log, func(context.Context, tasks.MessageSend) error { return permanent }), worker.Config{Finished: finisher.Finish})
	fill := func(older []string, n int) { // n other tasks that are archived after the older ones
		_, err := env.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, id := range older {
				p.ZAdd(ctx, "asynq:{messaging}:archived", redis.Z{Score: float64(time.Now().Unix() - 200), Member: id})
			}
			for i := range n {
				p.ZAdd(ctx, "asynq:{messaging}:archived", redis.Z{Score: float64(time.Now().Unix() - 100), Member: strconv.Itoa(i)})
			}
			return nil
		})
		require.NoError(t, err)
	}
	relayCtx, stop := context.WithCancel(ctx)
	defer stop()
	relay := outbox.NewRelay(env.PG.Pool, queue, outbox.RelayConfig{}, env.Log)
	var running sync.WaitGroup
	running.Go(func() { relay.Run(relayCtx) })
	defer running.Wait()
	defer stop()

	first := commitMessages(t, env, 20)
	archived := func(id string) bool { return env.Redis.ZScore(ctx, "asynq:{messaging}:archived", id).Err() == nil }
	for _, id := range first {
		require.Eventually(t, func() bool { return archived(id) }, waitTimeout, pollInterval)
	}
	fill(first, 10_000)
	last := commitMessages(t, env, 1)[0]
	require.Eventually(t, func() bool { return archived(last) }, waitTimeout, pollInterval)
	for _, id := range first {
		require.False(t, archived(id), "asynq has trimmed it")
	}
	require.Eventually(t, func() bool {
		require.NoError(t, finisher.Flush(ctx))
		var left int
		require.NoError(t, env.PG.Pool.QueryRow(ctx, "SELECT count(*) FROM outbox_sent WHERE kind = 'message.send'").Scan(&left))
		return left == 0
	}, waitTimeout, pollInterval)
	recovery := outbox.NewRecovery(env.PG.Pool, env.Redis, asynq.NewInspectorFromRedisClient(env.Redis), clock.System{})
	for range 3 {
		_, err := env.PG.Pool.Exec(ctx, "UPDATE outbox_sent SET check_at = now()")
		require.NoError(t, err)
		lost, err := recovery.Sweep(ctx)
		require.NoError(t, err)
		assert.Empty(t, lost)
	}
}

// commitMessages commits n message.send tasks and returns their ids.
func commitMessages(t testing.TB, env *testkit.Env, n int) []string {
	t.Helper()
	rows, ids := make([]outbox.Row, n), make([]string, n)
	for i := range rows {
		var err error
		rows[i], err = outbox.NewRow(tasks.MessageSend{MessageID: uuid.New()})
		require.NoError(t, err)
		ids[i] = rows[i].ID.String()
	}
	require.NoError(t, env.PG.InTx(t.Context(), func(tx pgx.Tx) error { return outbox.EnqueueTx(t.Context(), tx, rows...) }))
	return ids
}

// A task is reported when its retries are used up or its error forbids another run, and not before.
func TestFinishedReportsTheLastFailure(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	var runs atomic.Int64
	reported := make(chan string, 10)
	start(t, env, registry(t, env.Log, func(context.Context, tasks.MessageSend) error {
		runs.Add(1)
		return errors.New("a moment's failure")
	}), worker.Config{Finished: func(id string) {
		assert.EqualValues(t, 3, runs.Load(), "after the last of three runs")
		reported <- id
	}, DelayedTaskCheckInterval: 50 * time.Millisecond})
	task, err := tasks.NewTask(tasks.MessageSend{MessageID: uuid.New()})
	require.NoError(t, err)
	_, err = asynq.NewClientFromRedisClient(env.Redis).EnqueueContext(t.Context(), task, asynq.TaskID("last"), asynq.MaxRetry(2))
	require.NoError(t, err)
	select {
	case id := <-reported:
		assert.Equal(t, "last", id)
	case <-time.After(waitTimeout):
		t.Fatal("the last failure was not reported")
	}
}
