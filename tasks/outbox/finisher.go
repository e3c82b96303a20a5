package outbox

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"banca/internal/platform/clock"
)

// Bounds of a finisher.
const (
	finishEvery   = time.Second
	finishTimeout = 5 * time.Second
	finishBatch   = 1_000
	// finishTries is how many flushes look for a row. A quick task succeeds before the relay commits the row of it.
	finishTries = 5
	// maxFinished bounds the ids that are kept while Postgres is away. The row of an id that is dropped is found by the
	// sweep, which enqueues its task again.
	maxFinished = 200_000
)

// Finisher deletes the rows of outbox_sent whose tasks succeeded or failed for good, many in one statement.
type Finisher struct {
	pool *pgxpool.Pool
	log  *slog.Logger

	mu  sync.Mutex
	ids map[uuid.UUID]int // task ids with the number of flushes that did not find their row
}

// NewFinisher returns a finisher for pool's database. It deletes nothing until Run is called.
func NewFinisher(pool *pgxpool.Pool, log *slog.Logger) *Finisher {
	return &Finisher{pool: pool, log: log, ids: map[uuid.UUID]int{}}
}

// Finish notes that the queue will not run a task again: it succeeded, or failed for good. It does not block. An id
// that is not a UUID is no row's and is ignored.
func (f *Finisher) Finish(taskID string) {
	id, err := uuid.Parse(taskID)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.ids) < maxFinished {
		f.ids[id] = 0
	}
}

// Run deletes rows every second until ctx ends, and a last time then.
func (f *Finisher) Run(ctx context.Context) {
	failing := false
	for running := true; running; {
		running = clock.Sleep(ctx, finishEvery) == nil
		err := f.Flush(context.WithoutCancel(ctx))
		if (err != nil) != failing {
			failing = err != nil
			f.log.WarnContext(
				ctx, "outbox: finisher changed state", slog.Bool("failing", failing), slog.Any("error", err),
			)
		}
	}
}

// Flush deletes the rows of the tasks noted so far. It returns the error of the first statement that fails and keeps
// the ids of that statement and those after it.
func (f *Finisher) Flush(ctx context.Context) error {
	f.mu.Lock()
	taken := f.ids
	f.ids = make(map[uuid.UUID]int, len(taken))
	f.mu.Unlock()
	ids := slices.Collect(maps.Keys(taken))
	for chunk := range slices.Chunk(ids, finishBatch) {
		deleted, err := f.delete(ctx, chunk)
		if err != nil {
			f.keep(taken)
			return err
		}
		for _, id := range deleted {
			delete(taken, id)
		}
	}
	for id, tries := range taken {
		if taken[id]++; tries+1 >= finishTries {
			delete(taken, id)
		}
	}
	f.keep(taken)
	return nil
}

// keep notes ids again for the next flush.
func (f *Finisher) keep(ids map[uuid.UUID]int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, tries := range ids {
		if _, newer := f.ids[id]; !newer && len(f.ids) < maxFinished {
			f.ids[id] = tries
		}
	}
}

func (f *Finisher) delete(ctx context.Context, ids []uuid.UUID) ([]uuid.UUID, error) {
	ctx, cancel := context.WithTimeout(ctx, finishTimeout)
	defer cancel()
	rows, err := f.pool.Query(ctx, `DELETE FROM outbox_sent WHERE id = ANY($1) RETURNING id`, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
