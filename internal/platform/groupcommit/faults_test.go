package groupcommit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/platform/clock"
	"banca/storage"
)

// Items that wait when the group closes are finished; later ones are refused.
func TestCloseWhileItemsWait(t *testing.T) {
	t.Parallel()
	s := newStore()
	entered, proceed := make(chan struct{}, 16), make(chan struct{})
	s.write = func([]*item) error { entered <- struct{}{}; <-proceed; return nil }
	g := New(s.steps(), limits(), clock.System{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); g.Run(ctx) }()
	list := items(13)
	wait := commitAll(t, g, list[0])
	<-entered
	rest := commitAll(t, g, list[1:12]...)
	queued(t, g, 11)
	cancel()
	require.Eventually(t, func() bool { g.mu.Lock(); defer g.mu.Unlock(); return g.closed }, waitFor, tick)
	require.ErrorIs(t, g.Commit(t.Context(), list[12]), ErrClosed)
	close(proceed)
	<-ended
	for _, err := range slices.Concat(wait(), rest()) {
		require.NoError(t, err)
	}
	requireFinished(t, list[:12]...)
	require.Len(t, s.committed, 12)
}

func refuse(name string, err error) func(batch []*item) error {
	return func(batch []*item) error {
		if slices.ContainsFunc(batch, func(i *item) bool { return i.name == name }) {
			return err
		}
		return nil
	}
}

// A batch that Postgres refuses is written item by item: only the bad one fails.
func TestARefusedBatchIsWrittenItemByItem(t *testing.T) {
	t.Parallel()
	s := newStore()
	refused := fmt.Errorf("%w: check constraint", storage.ErrRefused)
	var writes atomic.Int64
	s.write = func(batch []*item) error { writes.Add(1); return refuse("3", refused)(batch) }
	g := New(s.steps(), limits(), clock.System{})
	list := items(8)
	wait := commitAll(t, g, list...)
	queued(t, g, 8)
	start(t, g)
	for _, err := range wait() {
		require.NoError(t, err)
	}
	requireFinished(t, list...)
	for _, i := range list {
		require.Equal(t, i.name != "3", i.err == nil, i.name)
	}
	require.ErrorIs(t, list[3].err, storage.ErrRefused)
	require.Len(t, s.committed, 7)
	require.EqualValues(t, 1+7+3, writes.Load(), "the bad one three times")
}

// A panic in a batch is the error of its items, if they were not committed before it; the group goes on.
func TestAPanicEndsItsBatchOnly(t *testing.T) {
	t.Parallel()
	for _, committed := range []bool{false, true} {
		s := newStore()
		s.write = func(batch []*item) error {
			if slices.ContainsFunc(batch, func(i *item) bool { return i.name == "3" }) {
				if committed {
					s.commit(batch)
				}
				panic("a fault of the domain")
			}
			return nil
		}
		g := New(s.steps(), limits(), clock.System{})
		list := items(9)
		wait := commitAll(t, g, list[:8]...)
		queued(t, g, 8)
		start(t, g)
		for _, err := range wait() {
			require.NoError(t, err)
		}
		require.NoError(t, g.Commit(t.Context(), list[8]))
		requireFinished(t, list...)
		require.NoError(t, list[8].err)
		for _, i := range list[:8] {
			require.Equal(t, committed, i.err == nil, i.name)
			if !committed {
				require.ErrorIs(t, i.err, errNotWritten)
			}
		}
	}
}

// A batch that Postgres does not answer is not written item by item: the others would only wait longer.
func TestAnUnansweredBatchIsNotSplit(t *testing.T) {
	t.Parallel()
	s := newStore()
	away := errors.New("dial: connection refused")
	var writes atomic.Int64
	s.write = func([]*item) error { writes.Add(1); return away }
	g := New(s.steps(), limits(), clock.System{})
	list := items(8)
	wait := commitAll(t, g, list...)
	queued(t, g, 8)
	start(t, g)
	wait()
	requireFinished(t, list...)
	for _, i := range list {
		require.ErrorIs(t, i.err, away)
	}
	require.EqualValues(t, 1, writes.Load())
}

