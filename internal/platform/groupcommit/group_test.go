package groupcommit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/clock"
	"banca/storage"
)

const (
	waitFor = 10 * time.Second
	tick    = time.Millisecond
)

// item is written by the tests.
type item struct {
	name     string
	key      uuid.UUID
	again    int // times it is to be decided again
	finished int
	err      error
}

// store keeps committed items in memory. A test sets the steps that it replaces.
type store struct {
	mu        sync.Mutex
	committed map[string]bool
	batches   [][]string
	write     func(batch []*item) error // called before a batch is committed; an error is returned without the commit
	lost      func(batch []*item) bool  // the commit is carried out and its answer lost
}

func newStore() *store { return &store{committed: make(map[string]bool)} }

func (s *store) steps() Store[*item] {
	return Store[*item]{
		Key: func(i *item) uuid.UUID { return i.key },
		Write: func(_ context.Context, batch []*item) error {
			if s.write != nil {
				if err := s.write(batch); err != nil {
					return err
				}
			}
			s.commit(batch)
			if s.lost != nil && s.lost(batch) {
				return fmt.Errorf("%w: connection reset", storage.ErrUnknownOutcome)
			}
			return nil
		},
		FindOutcome: func(_ context.Context, batch []*item, unknown error) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.committed[batch[0].name] {
				return nil
			}
			return errNotWritten
		},
		Finish: func(_ context.Context, batch []*item, err error) {
			for _, i := range batch {
				i.err = err
				i.finished++
			}
		},
		Again: func(i *item) bool { i.again--; return i.again >= 0 },
	}
}

var errNotWritten = errors.New("not written")

func (s *store) commit(batch []*item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, i := range batch {
		s.committed[i.name] = true
		names = append(names, i.name)
	}
	s.batches = append(s.batches, names)
}

// limits send every item to one batcher.
func limits() Limits { return Limits{Batchers: 1, BatchSize: 8, QueueSize: 16, Attempts: 3} }

func start(t *testing.T, g *Group[*item]) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); g.Run(ctx) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

// commitAll commits items at once. The returned function waits for their ends and returns the errors of Commit.
func commitAll(t *testing.T, g *Group[*item], list ...*item) (wait func() []error) {
	t.Helper()
	errs := make([]error, len(list))
	var running sync.WaitGroup
	for n, i := range list {
		running.Go(func() { errs[n] = g.Commit(t.Context(), i) })
	}
	return func() []error { running.Wait(); return errs }
}

func items(n int) []*item {
	list := make([]*item, n)
	for i := range list {
		list[i] = &item{name: strconv.Itoa(i), key: uuid.New()}
	}
	return list
}

// queued waits until n items are in the queue.
func queued(t *testing.T, g *Group[*item], n int) {
	t.Helper()
	require.Eventually(t, func() bool { return len(g.queues[0]) == n }, waitFor, tick)
}

func requireFinished(t *testing.T, list ...*item) {
	t.Helper()
	for _, i := range list {
		require.Equal(t, 1, i.finished, i.name)
	}
}

func TestASingleItemCommitsWithoutABatcher(t *testing.T) {
	t.Parallel()
	s := newStore()
	l := limits()
	l.GroupFrom = 2
	g := New(s.steps(), l, clock.System{}) // Run is not called
	for _, i := range items(3) {
		leave := g.Arrive()
		require.NoError(t, g.Commit(t.Context(), i))
		leave()
		requireFinished(t, i)
	}
	require.Len(t, s.batches, 3)
	require.Empty(t, g.busy)
}

func TestWaitingItemsShareATransaction(t *testing.T) {
	t.Parallel()
	s := newStore()
	g := New(s.steps(), limits(), clock.System{})
	list := items(20)
	wait := commitAll(t, g, list[:12]...)
	queued(t, g, 12)
	start(t, g)
	for _, err := range wait() {
		require.NoError(t, err)
	}
	requireFinished(t, list[:12]...)
	require.Len(t, s.committed, 12)
	require.Len(t, s.batches, 2, "at most eight items in one transaction")
}

