package draws

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/drawstate"
	"banca/internal/platform/realtime"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// pollAfter is the time between a draw and the first attempt to fetch its result (interface specification, section 3).
const pollAfter = 5 * time.Minute

// CloseDue closes every open draw whose sale stop has passed, and returns their number. Then it closes in the cache the
// draws that are closed in Postgres only. It is idempotent and may run in several processes at once. If a draw cannot
// be closed, CloseDue still closes the others.
func (s *Service) CloseDue(ctx context.Context) (int, error) {
	due, err := s.ids(
		ctx, `SELECT id FROM draws WHERE status = $1 AND sale_stop_at <= $2 ORDER BY sale_stop_at`, models.DrawOpen,
		s.Clock.Now(),
	)
	if err != nil {
		return 0, fmt.Errorf("draws due: %w", err)
	}
	closed := 0
	var failures []error
	for _, draw := range due {
		ok, err := s.closeOne(ctx, draw)
		if ok {
			closed++
		}
		failures = append(failures, err)
	}
	return closed, errors.Join(append(failures, s.closeCaches(ctx))...)
}

// earlyTolerance is how long before a draw's sale stop its task may start. Queues round times down to whole seconds,
// and the clocks of two machines differ a little.
const earlyTolerance = 2 * time.Second

// Close closes one draw if its sale stop has passed. If the stop is at most earlyTolerance ahead, Close waits for it.
// If the draw is closed already, Close only closes it in the cache.
func (s *Service) Close(ctx context.Context, draw uuid.UUID) error {
	if err := s.awaitStop(ctx, draw); err != nil {
		return err
	}
	if _, err := s.closeOne(ctx, draw); err != nil {
		return err
	}
	return s.closeCaches(ctx)
}

// awaitStop waits for the sale stop of an open draw if it is at most earlyTolerance ahead. Otherwise a task that starts
// early would do nothing, and the sweep would close the draw later.
func (s *Service) awaitStop(ctx context.Context, draw uuid.UUID) error {
	var stop time.Time
	err := s.PG.Pool.QueryRow(ctx, `SELECT sale_stop_at FROM draws WHERE id = $1 AND status = $2`, draw, models.DrawOpen).Scan(&stop)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("stop of draw %s: %w", draw, err)
	}
	if left := stop.Sub(s.Clock.Now()); left > 0 && left <= earlyTolerance {
		return s.Sleep(ctx, left)
	}
	return nil
}

func (s *Service) closeOne(ctx context.Context, id uuid.UUID) (bool, error) {
	var closed *realtime.ClosedDraw
	err := s.PG.Retried(ctx, func(tx pgx.Tx) (err error) {
		closed, err = s.closeTx(ctx, tx, id)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("close draw %s: %w", id, err)
	}
	if closed == nil {
		return false, nil
	}
	s.Wake()
	s.Events.Publish(ctx, realtime.Everybody(), realtime.EventOf(closed.ClosedAt, closed))
	return true, nil
}

// closeTx closes and seals a draw that is due, and enqueues the tasks that follow. It returns nil if the draw is not
// due.
func (s *Service) closeTx(ctx context.Context, tx pgx.Tx, id uuid.UUID) (*realtime.ClosedDraw, error) {
	if err := storage.LockDraws(ctx, tx, []uuid.UUID{id}); err != nil {
		return nil, err
	}
	now, err := storage.DecisionTime(ctx, tx, s.Clock) // read under the lock, which may have taken a while
	if err != nil {
		return nil, err
	}
	closed, err := drawstate.CloseTx(ctx, tx, id, now, pollAfter)
	if err != nil || closed == nil {
		return nil, err
	}
	seal, tickets, err := sealOf(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	if err := drawstate.SealTx(ctx, tx, id, seal, tickets, now); err != nil {
		return nil, err
	}
	external, err := outbox.NewRow(tasks.DrawCloseExternal{DrawID: id})
	if err != nil {
		return nil, err
	}
	poll, err := outbox.NewRow(tasks.ResultPoll{DrawID: id}, outbox.At(closed.Time.Add(pollAfter)))
	if err != nil {
		return nil, err
	}
	d := &realtime.ClosedDraw{DrawID: id, GameID: closed.GameID, Number: closed.Number, ClosedAt: now.UTC()}
	return d, outbox.EnqueueTx(ctx, tx, external, poll)
}

// closeCaches closes in the cache up to a hundred draws that are closed in Postgres only. It returns a failure, so that
// the task is retried; the next sweep retries it, too.
func (s *Service) closeCaches(ctx context.Context) error {
	ids, err := s.ids(ctx, `SELECT id FROM draws WHERE cache_closed_at IS NULL AND closed_at > $1 ORDER BY closed_at LIMIT 100`,
		s.Clock.Now().Add(-cacheCloseFor))
	if err != nil || len(ids) == 0 {
		return err
	}
	if err := s.Cache.CloseDraws(ctx, ids...); err != nil {
		return fmt.Errorf("close in cache: %w", err)
	}
	return drawstate.CacheClosed(ctx, s.PG.Pool, ids, s.Clock.Now())
}

// cacheCloseFor is how long after its closing a draw is still closed in the cache. Its counts are not used later.
const cacheCloseFor = 24 * time.Hour

func (s *Service) ids(ctx context.Context, sql string, args ...any) ([]uuid.UUID, error) {
	rows, err := s.PG.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
