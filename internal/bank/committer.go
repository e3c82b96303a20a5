package bank

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// How notifications reach Postgres: below groupFrom in flight one commits alone and at once; above, those
// that wait share a transaction, so that one fsync and a few statements serve many.
const (
	groupFrom     = 3
	batchers      = 2
	batchLimit    = 64
	queueLimit    = 1024
	commitTimeout = 4 * time.Second
	maxAttempts   = 5
)

// committer routes notifications to transactions.
type committer struct {
	bank     *Service
	queues   [batchers]chan *pending
	inFlight atomic.Int64

	mu     sync.Mutex
	closed bool
}

func newCommitter(s *Service) *committer {
	c := &committer{bank: s}
	for i := range c.queues {
		c.queues[i] = make(chan *pending, queueLimit)
	}
	return c
}

// commit brings a notification to Postgres and waits until it is decided.
func (c *committer) commit(ctx context.Context, p *pending) {
	defer c.inFlight.Add(-1)
	if c.inFlight.Add(1) <= groupFrom-1 {
		c.bank.commitBatch(ctx, []*pending{p})
	} else if !c.enqueue(p) {
		p.err = ErrBusy
	} else {
		<-p.done
	}
}

// enqueue hands a notification to the batcher of its key, so that equal ones meet there.
func (c *committer) enqueue(p *pending) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	p.queued = c.bank.Clock.Now()
	select {
	case c.queues[int(p.key[0])%batchers] <- p:
		return true
	default:
		return false
	}
}

// run serves the queues until ctx ends, then finishes what is queued.
func (c *committer) run(ctx context.Context) {
	var batching sync.WaitGroup
	for i := range c.queues {
		batching.Go(func() { c.serve(context.WithoutCancel(ctx), c.queues[i]) })
	}
	<-ctx.Done()
	c.close()
	batching.Wait()
}

func (c *committer) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	for i := range c.queues {
		close(c.queues[i])
	}
}

func (c *committer) serve(ctx context.Context, queue <-chan *pending) {
	batch := make([]*pending, 0, batchLimit)
	for p := range queue {
		batch = c.inTime(gather(append(batch[:0], p), queue))
		if len(batch) == 0 {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, callTimeout)
		c.bank.commitBatch(bounded, batch)
		cancel()
	}
}

// inTime refuses those that waited so long that nobody waits for them any more, without bothering Postgres: a
// queue behind a database that hangs ends here.
func (c *committer) inTime(batch []*pending) []*pending {
	now := c.bank.Clock.Now()
	return slices.DeleteFunc(batch, func(p *pending) bool {
		if now.Sub(p.queued) <= callTimeout {
			return false
		}
		p.err = ErrBusy
		close(p.done)
		return true
	})
}

// gather adds whatever is waiting already; nobody waits for company.
func gather(batch []*pending, queue <-chan *pending) []*pending {
	for len(batch) < batchLimit {
		select {
		case p, ok := <-queue:
			if !ok {
				return batch
			}
			batch = append(batch, p)
		default:
			return batch
		}
	}
	return batch
}

// commitBatch decides and writes notifications in one transaction and lets their callers go on. A batch that
// Postgres refuses is tried again one by one, so that one bad notification never hurts its neighbours; so is
// one that lost its request to somebody else, which then sees what is left.
func (s *Service) commitBatch(ctx context.Context, batch []*pending) {
	err := s.attempt(ctx, batch)
	alone := len(batch) == 1
	for _, p := range batch {
		switch {
		case err != nil && !alone && errors.Is(err, errRefused):
			s.commitBatch(ctx, []*pending{p})
			continue
		case err != nil:
			p.err = ErrStore.WithCause(err)
		case p.err != nil:
		case p.again && p.attempts >= maxAttempts:
			p.err = ErrBusy
		case p.again:
			p.attempts++
			s.commitBatch(ctx, []*pending{p})
			continue
		}
		close(p.done)
	}
}

// attempt writes a batch. One alone that Postgres refuses (a deadlock, a key that another process took
// meanwhile) is tried again; one whose commit was not answered is looked up.
func (s *Service) attempt(ctx context.Context, batch []*pending) error {
	var err error
	for range maxAttempts {
		err = s.writeBatch(ctx, batch)
		if len(batch) > 1 || !errors.Is(err, errRefused) {
			break
		}
	}
	if errors.Is(err, errUnknownOutcome) {
		return s.resolve(ctx, batch, err)
	}
	return err
}
