package worker

import (
	"context"

	"github.com/hibiken/asynq"
)

// HandleMissing gives each kind without a handler one that does nothing.
func (r *Registry) HandleMissing() {
	for _, kind := range r.Missing() {
		r.handlers[kind] = asynq.HandlerFunc(func(context.Context, *asynq.Task) error { return nil })
	}
}