// While one batch is being written, the next one waits for its share of the requests in flight.
func TestABatchWaitsForItemsWhileAnotherIsWritten(t *testing.T) {
	t.Parallel()
	s := newStore()
	entered, proceed := make(chan struct{}, 1), make(chan struct{})
	s.write = func(batch []*item) error {
		if batch[0].name == "first" {
			entered <- struct{}{}
			<-proceed
		}
		return nil
	}
	l := limits()
	l.Batchers, l.BatchShare, l.MaxBatchWait = 2, 2, time.Hour
	g := New(s.steps(), l, clock.System{})
	for range 6 {
		defer g.Arrive()()
	}
	start(t, g)
	even, odd := uuid.UUID{}, uuid.UUID{15: 1} // of two batchers
	first := commitAll(t, g, &item{name: "first", key: even})
	<-entered
	rest := []*item{{name: "a", key: odd}, {name: "b", key: odd}, {name: "c", key: odd}}
	for _, err := range commitAll(t, g, rest...)() {
		require.NoError(t, err)
	}
	requireFinished(t, rest...)
	require.Len(t, s.batches, 1, "half of six requests in flight are one batch, written beside the first")
	require.Len(t, s.batches[0], 3)

	last := commitAll(t, g, &item{name: "last", key: odd})
	close(proceed)
	last() // the end of the other batch ends the waiting
	first()
	require.Len(t, s.committed, 5)
}

// However few requests are in flight, one item of a key commits alone; the others of that key go through its batcher. So at
// most two writes of a key run at once.
func TestItemsOfOneKeyShareCommits(t *testing.T) {
	t.Parallel()
	s := newStore()
	keys := []uuid.UUID{uuid.New(), uuid.New()}
	var mu sync.Mutex
	active := make(map[uuid.UUID]int)
	s.write = func(batch []*item) error {
		writing := make(map[uuid.UUID]bool)
		for _, i := range batch {
			writing[i.key] = true
		}
		mu.Lock()
		for key := range writing {
			if active[key]++; active[key] > 2 {
				t.Errorf("%d writes of key %s at once", active[key], key)
			}
		}
		mu.Unlock()
		time.Sleep(100 * time.Microsecond)
		mu.Lock()
		defer mu.Unlock()
		for key := range writing {
			active[key]--
		}
		return nil
	}
	l := limits()
	l.GroupFrom, l.Batchers, l.QueueSize = 1000, 2, 1000
	g := New(s.steps(), l, clock.System{})
	start(t, g)
	var running sync.WaitGroup
	for worker := range 6 {
		running.Go(func() {
			for n := range 100 {
				leave := g.Arrive()
				if err := g.Commit(t.Context(), &item{name: fmt.Sprint(worker, n), key: keys[(worker+n)%len(keys)]}); err != nil {
					t.Error(err)
				}
				leave()
			}
		})
	}
	running.Wait()
	require.Len(t, s.committed, 600)
}

// An item that waited too long is refused, and so is one that arrives when the queue is full or closed; none of them
// is written.
func TestTheQueueIsBounded(t *testing.T) {
	t.Parallel()
	s := newStore()
	now := clock.NewFake(time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC))
	l := limits()
	l.MaxQueueTime = 10 * time.Second
	g := New(s.steps(), l, now)
	list := items(l.QueueSize + 2)
	late := commitAll(t, g, list[0])
	queued(t, g, 1)
	now.Advance(l.MaxQueueTime + 1)
	fresh := commitAll(t, g, list[1:l.QueueSize]...)
	queued(t, g, l.QueueSize)
	require.ErrorIs(t, g.Commit(t.Context(), list[l.QueueSize]), ErrQueueFull)
	stop := start(t, g)
	require.ErrorIs(t, late()[0], ErrTooLate)
	for _, err := range fresh() {
		require.NoError(t, err)
	}
	stop()
	require.ErrorIs(t, g.Commit(t.Context(), list[l.QueueSize+1]), ErrClosed)
	requireFinished(t, list[1:l.QueueSize]...)
	require.Len(t, s.committed, l.QueueSize-1)
	for _, refused := range []*item{list[0], list[l.QueueSize], list[l.QueueSize+1]} {
		require.Zero(t, refused.finished)
		require.False(t, s.committed[refused.name])
	}
}
