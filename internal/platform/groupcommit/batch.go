package groupcommit

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"banca/internal/platform/telemetry"
	"banca/storage"
)

// serve writes the items of a queue until it is closed and empty.
func (g *Group[T]) serve(ctx context.Context, queue <-chan *entry[T]) {
	batch := make([]*entry[T], 0, g.limits.BatchSize)
	for e := range queue {
		batch = g.refuseLate(g.fillBatch(append(batch[:0], e), queue))
		if len(batch) > 0 {
			g.writeBatch(ctx, batch)
		}
	}
}

func (g *Group[T]) writeBatch(ctx context.Context, batch []*entry[T]) {
	if g.limits.BatchTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, g.limits.BatchTimeout)
		defer cancel()
	}
	g.writing.Add(1)
	g.commit(ctx, batch)
	g.writing.Add(-1)
	select {
	case g.written <- struct{}{}:
	default: // a batcher that waits is woken already
	}
}

// fillBatch adds the waiting items and, while another batch is being written, those that come until then or
// until the batch has its share of the requests in flight. A transaction costs Postgres as much as the rows of
// half a dozen items, and waiting costs nothing while another one is being written.
func (g *Group[T]) fillBatch(batch []*entry[T], queue <-chan *entry[T]) []*entry[T] {
	batch = g.drain(batch, queue)
	if !g.wantsMore(batch) {
		return batch
	}
	timeout := time.NewTimer(g.limits.MaxBatchWait)
	defer timeout.Stop()
	for g.wantsMore(batch) {
		select {
		case e, ok := <-queue:
			if !ok {
				return batch
			}
			batch = g.drain(append(batch, e), queue)
		case <-g.written:
		case <-timeout.C:
			return batch
		}
	}
	return batch
}

func (g *Group[T]) wantsMore(batch []*entry[T]) bool {
	return g.limits.BatchShare > 0 && (g.limits.WaitIdle || g.writing.Load() > 0) &&
		len(batch) < min(int(g.inFlight.Load())/g.limits.BatchShare, g.limits.BatchSize)
}

// drain adds the waiting items, up to the size of a batch.
func (g *Group[T]) drain(batch []*entry[T], queue <-chan *entry[T]) []*entry[T] {
	for len(batch) < g.limits.BatchSize {
		select {
		case e, ok := <-queue:
			if !ok {
				return batch
			}
			batch = append(batch, e)
		default:
			return batch
		}
	}
	return batch
}

// refuseLate refuses the items that waited longer than MaxQueueTime without asking Postgres, which bounds the
// queue behind a database that hangs.
func (g *Group[T]) refuseLate(batch []*entry[T]) []*entry[T] {
	if g.limits.MaxQueueTime == 0 {
		return batch
	}
	now := g.clock.Now()
	return slices.DeleteFunc(batch, func(e *entry[T]) bool {
		if now.Sub(e.queuedAt) <= g.limits.MaxQueueTime {
			return false
		}
		e.err = ErrTooLate
		close(e.done)
		return true
	})
}

// commit writes a batch and finishes its items.
func (g *Group[T]) commit(ctx context.Context, batch []*entry[T]) {
	items := make([]T, len(batch))
	for i, e := range batch {
		items[i] = e.item
	}
	err := g.write(ctx, items)
	if len(batch) > 1 && errors.Is(err, storage.ErrRefused) {
		for i := range batch {
			g.commit(ctx, batch[i:i+1])
		}
		return
	}
	for attempt := 1; attempt < g.limits.Attempts && g.retryable(batch, err); attempt++ {
		err = g.write(ctx, items)
	}
	if errors.Is(err, storage.ErrUnknownOutcome) {
		err = g.store.FindOutcome(ctx, items, err)
	}
	g.store.Finish(ctx, items, err)
	g.release(ctx, batch)
}

// write calls Store.Write. A panic is an error of its batch, because a batcher has no request whose handler recovers. It
// may come after the commit, so the outcome is unknown.
func (g *Group[T]) write(ctx context.Context, items []T) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%w: panic: %v\n%s", storage.ErrUnknownOutcome, value, debug.Stack())
		}
	}()
	ctx, stage := telemetry.GroupWrites.Begin(ctx, g.store.Name)
	defer func() { stage.End(err) }()
	telemetry.GroupItems.Observe(g.store.Name, len(items))
	return g.store.Write(ctx, items)
}

func (g *Group[T]) retryable(batch []*entry[T], err error) bool {
	return len(batch) == 1 && errors.Is(err, storage.ErrRefused) && (g.store.Retry == nil || g.store.Retry(err))
}

// release lets the callers of finished items go on and writes the others again, one by one.
func (g *Group[T]) release(ctx context.Context, batch []*entry[T]) {
	var again []*entry[T]
	for _, e := range batch {
		switch {
		case g.store.Again != nil && g.store.Again(e.item):
			again = append(again, e)
		case e.done != nil:
			close(e.done)
		}
	}
	for i := range again {
		g.commit(ctx, again[i:i+1])
	}
}
