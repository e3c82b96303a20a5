package sales

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"banca/internal/risk"
)

const (
	confirmQueue   = 4096
	confirmBatch   = 256
	confirmTimeout = 2 * time.Second
)

// confirmer confirms committed reservations in the background. The sweep confirms the reservations that do not fit
// into the queue or fail.
type confirmer struct {
	limits Limits
	log    *slog.Logger
	queue  chan *risk.Reservation

	mu     sync.Mutex
	closed bool
}

func newConfirmer(limits Limits, log *slog.Logger) *confirmer {
	return &confirmer{limits: limits, log: log, queue: make(chan *risk.Reservation, confirmQueue)}
}

func (c *confirmer) add(r *risk.Reservation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	select {
	case c.queue <- r:
	default:
	}
}

func (c *confirmer) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	close(c.queue)
}

// run confirms until close is called and the queue is empty.
func (c *confirmer) run() {
	batch := make([]*risk.Reservation, 0, confirmBatch)
	for r := range c.queue {
		batch = append(batch[:0], r)
		for len(c.queue) > 0 && len(batch) < confirmBatch {
			batch = append(batch, <-c.queue)
		}
		ctx, cancel := context.WithTimeout(context.Background(), confirmTimeout)
		if err := c.limits.Confirm(ctx, batch...); err != nil {
			c.log.Debug("reservations left to the sweep", slog.Int("count", len(batch)), slog.Any("error", err))
		}
		cancel()
	}
}
