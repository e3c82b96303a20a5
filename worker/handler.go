package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/hibiken/asynq"

	"banca/internal/platform/apperr"
	"banca/internal/platform/clock"
	"banca/internal/platform/telemetry"
	"banca/tasks"
)

// errPanic is the error of a run whose handler panicked. It is retried: the cause may be a moment's state,
// and the number of retries is bounded.
var errPanic = errors.New("worker: handler panicked")

// handler runs tasks of one kind.
type handler[T tasks.Args] struct {
	kind    string
	timeout time.Duration
	fn      func(ctx context.Context, args T) error
	clock   clock.Clock
	log     *slog.Logger
}

// ProcessTask implements asynq.Handler.
func (h *handler[T]) ProcessTask(ctx context.Context, task *asynq.Task) error {
	log := h.log.With(describe(ctx, h.kind)...)
	args, err := tasks.Decode[T](task.Payload())
	if err != nil { // a newer release may have written it, and a worker of that release will read it
		return h.failed(ctx, log, err)
	}
	ctx, stage := telemetry.BeginTask(ctx, h.kind, task.Headers())
	err = h.run(ctx, log, args)
	stage.End(err)
	telemetry.TaskRuns.Add(1, h.kind, outcomeOf(ctx, err))
	return err
}

// run bounds a run and logs how it ended.
func (h *handler[T]) run(ctx context.Context, log *slog.Logger, args T) error {
	ctx, cancel := context.WithTimeout(ctx, h.timeout) // also for a task enqueued without one
	defer cancel()
	log.DebugContext(ctx, "task started")
	began := h.clock.Now()
	err := h.call(ctx, log, args)
	log = log.With(slog.Duration("duration", h.clock.Now().Sub(began)))
	if err == nil {
		log.DebugContext(ctx, "task finished")
		return nil
	}
	return h.failed(ctx, log, err)
}

// call runs the handler and turns a panic into an error, so that it is logged with the task it belongs to.
func (h *handler[T]) call(ctx context.Context, log *slog.Logger, args T) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			log.ErrorContext(ctx, "task panicked", slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
			err = errPanic // the panic's text may hold anything, and asynq stores errors in Redis
		}
	}()
	return h.fn(ctx, args)
}

// failed logs a failure, louder when it is the last, and decides whether there will be another run.
func (h *handler[T]) failed(ctx context.Context, log *slog.Logger, err error) error {
	log = log.With(slog.String("code", apperr.CodeOf(err)), slog.Any("error", err))
	switch {
	case permanent(err):
		log.ErrorContext(ctx, "task failed for good")
		return fmt.Errorf("%w: %w", err, asynq.SkipRetry)
	case lastRun(ctx):
		log.ErrorContext(ctx, "task failed for good, retries are used up")
	default:
		log.WarnContext(ctx, "task failed and will be retried")
	}
	return err
}

// outcomeOf names the end of a run in the metrics.
func outcomeOf(ctx context.Context, err error) string {
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, asynq.SkipRetry), lastRun(ctx):
		return "failed"
	default:
		return "retried"
	}
}

// permanent reports whether waiting cannot heal err, because the task itself is at fault. An error without an
// apperr.Kind is internal and may be temporary.
func permanent(err error) bool {
	switch apperr.From(err).Kind {
	case apperr.RateLimited, apperr.Unavailable, apperr.Internal:
		return false
	default:
		return true
	}
}

// lastRun reports whether asynq will archive the task when this run fails.
func lastRun(ctx context.Context) bool {
	retried, ok := asynq.GetRetryCount(ctx)
	most, known := asynq.GetMaxRetry(ctx)
	return ok && known && retried >= most
}

// describe names a run in the log.
func describe(ctx context.Context, kind string) []any {
	id, _ := asynq.GetTaskID(ctx)
	retried, _ := asynq.GetRetryCount(ctx)
	return []any{slog.String("kind", kind), slog.String("task_id", id), slog.Int("retry", retried)}
}