func TestASingleItemIsRetriedWhileRetryAllowsIt(t *testing.T) {
	t.Parallel()
	duplicate := fmt.Errorf("%w: duplicate key", storage.ErrRefused)
	for name, tt := range map[string]struct {
		failures int
		retry    func(error) bool
		writes   int64
		err      error
	}{
		"then written":      {failures: 2, writes: 3},
		"too often":         {failures: 9, writes: 3, err: duplicate},
		"not to be retried": {failures: 9, retry: func(error) bool { return false }, writes: 1, err: duplicate},
	} {
		s := newStore()
		var writes atomic.Int64
		s.write = func([]*item) error {
			if writes.Add(1) <= int64(tt.failures) {
				return duplicate
			}
			return nil
		}
		steps, l := s.steps(), limits()
		steps.Retry, l.GroupFrom = tt.retry, 1
		i := items(1)[0]
		require.NoError(t, New(steps, l, clock.System{}).Commit(t.Context(), i), name)
		requireFinished(t, i)
		require.ErrorIs(t, i.err, tt.err, name)
		require.Equal(t, tt.writes, writes.Load(), name)
	}
}

// A commit whose answer is lost is looked up once and not written again.
func TestALostCommitIsLookedUp(t *testing.T) {
	t.Parallel()
	for _, committed := range []bool{true, false} {
		s := newStore()
		if committed {
			s.lost = func([]*item) bool { return true }
		} else {
			s.write = func([]*item) error { return storage.ErrUnknownOutcome }
		}
		g := New(s.steps(), limits(), clock.System{})
		list := items(5)
		wait := commitAll(t, g, list...)
		queued(t, g, 5)
		start(t, g)
		wait()
		requireFinished(t, list...)
		for _, i := range list {
			if committed {
				require.NoError(t, i.err)
			} else {
				require.ErrorIs(t, i.err, errNotWritten)
			}
		}
		require.Equal(t, committed, len(s.batches) == 1)
	}
}

// An item to be decided again is written alone, after the callers of the others went on.
func TestAnItemIsDecidedAgainInItsOwnBatch(t *testing.T) {
	t.Parallel()
	s := newStore()
	proceed := make(chan struct{})
	s.write = func(batch []*item) error {
		if len(batch) == 1 {
			<-proceed
		}
		return nil
	}
	g := New(s.steps(), limits(), clock.System{})
	list := items(4)
	list[1].again = 2
	repeated := commitAll(t, g, list[1])
	others := commitAll(t, g, list[0], list[2], list[3])
	queued(t, g, 4)
	start(t, g)
	others()
	requireFinished(t, list[0], list[2], list[3])
	close(proceed)
	repeated()
	require.Equal(t, 3, list[1].finished)
	require.Equal(t, [][]string{{"1"}, {"1"}}, s.batches[1:])
}

// Whatever fails, every accepted item is finished once and its error is correct about whether it is committed.
func TestRandomFaults(t *testing.T) {
	t.Parallel()
	s := newStore()
	s.write = func(batch []*item) error {
		switch rand.IntN(6) {
		case 0:
			return fmt.Errorf("%w: deadlock", storage.ErrRefused)
		case 1:
			return fmt.Errorf("%w: reset before the commit", storage.ErrUnknownOutcome)
		case 2:
			return errors.New("no connection")
		}
		return nil
	}
	s.lost = func([]*item) bool { return rand.IntN(4) == 0 }
	l := limits()
	l.GroupFrom, l.Batchers, l.BatchShare, l.MaxBatchWait, l.QueueSize = 3, 2, 3, tick, 20
	g := New(s.steps(), l, clock.System{})
	stop := start(t, g)
	const workers, each = 16, 60
	list := items(workers * each)
	accepted := make([]bool, len(list))
	var running sync.WaitGroup
	var done atomic.Int64
	for worker := range workers {
		running.Go(func() {
			for n := worker * each; n < (worker+1)*each; n++ {
				leave := g.Arrive()
				accepted[n] = g.Commit(t.Context(), list[n]) == nil
				leave()
				done.Add(1)
			}
		})
	}
	require.Eventually(t, func() bool { return done.Load() > workers*each/2 }, waitFor, tick)
	stop()
	running.Wait()
	for n, i := range list {
		if !accepted[n] {
			require.Zero(t, i.finished, i.name)
			require.False(t, s.committed[i.name], i.name)
			continue
		}
		require.Equal(t, 1, i.finished, i.name)
		require.Equal(t, i.err == nil, s.committed[i.name], "%s: %v", i.name, i.err)
	}
}
