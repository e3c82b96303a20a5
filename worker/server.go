package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"banca/internal/platform/apperr"
	"banca/tasks"
)

// Defaults of Config.
const (
	defaultConcurrency   = 16
	defaultWaiting       = 256
	defaultTaskCheck     = 100 * time.Millisecond
	defaultDelayedCheck  = time.Second
	defaultShutdown      = 10 * time.Second
	healthCheckInterval  = 15 * time.Second
	janitorInterval      = 30 * time.Second // of removing retained tasks; not urgent
	maxRequestedDelay    = 10 * time.Minute // an error may ask for a later retry, up to this
	abandonBeforeRequeue = 500 * time.Millisecond
	waitingChecks        = 4 // a buyer waits for two of these queues, and a check of one queue is one command
)

// Config configures NewServer; its zero value is good.
type Config struct {
	// Concurrency is the number of tasks that run at a time of queues whose tasks compute or use the database; default 16.
	Concurrency int
	// Waiting is the number of tasks that run at a time of each queue whose tasks mostly wait for other systems; default 256.
	Waiting int
	// TaskCheckInterval is how often an idle server looks for tasks, one command a queue; default 100 ms. The queues
	// that wait are looked at four times as often: asynq's default of 1 s would make every receipt wait 0.9 s in the
	// median.
	TaskCheckInterval time.Duration
	// DelayedTaskCheckInterval is how often delayed and retried tasks are looked for; default 1 s.
	DelayedTaskCheckInterval time.Duration
	// ShutdownTimeout is how long running tasks may take to finish at a shutdown; default 10 s. Then they are
	// cancelled and return to the queue.
	ShutdownTimeout time.Duration
	// Finished is called with the id of each task that succeeded or failed for good, which the queue will not run again;
	// may be nil. It must not block.
	Finished func(taskID string)
}

func (c Config) withDefaults() Config {
	c.Concurrency = cmp.Or(c.Concurrency, defaultConcurrency)
	c.Waiting = cmp.Or(c.Waiting, defaultWaiting)
	c.TaskCheckInterval = cmp.Or(c.TaskCheckInterval, defaultTaskCheck)
	c.DelayedTaskCheckInterval = cmp.Or(c.DelayedTaskCheckInterval, defaultDelayedCheck)
	c.ShutdownTimeout = cmp.Or(c.ShutdownTimeout, defaultShutdown)
	return c
}

// Server takes tasks from the queues and runs them. Each queue whose tasks wait has an asynq server of its own, so that a
// gateway that hangs keeps no receipt from being drawn.
type Server struct {
	redis    redis.UniversalClient
	registry *Registry
	config   Config
	log      *slog.Logger
}

// NewServer returns a server that runs the registry's handlers. The caller keeps and closes client.
func NewServer(client redis.UniversalClient, registry *Registry, config Config, log *slog.Logger) *Server {
	return &Server{redis: client, registry: registry, config: config.withDefaults(), log: log}
}

// Run serves until ctx ends and then lets running tasks finish. It fails at once when a kind has no
// handler, or when Redis does not answer: asynq itself would start and fail silently in the background.
func (s *Server) Run(ctx context.Context) error {
	if missing := s.registry.Missing(); len(missing) > 0 {
		return fmt.Errorf("%w: %s", ErrMissingHandlers, strings.Join(missing, ", "))
	}
	if err := s.redis.Ping(context.WithoutCancel(ctx)).Err(); err != nil { // a process that ends at once has not failed
		return fmt.Errorf("worker: redis: %w", err)
	}
	// Tasks outlive ctx by the shutdown timeout, so their context is not derived from it.
	base, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	var servers []*asynq.Server
	serve := func(queues map[string]int, concurrency int, check time.Duration) {
		config := s.asynqConfig(base, queues, concurrency)
		config.TaskCheckInterval = check
		servers = append(servers, asynq.NewServerFromRedisClient(s.redis, config))
	}
	computing := map[string]int{}
	for _, q := range tasks.Queues() {
		if q.Waits {
			serve(map[string]int{q.Name: q.Weight}, s.config.Waiting, s.config.TaskCheckInterval/waitingChecks)
		} else {
			computing[q.Name] = q.Weight
		}
	}
	serve(computing, s.config.Concurrency, s.config.TaskCheckInterval)
	for i, server := range servers {
		if err := server.Start(s.handler()); err != nil {
			shutdown(servers[:i])
			return fmt.Errorf("worker: start: %w", err)
		}
	}
	<-ctx.Done()
	// Tasks are cancelled shortly before asynq requeues them, so that they end before another worker may take them.
	timer := time.AfterFunc(max(s.config.ShutdownTimeout-abandonBeforeRequeue, 0), abandon)
	defer timer.Stop()
	shutdown(servers)
	return nil
}

// handler is the registry, which reports the tasks that succeeded.
func (s *Server) handler() asynq.Handler {
	if s.config.Finished == nil {
		return s.registry
	}
	return asynq.HandlerFunc(func(ctx context.Context, task *asynq.Task) error {
		err := s.registry.ProcessTask(ctx, task)
		if id, ok := asynq.GetTaskID(ctx); ok && err == nil {
			s.config.Finished(id)
		}
		return err
	})
}

// archived reports a task that asynq archives after this error: every retry is used up, or the error forbids another run.
func (s *Server) archived(ctx context.Context, _ *asynq.Task, err error) {
	if s.config.Finished == nil || !lastRun(ctx) && !errors.Is(err, asynq.SkipRetry) {
		return
	}
	if id, ok := asynq.GetTaskID(ctx); ok {
		s.config.Finished(id)
	}
}

// shutdown stops servers at the same time, since each waits for its tasks.
func shutdown(servers []*asynq.Server) {
	var stopping sync.WaitGroup
	for _, server := range servers {
		stopping.Go(server.Shutdown)
	}
	stopping.Wait()
}

func (s *Server) asynqConfig(base context.Context, queues map[string]int, concurrency int) asynq.Config {
	return asynq.Config{
		BaseContext:              func() context.Context { return base },
		Concurrency:              concurrency,
		Queues:                   queues,
		DelayedTaskCheckInterval: s.config.DelayedTaskCheckInterval,
		HealthCheckInterval:      healthCheckInterval,
		JanitorInterval:          janitorInterval,
		ShutdownTimeout:          s.config.ShutdownTimeout,
		RetryDelayFunc:           retryDelay,
		ErrorHandler:             asynq.ErrorHandlerFunc(s.archived),
		IsFailure:                isFailure(base),
		Logger:                   slogAdapter{s.log},
		LogLevel:                 asynq.WarnLevel,
	}
}

// retryDelay is the kind's delay, or the error's own if it is longer, such as the Retry-After of a gateway.
func retryDelay(n int, err error, task *asynq.Task) time.Duration {
	delay := tasks.RetryDelay(n, task.Type())
	if refused, ok := errors.AsType[*apperr.Error](err); ok {
		delay = max(delay, min(refused.RetryAfter, maxRequestedDelay))
	}
	return delay
}

// isFailure reports whether an error uses up a retry. Only a shutdown, which cancels base, is certainly not the
// task's fault. A task that cancels itself fails like any other. So does a task whose worker was killed and whose
// lease expired: the task may have killed the worker, and would be retried without end.
func isFailure(base context.Context) func(err error) bool {
	return func(err error) bool {
		abandoned := base.Err() != nil && errors.Is(err, context.Canceled)
		return !abandoned
	}
}
