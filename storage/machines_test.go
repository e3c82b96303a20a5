package storage_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
)

// requireTasksRun enqueues tasks to several queues and requires each to run.
func requireTasksRun(t *testing.T, client redis.UniversalClient, between func()) {
	t.Helper()
	queues := []string{"critical", "default", "low", "receipts", "scheduler"} // on several masters of a cluster
	var mu sync.Mutex
	ran := map[string]bool{}
	weights := map[string]int{}
	for _, q := range queues {
		weights[q] = 1
	}
	server := asynq.NewServerFromRedisClient(client, asynq.Config{Concurrency: 4, Queues: weights, TaskCheckInterval: 20 * time.Millisecond, LogLevel: asynq.FatalLevel})
	require.NoError(t, server.Start(asynq.HandlerFunc(func(_ context.Context, task *asynq.Task) error {
		mu.Lock()
		defer mu.Unlock()
		ran[string(task.Payload())] = true
		return nil
	})))
	defer server.Shutdown()
	between()
	enqueuer := asynq.NewClientFromRedisClient(client)
	for _, q := range queues {
		task := asynq.NewTask("test.noop", []byte(q))
		require.Eventually(t, func() bool {
			_, err := enqueuer.EnqueueContext(t.Context(), task, asynq.Queue(q), asynq.TaskID("machines"))
			return err == nil
		}, testkit.WaitTimeout, 20*time.Millisecond)
	}
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(ran) == len(queues)
	}, testkit.WaitTimeout, 20*time.Millisecond)
}

// requireNews requires an existing subscription to receive a new message.
func requireNews(t *testing.T, client redis.UniversalClient, news <-chan *redis.Message) {
	t.Helper()
	require.Eventually(t, func() bool {
		_ = client.Publish(t.Context(), "news", "now").Err() // who is not subscribed yet misses it
		select {
		case m := <-news:
			return m != nil
		case <-time.After(50 * time.Millisecond):
			return false
		}
	}, testkit.WaitTimeout, time.Millisecond)
}

func TestQueuesAndNewsInACluster(t *testing.T) {
	t.Parallel()
	client, err := storage.OpenRedis(t.Context(), testkit.StartRedisCluster(t, false).URL)
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	sub := client.Subscribe(t.Context(), "news")
	defer func() { require.NoError(t, sub.Close()) }()
	requireTasksRun(t, client, func() {})
	requireNews(t, client, sub.Channel())
}

// The master is killed under a running worker and a subscription; both go on at the promoted replica.
func TestQueuesAndNewsAfterAFailoverOfSentinel(t *testing.T) {
	t.Parallel()
	servers := testkit.StartSentinels(t)
	client, err := storage.OpenRedis(t.Context(), servers.URL)
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	sub := client.Subscribe(t.Context(), "news")
	defer func() { require.NoError(t, sub.Close()) }()
	news := sub.Channel()
	requireNews(t, client, news)
	requireTasksRun(t, client, func() { servers.FailOver(t) })
	requireNews(t, client, news)
}
