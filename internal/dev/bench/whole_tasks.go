package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"banca/internal/dev/procstat"
)

// What empty tasks are measured with: as many at a time as a worker runs tasks that wait.
const (
	emptyTasks       = 20_000
	emptyConcurrency = 256
	emptyClients     = 16
	emptyQueue       = "bench-empty"
)

// emptyTasks measures what tasks that do nothing cost through plain asynq, on the Redis of the testbed: the limit of what follows a sale.
func (s *benchTestbed) emptyTasks(ctx context.Context, out io.Writer) error {
	client, err := s.redisClient()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	queue := asynq.NewClientFromRedisClient(client)
	before := ownAndRedis()
	errs := make(chan error, emptyClients)
	for range emptyClients {
		go func() {
			var err error
			for n := 0; n < emptyTasks/emptyClients && err == nil; n++ {
				_, err = queue.EnqueueContext(ctx, asynq.NewTask("empty", nil), asynq.Queue(emptyQueue))
			}
			errs <- err
		}()
	}
	for range emptyClients {
		if err := <-errs; err != nil {
			return err
		}
	}
	enqueued := ownAndRedis()
	var done atomic.Int64
	server := asynq.NewServerFromRedisClient(client, asynq.Config{Concurrency: emptyConcurrency, Queues: map[string]int{emptyQueue: 1}, LogLevel: asynq.ErrorLevel})
	began := time.Now()
	err = server.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error { done.Add(1); return nil }))
	if err != nil {
		return err
	}
	for done.Load() < emptyTasks && ctx.Err() == nil {
		time.Sleep(readyPoll)
	}
	took := time.Since(began)
	server.Shutdown()
	ran := ownAndRedis()
	per := func(a, b time.Duration) float64 { return float64((b - a).Microseconds()) / emptyTasks }
	_, err = fmt.Fprintf(out, "\n  an empty task through plain asynq: %.0f µs to enqueue and %.0f µs to run, Redis %.0f µs; %.0f/s\n",
		per(before.load, enqueued.load), per(enqueued.load, ran.load), per(before.redis, ran.redis), emptyTasks/took.Seconds())
	return err
}

// ownAndRedis reads what this process and Redis have used.
func ownAndRedis() (u usage) {
	all := procstat.Read()
	for pid, p := range all {
		switch {
		case pid == os.Getpid():
			u.load += p.CPU
		case all.Descends(pid, os.Getpid()) && (p.Name == "redis-server" || p.Name == "valkey-server"):
			u.redis += p.CPU
		}
	}
	return u
}

func (s *benchTestbed) redisClient() (*redis.Client, error) {
	options, err := redis.ParseURL(s.stack.RedisURL)
	if err != nil {
		return nil, err
	}
	return redis.NewClient(options), nil
}

// redisInfo returns the number of commands that Redis has run.
func (s *benchTestbed) redisInfo(ctx context.Context) (float64, error) {
	client, err := s.redisClient()
	if err != nil {
		return 0, err
	}
	defer func() { _ = client.Close() }()
	text, err := client.Info(ctx, "stats").Result()
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(text, "total_commands_processed:")
	number, _, _ := strings.Cut(rest, "\r\n")
	return strconv.ParseFloat(number, 64)
}
