package worker_test

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/tasks"
	"banca/worker"
)

// BenchmarkNoop measures tasks a second that do nothing, with one server.
func BenchmarkNoop(b *testing.B) {
	env := testkit.New(b)
	env.Log = slog.New(slog.DiscardHandler)
	for range b.N {
		enqueue(b, env)
	}
	var runs atomic.Int64
	b.ResetTimer()
	began := time.Now()
	start(b, env, registry(b, env.Log, func(context.Context, tasks.MessageSend) error {
		runs.Add(1)
		return nil
	}), worker.Config{})
	for runs.Load() < int64(b.N) {
		time.Sleep(time.Millisecond)
	}
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "tasks/s")
}

// BenchmarkLatency measures the time from enqueuing to the handler of an idle server.
func BenchmarkLatency(b *testing.B) {
	env := testkit.New(b)
	env.Log = slog.New(slog.DiscardHandler)
	handled := make(chan struct{}, 1)
	start(b, env, registry(b, env.Log, func(context.Context, tasks.MessageSend) error {
		handled <- struct{}{}
		return nil
	}), worker.Config{})
	client := asynq.NewClientFromRedisClient(env.Redis)
	for b.Loop() {
		task, err := tasks.NewTask(tasks.MessageSend{MessageID: uuid.New()})
		require.NoError(b, err)
		_, err = client.EnqueueContext(b.Context(), task)
		require.NoError(b, err)
		<-handled
	}
}

// BenchmarkIdle measures the cost of an idle server; run it with -benchtime 1x.
func BenchmarkIdle(b *testing.B) {
	env := testkit.New(b)
	start(b, env, registry(b, env.Log, nothing[tasks.MessageSend]), worker.Config{})
	time.Sleep(time.Second)
	const span = 5 * time.Second
	for b.Loop() {
		cpu, commands := cpuTime(b), redisCommands(b, env)
		time.Sleep(span)
		b.ReportMetric(float64(redisCommands(b, env)-commands)/span.Seconds(), "commands/s")
		b.ReportMetric(100*(cpuTime(b)-cpu).Seconds()/span.Seconds(), "%cpu")
	}
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func redisCommands(b *testing.B, env *testkit.Env) int64 {
	b.Helper()
	info, err := env.Redis.Info(b.Context(), "stats").Result()
	require.NoError(b, err)
	_, rest, _ := strings.Cut(info, "total_commands_processed:")
	number, _, _ := strings.Cut(rest, "\r\n")
	n, err := strconv.ParseInt(number, 10, 64)
	require.NoError(b, err)
	return n
}
