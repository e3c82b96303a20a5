package outbox_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/tasks"
	"banca/tasks/outbox"
)

// enqueued commits n rows and waits until a relay has moved them all. It returns their ids.
func enqueued(t testing.TB, env *testkit.Env, n int) []uuid.UUID {
	t.Helper()
	rows := make([]outbox.Row, n)
	ids := make([]uuid.UUID, n)
	for i := range rows {
		rows[i] = row(t)
		ids[i] = rows[i].ID
	}
	commit(t, env, rows...)
	require.Eventually(t, func() bool { return left(t, env) == 0 && unfinished(t, env) >= n }, waitTimeout, pollInterval)
	return ids
}

// unfinished returns the number of rows of outbox_sent.
func unfinished(t testing.TB, env *testkit.Env) int {
	t.Helper()
	return count(t, env, "SELECT count(*) FROM outbox_sent")
}

// recovery returns a recovery of env's queue, and a function that makes every row due for a check and sweeps.
func recovery(t testing.TB, env *testkit.Env) (sweep func() map[string]int) {
	t.Helper()
	r := outbox.NewRecovery(env.PG.Pool, env.Redis, asynq.NewInspectorFromRedisClient(env.Redis), clock.System{})
	return func() map[string]int {
		_, err := env.PG.Pool.Exec(t.Context(), `UPDATE outbox_sent SET check_at = now()`)
		require.NoError(t, err)
		lost, err := r.Sweep(t.Context())
		require.NoError(t, err)
		return lost
	}
}

func TestLostTasksAreEnqueuedAgainUnderTheirIDs(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	start(t, env, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{})
	sweep := recovery(t, env)
	ids := enqueued(t, env, 50)
	assert.Empty(t, sweep(), "nothing is lost yet")
	assert.Empty(t, sweep())

	require.NoError(t, env.Redis.FlushDB(t.Context()).Err())
	assert.Empty(t, sweep(), "a task that one check misses may have succeeded this instant")
	assert.Equal(t, map[string]int{"message.send": 50}, sweep())
	require.Eventually(t, func() bool { return pending(t, env, tasks.QueueMessaging) == 50 }, waitTimeout, pollInterval)
	again, err := env.Redis.LRange(t.Context(), "asynq:{messaging}:pending", 0, -1).Result()
	require.NoError(t, err)
	for _, id := range ids {
		assert.Contains(t, again, id.String())
	}
	queues, err := asynq.NewInspectorFromRedisClient(env.Redis).Queues()
	require.NoError(t, err)
	assert.Len(t, queues, len(tasks.Queues()), "the queues are shown again")
	assert.Empty(t, sweep())
	assert.Empty(t, sweep(), "and nothing is put back twice")
}

// A crash within the second that appendfsync allows takes the newest tasks, and not the marker.
func TestOneLostTaskIsFound(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	start(t, env, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{})
	sweep := recovery(t, env)
	ids := enqueued(t, env, 5)
	sweep()
	_, err := env.Redis.Pipelined(t.Context(), func(p redis.Pipeliner) error {
		p.Del(t.Context(), "asynq:{messaging}:t:"+ids[3].String())
		p.LRem(t.Context(), "asynq:{messaging}:pending", 0, ids[3].String())
		return nil
	})
	require.NoError(t, err)
	assert.Empty(t, sweep())
	assert.Equal(t, map[string]int{"message.send": 1}, sweep())
	require.Eventually(t, func() bool { return pending(t, env, tasks.QueueMessaging) == 5 }, waitTimeout, pollInterval)
}

func TestTwoSweepsPutATaskBackOnce(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	start(t, env, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{})
	sweep := recovery(t, env)
	enqueued(t, env, 200)
	require.NoError(t, env.Redis.FlushDB(t.Context()).Err())
	sweep()
	_, err := env.PG.Pool.Exec(t.Context(), `UPDATE outbox_sent SET check_at = now()`)
	require.NoError(t, err)
	results := make(chan int, 4)
	for range cap(results) {
		go func() {
			r := outbox.NewRecovery(env.PG.Pool, env.Redis, asynq.NewInspectorFromRedisClient(env.Redis), clock.System{})
			lost, err := r.Sweep(context.WithoutCancel(t.Context()))
			assert.NoError(t, err)
			results <- lost["message.send"]
		}()
	}
	total := 0
	for range cap(results) {
		total += <-results
	}
	assert.Equal(t, 200, total)
}

