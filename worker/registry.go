package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/hibiken/asynq"

	"banca/internal/platform/clock"
	"banca/tasks"
)

// Errors of wiring.
var (
	ErrDuplicateHandler = errors.New("worker: kind has a handler already")
	ErrMissingHandlers  = errors.New("worker: kinds without a handler")
)

// Registry maps each kind of task to its handler. Fill it before the server starts; it is read only then.
type Registry struct {
	clock    clock.Clock
	log      *slog.Logger
	handlers map[string]asynq.Handler
}

// NewRegistry returns an empty registry whose handlers log to log and measure with clk.
func NewRegistry(clk clock.Clock, log *slog.Logger) *Registry {
	return &Registry{clock: clk, log: log, handlers: map[string]asynq.Handler{}}
}

// Handle makes fn the handler of T's kind. It is a function because a method cannot have type parameters.
func Handle[T tasks.Args](r *Registry, fn func(ctx context.Context, args T) error) error {
	var zero T
	spec := zero.Spec()
	kind := spec.Kind
	if _, ok := tasks.SpecOf(kind); !ok {
		return fmt.Errorf("%w: %q", tasks.ErrUnknownKind, kind)
	}
	if _, taken := r.handlers[kind]; taken {
		return fmt.Errorf("%w: %q", ErrDuplicateHandler, kind)
	}
	r.handlers[kind] = &handler[T]{kind: kind, timeout: spec.Timeout, fn: fn, clock: r.clock, log: r.log}
	return nil
}

// Missing lists the kinds that have no handler yet.
func (r *Registry) Missing() []string {
	var missing []string
	for _, kind := range tasks.Kinds() {
		if _, ok := r.handlers[kind]; !ok {
			missing = append(missing, kind)
		}
	}
	return missing
}

// ProcessTask implements asynq.Handler. A task of an unknown kind was written by a newer release; it is
// retried, so that a worker of that release gets it.
func (r *Registry) ProcessTask(ctx context.Context, task *asynq.Task) error {
	h, ok := r.handlers[task.Type()]
	if !ok {
		r.log.WarnContext(ctx, "task of an unknown kind", describe(ctx, task.Type())...)
		return fmt.Errorf("%w: %q", tasks.ErrUnknownKind, task.Type())
	}
	return h.ProcessTask(ctx, task)
}
