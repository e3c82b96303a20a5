package storage_test

import (
	"context"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
)

func TestOpenRedisFailsAtOnceWhenItIsDown(t *testing.T) {
	t.Parallel()
	start := time.Now()
	_, err := storage.OpenRedis(t.Context(), "redis://:s3cret@127.0.0.1:1/0")
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "s3cret")
	assert.Less(t, time.Since(start), testkit.WaitTimeout/4)
}

func TestOpenRedisRefusesWhatIsNoAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "http://host", "redis://:s3cret@host:bad", "redis://host/x"} {
		_, err := storage.OpenRedis(t.Context(), address)
		require.Error(t, err, address)
		assert.NotContains(t, err.Error(), "s3cret")
	}
}

func TestAsynqOptReadsAllFormsOfAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]any{
		"redis://user:pw@host:6379/3":                       &redis.Client{},
		"rediss://host":                                     &redis.Client{},
		"unix:///run/redis.sock?db=3":                       &redis.Client{},
		"redis://s1:26379?master_name=main&addr=s2%3A26379": &redis.Client{},
		"redis://c1:6379?addr=c2%3A6379&addr=c3%3A6379":     &redis.ClusterClient{},
	} {
		opt, err := storage.AsynqOpt(address)
		require.NoError(t, err, address)
		client, ok := opt.MakeRedisClient().(redis.UniversalClient)
		require.True(t, ok, address)
		assert.IsType(t, want, client, address)
		require.NoError(t, client.Close())
	}
	_, err := storage.AsynqOpt("http://host")
	assert.Error(t, err)
}

func TestAsynqWorksOnTheSocket(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	opt, err := storage.AsynqOpt(env.RedisURL)
	require.NoError(t, err)
	client := asynq.NewClient(opt)
	defer func() { require.NoError(t, client.Close()) }()
	_, err = client.EnqueueContext(t.Context(), asynq.NewTask("test.noop", nil))
	require.NoError(t, err)

	done := make(chan struct{})
	server := asynq.NewServer(opt, asynq.Config{Concurrency: 1, TaskCheckInterval: 20 * time.Millisecond, LogLevel: asynq.FatalLevel})
	require.NoError(t, server.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error { close(done); return nil })))
	defer server.Shutdown()
	select {
	case <-done:
	case <-time.After(testkit.WaitTimeout):
		t.Fatal("the task was not run")
	}
}
