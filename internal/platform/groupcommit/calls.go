package groupcommit

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/apperr"
	"banca/internal/platform/clock"
)

// Limits of [Calls]. A call waits at most callsWait for others, and only while several are expected.
const (
	callsTogether = 3 // expected calls from which they share a run
	callsBatch    = 128
	callsQueue    = 4096
	callsTimeout  = 5 * time.Second
	callsShare    = 1
	callsWait     = 20 * time.Millisecond
	callsAlone    = 2 // runs of single calls at a time, which may wait for locks
)

// Call is one call of [Calls].
type Call[A, R any] struct {
	Argument A
	Result   R
	Err      error // of this call alone
	Again    bool  // asks for a run of this call alone, such as for a row that another transaction has locked

	key   uuid.UUID
	alone bool // runs where its caller waits
}

func (c *Call[A, R]) reset() {
	var none R
	c.Result, c.Err, c.Again = none, nil, false
}

// MayWait reports whether a run may wait for locks: the run of a call alone, where only its caller waits. A run of the queue,
// also with a single call, holds up the calls behind it.
func MayWait[A, R any](calls []*Call[A, R]) bool { return len(calls) == 1 && calls[0].alone }

// Calls lets concurrent calls share one run of a function, such as a statement over all their ids. It is an interface for
// the reason that package cache gives.
type Calls[A, R any] interface {
	// Expect counts a call that will come, so that others wait for it. The returned function ends the count.
	Expect() (leave func())
	// Do makes a call and returns its result. Calls of one key may share a run, in the order of Do. A call that runs alone
	// holds up no others. A run is finished though ctx ends, so that its result is known; it lasts at most 5 s. Errors:
	// errors of the function, ErrQueueFull, and the error of ctx where it ended before the call ran.
	Do(ctx context.Context, key uuid.UUID, argument A) (R, error)
	// Run serves calls that share a run until ctx ends.
	Run(ctx context.Context)
}

type sharing[A, R any] struct {
	group *Group[*Call[A, R]]
	run   func(ctx context.Context, calls []*Call[A, R]) error
	alone chan struct{}
}

// NewCalls returns calls that share run, which sets Result or Err of each call. Where run fails or panics, each of
// several calls runs alone, so that a bad one does not fail the others; an outage of a store is the error of all. So run
// may see a call twice, and must have no effect where it fails.
func NewCalls[A, R any](name string, run func(ctx context.Context, calls []*Call[A, R]) error, c clock.Clock) Calls[A, R] {
	calls := &sharing[A, R]{run: run, alone: make(chan struct{}, callsAlone)}
	calls.group = New(Store[*Call[A, R]]{
		Name:        name,
		Key:         func(c *Call[A, R]) uuid.UUID { return c.key },
		Write:       calls.share,
		FindOutcome: func(_ context.Context, _ []*Call[A, R], unknown error) error { return unknown },
		Finish:      func(context.Context, []*Call[A, R], error) {},
	}, Limits{
		GroupFrom: callsTogether, Batchers: 1, BatchSize: callsBatch, QueueSize: callsQueue,
		BatchTimeout: callsTimeout, BatchShare: callsShare, MaxBatchWait: callsWait, WaitIdle: true,
	}, c)
	return calls
}

// share runs the function for calls. A panic makes the calls run alone, each where its own caller recovers.
func (c *sharing[A, R]) share(ctx context.Context, calls []*Call[A, R]) error {
	whole := false
	defer func() {
		if !whole && recover() != nil {
			again(calls)
		}
	}()
	for _, call := range calls {
		call.reset()
	}
	err := c.run(ctx, calls)
	whole = true
	switch {
	case err == nil:
	case len(calls) > 1 && apperr.From(err).Kind != apperr.Unavailable && !errors.Is(err, context.Canceled):
		again(calls)
	default:
		for _, call := range calls {
			call.Err, call.Again = err, false
		}
	}
	return nil
}

func again[A, R any](calls []*Call[A, R]) {
	for _, call := range calls {
		call.Again = true
	}
}

// Expect implements Calls.
func (c *sharing[A, R]) Expect() (leave func()) { return c.group.Arrive() }

// Do implements Calls.
func (c *sharing[A, R]) Do(ctx context.Context, key uuid.UUID, argument A) (R, error) {
	call := &Call[A, R]{Argument: argument, key: key}
	call.alone = c.group.enter(key)
	defer c.group.leave(key)
	lasting, cancel := untilDone(ctx)
	defer cancel()
	err := c.group.commitAs(lasting, key, call, call.alone)
	switch {
	case errors.Is(err, ErrClosed) || err == nil && call.Again:
		return c.runAlone(ctx, call)
	case err != nil:
		return call.Result, err
	}
	return call.Result, call.Err
}

// untilDone returns a context of a run that does not end with its caller's.
func untilDone(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), callsTimeout)
}

func (c *sharing[A, R]) runAlone(ctx context.Context, call *Call[A, R]) (R, error) {
	select {
	case c.alone <- struct{}{}:
		defer func() { <-c.alone }()
	case <-ctx.Done():
		return call.Result, ctx.Err()
	}
	ctx, cancel := untilDone(ctx)
	defer cancel()
	call.reset()
	call.alone = true
	if err := c.run(ctx, []*Call[A, R]{call}); err != nil {
		return call.Result, err
	}
	return call.Result, call.Err
}

// Run implements Calls.
func (c *sharing[A, R]) Run(ctx context.Context) { c.group.Run(ctx) }
