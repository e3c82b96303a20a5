package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/telemetry"
	"banca/tasks"
)

// Row is a task that is not written yet. Its id becomes the task's id in the queue.
type Row struct {
	ID        uuid.UUID
	Kind      string
	Payload   []byte
	ProcessAt time.Time // zero means at once
	Trace     string    // traceparent of the request or task that asked for it; "" without one
}

// Option changes a row from its default: a new id, to be processed at once.
type Option func(*Row)

// At delays the task until t. The row itself goes to the queue at once and waits there.
func At(t time.Time) Option { return func(r *Row) { r.ProcessAt = t } }

// WithID gives the row an id of the caller's, for a task that several processes may ask for.
func WithID(id uuid.UUID) Option { return func(r *Row) { r.ID = id } }

// TracedBy makes the task a part of the trace that ctx belongs to. EnqueueTx and EnqueueOnce do that by themselves;
// it is for rows that are written together with rows of other requests.
func TracedBy(ctx context.Context) Option {
	return func(r *Row) { r.Trace = telemetry.TraceOf(ctx) }
}

// NewRow returns a row for args. Ids are UUIDv7, so that rows are read about as they were written.
func NewRow(args tasks.Args, opts ...Option) (Row, error) {
	payload, err := tasks.Encode(args)
	if err != nil {
		return Row{}, err
	}
	row := Row{Kind: args.Spec().Kind, Payload: payload}
	for _, opt := range opts {
		opt(&row)
	}
	if row.ID != uuid.Nil {
		return row, nil
	}
	if row.ID, err = uuid.NewV7(); err != nil {
		return Row{}, fmt.Errorf("outbox: id: %w", err)
	}
	return row, nil
}
