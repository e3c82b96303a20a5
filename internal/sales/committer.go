package sales

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/risk"
	"banca/models"
	"banca/tasks/outbox"
)

// How sales reach Postgres. Below groupFrom in flight a sale commits alone and at once; above, and
// for a wallet that another sale holds, waiting sales share a transaction, so that one fsync and a few
// statements serve many. Measured: docs/performance.md.
const (
	groupFrom      = 3
	batchers       = 2
	batchLimit     = 64
	companyShare   = 3                    // a batch waits for a third of the sales in flight, and only while another is committed
	companyWait    = 5 * time.Millisecond // at most, however long the other batch takes
	queueLimit     = 1024
	confirmLimit   = 4096
	confirmBatch   = 256
	readTimeout    = 5 * time.Second // of everything before the commit
	commitTimeout  = 5 * time.Second
	confirmTimeout = 2 * time.Second
)

// pendingSale is a sale ready to be committed, and then what became of it.
type pendingSale struct {
	quote       *quote
	ticket      models.Ticket
	wallet      uuid.UUID
	money       []ledger.Transaction
	outbox      outbox.Row
	reservation *risk.Reservation
	key         uuid.UUID // Nil without an idempotency key
	hash        [32]byte
	cuts        []Cut

	result outcome
	done   chan struct{}
}

// outcome is what became of a pending sale: committed when both are nil.
type outcome struct {
	err    error
	repeat *repeat // an equal request had been committed before; this one was not
}

// committer routes sales to transactions.
type committer struct {
	sales    *Service
	queues   [batchers]chan *pendingSale
	confirms chan *risk.Reservation
	inFlight atomic.Int64
	running  atomic.Int64  // batches being committed
	finished chan struct{} // one of them was

	mu     sync.Mutex
	busy   map[uuid.UUID]int // sales in flight by wallet
	closed bool
}

func newCommitter(s *Service) *committer {
	c := &committer{
		sales: s, busy: make(map[uuid.UUID]int),
		confirms: make(chan *risk.Reservation, confirmLimit), finished: make(chan struct{}, 1),
	}
	for i := range c.queues {
		c.queues[i] = make(chan *pendingSale, queueLimit)
	}
	return c
}

// commit brings a sale to Postgres and returns what became of it. It does not stop when the caller
// goes away: a sale is bounded by commitTimeout, and its reservation must be settled either way.
func (c *committer) commit(ctx context.Context, p *pendingSale) outcome {
	alone := c.enter(p.wallet)
	defer c.leave(p.wallet)
	if alone {
		c.sales.commitBatch(context.WithoutCancel(ctx), []*pendingSale{p})
		return p.result
	}
	if !c.enqueue(p) {
		c.sales.giveBack(ctx, p.reservation)
		return outcome{err: ErrBusy}
	}
	<-p.done
	return p.result
}

// enqueue hands a sale to the batcher of its wallet; false when the queue is full or closed.
func (c *committer) enqueue(p *pendingSale) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	select {
	case c.queues[int(p.wallet[15])%batchers] <- p:
		return true
	default:
		return false
	}
}

// arrive counts a sale in from its request on, because the sales that are still being checked are the
// company of those that commit. The returned function counts it out.
func (c *committer) arrive() (leave func()) {
	c.inFlight.Add(1)
	return func() { c.inFlight.Add(-1) }
}

// enter notes the sale's wallet and reports whether it should commit alone.
func (c *committer) enter(wallet uuid.UUID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy[wallet]++
	return c.inFlight.Load() < groupFrom && c.busy[wallet] == 1
}

func (c *committer) leave(wallet uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy[wallet]--; c.busy[wallet] == 0 {
		delete(c.busy, wallet)
	}
}

// run serves the queues and the confirmations until ctx ends, then finishes what is queued.
func (c *committer) run(ctx context.Context) {
	var batching, confirming sync.WaitGroup
	for i := range c.queues {
		batching.Go(func() { c.batchLoop(context.WithoutCancel(ctx), c.queues[i]) })
	}
	confirming.Go(c.confirmLoop)
	<-ctx.Done()
	c.close()
	batching.Wait()
	close(c.confirms)
	confirming.Wait()
}

// close lets nothing more into the queues; a sale that comes later is refused, a
// confirmation is left to the sweep.
func (c *committer) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for i := range c.queues {
		close(c.queues[i])
	}
}

func (c *committer) batchLoop(ctx context.Context, queue <-chan *pendingSale) {
	batch := make([]*pendingSale, 0, batchLimit)
	for p := range queue {
		batch = c.company(append(batch[:0], p), queue)
		c.running.Add(1)
		c.sales.commitBatch(ctx, batch)
		c.running.Add(-1)
		select {
		case c.finished <- struct{}{}:
		default: // somebody has been told already
		}
	}
}

// company adds whatever is waiting already and, while another batch is being committed, what comes until
// then or until the batch is its share of the sales in flight. What a transaction costs Postgres besides
// its rows is worth half a dozen sales; and while one is under way, waiting for the next costs nothing.
func (c *committer) company(batch []*pendingSale, queue <-chan *pendingSale) []*pendingSale {
	batch = gather(batch, queue)
	if !c.waits(batch) {
		return batch
	}
	patience := time.NewTimer(companyWait)
	defer patience.Stop()
	for c.waits(batch) {
		select {
		case p, ok := <-queue:
			if !ok {
				return batch
			}
			batch = gather(append(batch, p), queue)
		case <-c.finished:
		case <-patience.C:
			return batch
		}
	}
	return batch
}

func (c *committer) waits(batch []*pendingSale) bool {
	return c.running.Load() > 0 && len(batch) < min(int(c.inFlight.Load())/companyShare, batchLimit)
}

// gather adds whatever is waiting already, up to the limit of a batch.
func gather(batch []*pendingSale, queue <-chan *pendingSale) []*pendingSale {
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

// confirmLater removes a committed sale's reservation off the request's path. When that cannot keep
// up, the sweep does it.
func (c *committer) confirmLater(r *risk.Reservation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	select {
	case c.confirms <- r:
	default:
	}
}

func (c *committer) confirmLoop() {
	batch := make([]*risk.Reservation, 0, confirmBatch)
	for r := range c.confirms {
		batch = append(batch[:0], r)
		for len(c.confirms) > 0 && len(batch) < confirmBatch {
			batch = append(batch, <-c.confirms)
		}
		ctx, cancel := context.WithTimeout(context.Background(), confirmTimeout)
		if err := c.sales.Risk.Confirm(ctx, batch...); err != nil {
			c.sales.Log.Debug("reservations left to the sweep", slog.Int("count", len(batch)), slog.Any("error", err))
		}
		cancel()
	}
}
