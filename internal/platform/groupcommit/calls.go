package groupcommit

import (
	"context"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/clock"
	"banca/storage"
)

// Limits of [Calls]. A call waits at most callsWait for others, and only while several are expected.
const (
	callsTogether = 3 // expected calls from which they share a run
	callsBatch    = 128
	callsQueue    = 4096
	callsAttempts = 2
	callsTimeout  = 5 * time.Second
	callsShare    = 2
	callsWait     = 10 * time.Millisecond
)

// Call is one call of [Calls].
type Call[A, R any] struct {
	Argument A
	Result   R
	Err      error // of this call alone
	Again    bool  // asks for a run of this call alone, such as for a row that another transaction has locked

	key uuid.UUID
}

// Calls lets concurrent calls share one run of a function, such as a statement over all their ids.
type Calls[A, R any] struct {
	group *Group[*Call[A, R]]
}

// NewCalls returns calls that share run, which sets Result or Err of each call. An error of run is the error of all its
// calls, but one of Postgres makes each of several calls run alone, so that a bad one does not fail the others: run may see
// a call twice, and must have no effect where it fails.
func NewCalls[A, R any](name string, run func(ctx context.Context, calls []*Call[A, R]) error, c clock.Clock) *Calls[A, R] {
	return &Calls[A, R]{group: New(Store[*Call[A, R]]{
		Name: name,
		Key:  func(c *Call[A, R]) uuid.UUID { return c.key },
		Write: func(ctx context.Context, calls []*Call[A, R]) error {
			for _, c := range calls {
				var none R
				c.Result, c.Err, c.Again = none, nil, false
			}
			return storage.Refused(run(ctx, calls))
		},
		FindOutcome: func(_ context.Context, _ []*Call[A, R], unknown error) error { return unknown },
		Finish: func(_ context.Context, calls []*Call[A, R], err error) {
			for _, c := range calls {
				if err != nil {
					c.Err, c.Again = err, false
				}
			}
		},
		Again: func(c *Call[A, R]) bool { return c.Again },
	}, Limits{
		GroupFrom: callsTogether, Batchers: 1, BatchSize: callsBatch, QueueSize: callsQueue, Attempts: callsAttempts,
		BatchTimeout: callsTimeout, BatchShare: callsShare, MaxBatchWait: callsWait, WaitIdle: true,
	}, c)}
}

// Expect counts a call that will come, so that others wait for it. The returned function ends the count.
func (c *Calls[A, R]) Expect() (leave func()) { return c.group.Arrive() }

// Do makes a call and returns its result. Calls of one key may share a run, in the order of Do. Errors: errors of the
// function, ErrQueueFull, ErrClosed.
func (c *Calls[A, R]) Do(ctx context.Context, key uuid.UUID, argument A) (R, error) {
	call := &Call[A, R]{Argument: argument, key: key}
	if err := c.group.Commit(ctx, call); err != nil {
		return call.Result, err
	}
	return call.Result, call.Err
}

// Run serves calls that share a run until ctx ends.
func (c *Calls[A, R]) Run(ctx context.Context) { c.group.Run(ctx) }