func TestFinishedTasksAreForgotten(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	start(t, env, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{})
	sweep := recovery(t, env)
	ids := enqueued(t, env, 3)
	finisher := outbox.NewFinisher(env.PG.Pool, env.Log)
	finisher.Finish(ids[0].String())
	finisher.Finish("no id")
	require.NoError(t, finisher.Flush(t.Context()))
	assert.Equal(t, 2, unfinished(t, env))

	archived := asynq.NewInspectorFromRedisClient(env.Redis)
	require.NoError(t, archived.ArchiveTask(tasks.QueueMessaging, ids[1].String()))
	assert.Empty(t, sweep())
	assert.Equal(t, 1, unfinished(t, env), "the queue does not run an archived task again, so it is nobody's loss")
}

// A short task may succeed before the relay commits its row of outbox_sent.
func TestFinisherFindsARowThatComesLate(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	finisher := outbox.NewFinisher(env.PG.Pool, env.Log)
	early := row(t)
	finisher.Finish(early.ID.String())
	require.NoError(t, finisher.Flush(t.Context()))
	commit(t, env, early)
	start(t, env, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{})
	require.Eventually(t, func() bool { return unfinished(t, env) == 1 }, waitTimeout, pollInterval)
	require.NoError(t, finisher.Flush(t.Context()))
	assert.Zero(t, unfinished(t, env))
}

func TestSweepReportsAnUnavailableRedis(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	start(t, env, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{})
	sweep := recovery(t, env)
	enqueued(t, env, 1)
	assert.Empty(t, sweep())
	broken := outbox.NewRecovery(env.PG.Pool, env.Redis, brokenInspector{}, clock.System{})
	_, err := env.PG.Pool.Exec(t.Context(), `UPDATE outbox_sent SET check_at = now()`)
	require.NoError(t, err)
	lost, err := broken.Sweep(t.Context())
	require.ErrorIs(t, err, assert.AnError)
	assert.Empty(t, slices.Collect(maps.Keys(lost)))
	assert.Equal(t, 1, count(t, env, "SELECT count(*) FROM outbox_sent WHERE NOT missed"), "what was not looked at is not missed")
}

type brokenInspector struct{}

func (brokenInspector) GetTaskInfo(string, string) (*asynq.TaskInfo, error) {
	return nil, assert.AnError
}

// The loss of Redis's memory is noted in one row, so a recovery starts at once with any number of tasks in the queue. Every
// row is checked although its check_at is an hour away, and a row that was checked since is not checked again.
func TestRecoveryStartsWithManyTasks(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	const many, sweepMost = 200_000, 20_000
	r := outbox.NewRecovery(env.PG.Pool, env.Redis, asynq.NewInspectorFromRedisClient(env.Redis), clock.System{})
	lost, err := r.Sweep(t.Context())
	require.NoError(t, err)
	require.Empty(t, lost)
	_, err = env.PG.Pool.Exec(t.Context(), `INSERT INTO outbox_sent (id, kind, payload, created_at, sent_at, checked_at, check_at)
		SELECT gen_random_uuid(), 'message.send', '{"message_id": "6f2c1f0a-5a11-4f4e-9d1f-3f4f0b7a9d10"}', at AS created_at, at AS sent_at, at AS checked_at, at + make_interval(secs => 3600 + i / 1000.0)
		FROM generate_series(1, $1::int) AS i, now() AS at`, many)
	require.NoError(t, err)
	require.NoError(t, env.Redis.FlushDB(t.Context()).Err())

	began := time.Now()
	lost, err = r.Sweep(t.Context())
	require.NoError(t, err)
	t.Logf("first sweep after the loss: %v", time.Since(began))
	assert.Less(t, time.Since(began), time.Minute, "the task's time")
	assert.Empty(t, lost)
	assert.Equal(t, sweepMost, count(t, env, "SELECT count(*) FROM outbox_sent WHERE missed"))
	lost, err = r.Sweep(t.Context()) // the rows that were missed are due after ten seconds: other rows, unless the first sweep took longer
	require.NoError(t, err)
	assert.Equal(t, 2*sweepMost, count(t, env, "SELECT count(*) FROM outbox_sent WHERE missed")+2*lost["message.send"])
	_, err = env.PG.Pool.Exec(t.Context(), "UPDATE outbox_sent SET check_at = now() WHERE missed")
	require.NoError(t, err)
	lost, err = r.Sweep(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"message.send": sweepMost}, lost)
}
