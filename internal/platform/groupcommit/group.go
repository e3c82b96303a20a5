package groupcommit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/clock"
)

// Errors of [Group.Commit]. The item was not written.
var (
	ErrQueueFull = errors.New("groupcommit: the queue is full")
	ErrClosed    = errors.New("groupcommit: the group is closed")
	ErrTooLate   = errors.New("groupcommit: the item waited too long in its queue")
)

// Limits are the bounds of a group.
type Limits struct {
	GroupFrom    int           // requests in flight from which items share transactions
	Batchers     int           // batches written at once
	BatchSize    int           // items of one batch
	QueueSize    int           // items that wait for one batcher
	Attempts     int           // writes of a single item that Postgres refuses
	BatchTimeout time.Duration // of one batch with all its attempts; 0 means no bound
	MaxQueueTime time.Duration // an item that waited longer is refused; 0 means no bound

	// A batch waits for further items while another batch is being written, until it has this part
	// (one in BatchShare) of the requests in flight, and at most for MaxBatchWait. 0 means no waiting.
	BatchShare   int
	MaxBatchWait time.Duration
	WaitIdle     bool // a batch waits for further items also while no other one is being written
}

// Store holds the steps of a write. Each may be called by several goroutines at once, for different items.
type Store[T any] struct {
	Name string // of the group in metrics
	// Key routes an item. Items of one key are written by one batcher, and no two of them commit alone concurrently.
	// Write must still lock the rows that they share.
	Key func(item T) uuid.UUID
	// Write decides the items of a batch and writes them in one transaction. It may be called again for the same
	// items. An error that wraps storage.ErrRefused means that nothing was written, one that wraps
	// storage.ErrUnknownOutcome that the commit was not answered.
	Write func(ctx context.Context, batch []T) error
	// Retry reports whether a single item is written again after Postgres refused it with err; nil means always.
	Retry func(err error) bool
	// FindOutcome finds out whether a batch was written whose commit was not answered. nil means that it was.
	FindOutcome func(ctx context.Context, batch []T, unknown error) error
	// Finish stores on each item what became of it. err is the error of Write or FindOutcome.
	Finish func(ctx context.Context, batch []T, err error)
	// Again reports that a finished item has to be decided again, alone; nil means never.
	Again func(item T) bool
}

// Committer is the part of a Group that a service keeps: an interface, for the reason that package cache gives.
type Committer[T any] interface {
	Arrive() (leave func())
	Commit(ctx context.Context, item T) error
	Run(ctx context.Context)
}

// Group writes items of type T.
type Group[T any] struct {
	store    Store[T]
	limits   Limits
	clock    clock.Clock
	queues   []chan *entry[T]
	inFlight atomic.Int64
	writing  atomic.Int64  // batches being written
	written  chan struct{} // receives when a batch was written

	mu     sync.Mutex
	busy   map[uuid.UUID]int // items being committed, by key
	closed bool
}

// entry is an item on its way through a group.
type entry[T any] struct {
	item     T
	queuedAt time.Time
	err      error
	done     chan struct{} // nil for an item that commits alone
}

// New returns a group. Run must be running for items that wait in a queue.
func New[T any](store Store[T], limits Limits, c clock.Clock) *Group[T] {
	g := &Group[T]{store: store, limits: limits, clock: c, busy: make(map[uuid.UUID]int), written: make(chan struct{}, 1)}
	g.queues = make([]chan *entry[T], limits.Batchers)
	for i := range g.queues {
		g.queues[i] = make(chan *entry[T], limits.QueueSize)
	}
	return g
}

// Arrive counts a request that will commit an item, so that a batch knows how many may follow. The returned
// function ends the count.
func (g *Group[T]) Arrive() (leave func()) {
	g.inFlight.Add(1)
	return func() { g.inFlight.Add(-1) }
}

// Commit writes an item and returns when it is finished. An item alone is written under ctx; one that shares a
// transaction is finished even if ctx ends. Errors: ErrQueueFull, ErrClosed, ErrTooLate.
func (g *Group[T]) Commit(ctx context.Context, item T) error {
	key := g.store.Key(item)
	alone := g.enter(key)
	defer g.leave(key)
	return g.commitAs(ctx, key, item, alone)
}

// commitAs writes an item of an entered key, alone or in the queue of the key.
func (g *Group[T]) commitAs(ctx context.Context, key uuid.UUID, item T, alone bool) error {
	e := &entry[T]{item: item}
	if alone {
		g.commit(ctx, []*entry[T]{e})
		return nil
	}
	e.done = make(chan struct{})
	if g.limits.MaxQueueTime > 0 {
		e.queuedAt = g.clock.Now()
	}
	if err := g.enqueue(key, e); err != nil {
		return err
	}
	<-e.done
	return e.err
}

// enter counts the item's key and reports whether the item commits alone.
func (g *Group[T]) enter(key uuid.UUID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy[key]++
	return g.inFlight.Load() < int64(g.limits.GroupFrom) && g.busy[key] == 1
}

func (g *Group[T]) leave(key uuid.UUID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy[key]--; g.busy[key] == 0 {
		delete(g.busy, key)
	}
}

// enqueue puts an item into the queue of its key. The last byte of a key is random in every version of UUID.
func (g *Group[T]) enqueue(key uuid.UUID, e *entry[T]) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return ErrClosed
	}
	select {
	case g.queues[int(key[15])%len(g.queues)] <- e:
		return nil
	default:
		return ErrQueueFull
	}
}

// Run serves the queues until ctx ends, then refuses further items and finishes those that wait.
func (g *Group[T]) Run(ctx context.Context) {
	var batchers sync.WaitGroup
	for _, queue := range g.queues {
		batchers.Go(func() { g.serve(context.WithoutCancel(ctx), queue) })
	}
	<-ctx.Done()
	g.close()
	batchers.Wait()
}

func (g *Group[T]) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	g.closed = true
	for _, queue := range g.queues {
		close(queue)
	}
}
