package outbox

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"banca/internal/platform/clock"
)

// Bounds of a relay.
const (
	defaultPoll    = 250 * time.Millisecond
	defaultBatch   = 500
	gathering      = 15 * time.Millisecond // between batches, so that under load a batch has several rows
	enqueuers      = 16                    // parallel calls to Redis of one batch
	batchTimeout   = 20 * time.Second      // of one batch, enqueuing included
	enqueueTimeout = 5 * time.Second       // of one call to Redis
	minBackoff     = 100 * time.Millisecond
	maxBackoff     = 5 * time.Second
)

// Queue is where tasks go: an *asynq.Client, or a broken one in a test.
type Queue interface {
	EnqueueContext(ctx context.Context, task *asynq.Task, opts ...asynq.Option) (*asynq.TaskInfo, error)
	Ping() error
}

// RelayConfig configures NewRelay; its zero value is good.
type RelayConfig struct {
	Poll  time.Duration // how often to look without being woken; default 250 ms
	Batch int           // rows per transaction; default 500

	// Listen configures the connection for notifications, which keeps its session; by default the pool's.
	Listen *pgx.ConnConfig
}

// Relay moves committed rows to the queue.
type Relay struct {
	pool   *pgxpool.Pool
	queue  Queue
	config RelayConfig
	log    *slog.Logger
	wake   chan struct{}
	down   bool // whether the last batch failed, so that each change is logged once
}

// NewRelay returns a relay from pool's database to queue.
func NewRelay(pool *pgxpool.Pool, queue Queue, config RelayConfig, log *slog.Logger) *Relay {
	if config.Poll <= 0 {
		config.Poll = defaultPoll
	}
	if config.Batch <= 0 {
		config.Batch = defaultBatch
	}
	if config.Listen == nil {
		config.Listen = pool.Config().ConnConfig
	}
	return &Relay{pool: pool, queue: queue, config: config, log: log, wake: make(chan struct{}, 1)}
}

// Run moves rows until ctx ends. It survives the loss of both databases and may be called once.
func (r *Relay) Run(ctx context.Context) {
	var listener sync.WaitGroup
	listener.Go(func() { r.listen(ctx) })
	defer listener.Wait()
	backoff := minBackoff
	for {
		moved, err := r.drain(ctx)
		if ctx.Err() != nil {
			return
		}
		r.logChange(ctx, err)
		if err != nil {
			if clock.Sleep(ctx, backoff) != nil {
				return
			}
			backoff = min(backoff*2, maxBackoff)
			continue
		}
		backoff = minBackoff
		if moved && clock.Sleep(ctx, gathering) != nil || !r.pause(ctx) {
			return
		}
	}
}

// pause waits until there is something to move: a notification came, or a poll saw a row. The poll reads
// without a transaction, because it is all that an idle relay does.
func (r *Relay) pause(ctx context.Context) bool {
	ticker := time.NewTicker(r.config.Poll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-r.wake:
			return true
		case <-ticker.C:
			if due, err := r.due(ctx); due || err != nil {
				return ctx.Err() == nil
			}
		}
	}
}

// drain moves batches until one is not full, and reports whether it moved anything. While the queue is known to be down
// it is asked first, so that no transaction holds locks while waiting for it.
func (r *Relay) drain(ctx context.Context) (moved bool, err error) {
	if r.down {
		if err := r.queue.Ping(); err != nil {
			return false, errors.Join(errQueueDown, err)
		}
	}
	for ctx.Err() == nil {
		taken, err := r.moveBatch(ctx)
		if err != nil {
			return moved, err
		}
		moved = moved || taken > 0
		if taken < r.config.Batch {
			return moved, nil
		}
	}
	return moved, ctx.Err()
}

// logChange logs the first failure after a success and the first success after a failure.
func (r *Relay) logChange(ctx context.Context, err error) {
	switch {
	case err != nil && !r.down:
		r.log.ErrorContext(ctx, "outbox: relay stopped; rows are kept", slog.Any("error", err))
	case err == nil && r.down:
		r.log.InfoContext(ctx, "outbox: relay works again")
	}
	r.down = err != nil
}
