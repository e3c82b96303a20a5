package outbox_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/tasks"
	"banca/tasks/outbox"
)

// fillArchive adds n archived tasks of an age to a queue, as asynq keeps them.
func fillArchive(t *testing.T, client redis.UniversalClient, queue, name string, n int, age time.Duration) {
	t.Helper()
	prefix, at := "asynq:{"+queue+"}:", float64(time.Now().Add(-age).Unix())
	_, err := client.Pipelined(t.Context(), func(p redis.Pipeliner) error {
		for i := range n {
			id := name + strconv.Itoa(i)
			p.ZAdd(t.Context(), prefix+"archived", redis.Z{Score: at, Member: id})
			p.HSet(t.Context(), prefix+"t:"+id, "msg", "", "state", "archived")
		}
		return nil
	})
	require.NoError(t, err)
}

// archived counts the archived tasks of a queue, in its list and by their own keys.
func archived(t *testing.T, client redis.UniversalClient, queue string) (listed, kept int) {
	t.Helper()
	n, err := client.ZCard(t.Context(), "asynq:{"+queue+"}:archived").Result()
	require.NoError(t, err)
	keys := client.Scan(t.Context(), 0, "asynq:{"+queue+"}:t:*", 1000).Iterator()
	for keys.Next(t.Context()) {
		kept++
	}
	require.NoError(t, keys.Err())
	return int(n), kept
}

// A queue in which more tasks expire at once than asynq's script can delete archives nothing more until it is trimmed.
func TestPruneRepairsAnArchiveThatAsynqCannotTrim(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	const queue = tasks.QueueReceipts
	fillArchive(t, env.Redis, queue, "old", 9_000, 91*24*time.Hour)
	fillArchive(t, env.Redis, queue, "new", 5, time.Hour)
	server := asynq.NewServerFromRedisClient(env.Redis, asynq.Config{
		Concurrency: 1, Queues: map[string]int{queue: 1}, TaskCheckInterval: 20 * time.Millisecond, LogLevel: asynq.FatalLevel,
	})
	ran := make(chan string, 10)
	require.NoError(t, server.Start(asynq.HandlerFunc(func(_ context.Context, task *asynq.Task) error {
		ran <- task.Type()
		return fmt.Errorf("for good: %w", asynq.SkipRetry)
	})))
	t.Cleanup(server.Shutdown)
	client := asynq.NewClientFromRedisClient(env.Redis)
	send := func(id string) {
		_, err := client.Enqueue(asynq.NewTask("test."+id, nil), asynq.Queue(queue), asynq.TaskID(id))
		require.NoError(t, err)
		require.Equal(t, "test."+id, <-ran)
	}
	isArchived := func(id string) func() bool {
		return func() bool {
			return env.Redis.HGet(t.Context(), "asynq:{"+queue+"}:t:"+id, "state").Val() == "archived"
		}
	}
	send("first")
	assert.Never(t, isArchived("first"), 500*time.Millisecond, 50*time.Millisecond, "asynq's script fails")

	n, err := outbox.NewArchive(env.PG.Pool, env.Redis, clock.System{}).Trim(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 9_000, n)
	listed, _ := archived(t, env.Redis, queue)
	assert.Equal(t, 5+1, listed, "the failed script has listed its task")
	send("second")
	require.Eventually(t, isArchived("second"), testkit.WaitTimeout, 50*time.Millisecond)
}

// Trim deletes archived tasks by age and by number, in every queue, the oldest first; younger ones stay.
func TestPruneBounds(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	const day = 24 * time.Hour
	fillArchive(t, env.Redis, tasks.QueueCritical, "old", 1_203, 90*day)
	fillArchive(t, env.Redis, tasks.QueueCritical, "young", 7, 88*day)
	fillArchive(t, env.Redis, tasks.QueueMessaging, "many", 10_500, day)
	archive := outbox.NewArchive(env.PG.Pool, env.Redis, clock.System{})
	n, err := archive.Trim(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1_203+600, n)
	for queue, want := range map[string]int{tasks.QueueCritical: 7, tasks.QueueMessaging: 9_900, tasks.QueueReceipts: 0} {
		listed, kept := archived(t, env.Redis, queue)
		assert.Equal(t, []int{want, want}, []int{listed, kept}, queue)
	}
	n, err = archive.Trim(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n)
}

// A task that failed for good stays so after its archived task is deleted: by Trim, which deletes the row of outbox_sent first.
func TestPrunedTasksAreNotEnqueuedAgain(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	start(t, env, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{})
	sweep := recovery(t, env)
	ids := enqueued(t, env, 600)
	assert.Empty(t, sweep(), "the marker is written")
	old := float64(time.Now().Add(-91 * 24 * time.Hour).Unix())
	for _, id := range ids[:599] {
		require.NoError(t, asynq.NewInspectorFromRedisClient(env.Redis).ArchiveTask(tasks.QueueMessaging, id.String()))
	}
	for _, id := range ids[:599] {
		require.NoError(t, env.Redis.ZAdd(t.Context(), "asynq:{messaging}:archived", redis.Z{Score: old, Member: id.String()}).Err())
	}
	n, err := outbox.NewArchive(env.PG.Pool, env.Redis, clock.System{}).Trim(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 599, n)
	assert.Equal(t, 1, unfinished(t, env), "the task that is not archived")
	assert.Empty(t, sweep())
	assert.Empty(t, sweep(), "nothing comes back")
	assert.Equal(t, 1, pending(t, env, tasks.QueueMessaging))
}

// A sweep finishes recently archived tasks, so a task archived by asynq's recoverer or by a person is not lost when
// asynq trims its archive before the next check of its row, up to an hour later. The clocks of the worker and of the
// sweep may differ by minutes.
func TestArchivedTasksAreFinishedBeforeTheirNextCheck(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, 10 * time.Minute, -10 * time.Minute} {
		t.Run(ahead.String(), func(t *testing.T) {
			t.Parallel()
			finishesArchived(t, aheadBy(ahead))
		})
	}
}

// aheadBy is a clock that differs from the machine's.
type aheadBy time.Duration

func (d aheadBy) Now() time.Time { return time.Now().Add(time.Duration(d)) }

func finishesArchived(t *testing.T, clk clock.Clock) {
	t.Helper()
	env := testkit.New(t)
	start(t, env, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{})
	r := outbox.NewRecovery(env.PG.Pool, env.Redis, asynq.NewInspectorFromRedisClient(env.Redis), clk)
	_, err := r.Sweep(t.Context())
	require.NoError(t, err)
	ids := enqueued(t, env, 20)
	for _, id := range ids {
		require.NoError(t, asynq.NewInspectorFromRedisClient(env.Redis).ArchiveTask(tasks.QueueMessaging, id.String()))
	}
	lost, err := r.Sweep(t.Context()) // no row is due for a check
	require.NoError(t, err)
	assert.Empty(t, lost)
	assert.Zero(t, unfinished(t, env))
}
