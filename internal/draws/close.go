package draws

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/clock"
	"banca/internal/drawstate"
	"banca/internal/realtime"
	"banca/internal/risk"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// pollAfter is how long after a draw its result is asked for first (interface specification, section 3).
const pollAfter = 5 * time.Minute

// CloseDue closes every open draw whose sale stop has passed, and returns their number; then it closes draws in the
// cache that are not closed there yet. It is idempotent and may run in several processes: only an open draw is
// closed. A draw that cannot be closed does not keep the others open.
func (s *Service) CloseDue(ctx context.Context) (int, error) {
	due, err := s.ids(ctx, `SELECT id FROM draws WHERE status = $1 AND sale_stop_at <= $2 ORDER BY sale_stop_at`, models.DrawOpen, s.Clock.Now())
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

// earlyBy is how long before its stop a draw's task may come: queues count whole seconds, so that one of a stop
// within a second comes at the second's beginning, and the clocks of two machines differ a little.
const earlyBy = 2 * time.Second

// Close closes one draw if its sale stop has passed or, within earlyBy, once it passes. If it is closed already,
// Close only closes it in the cache.
func (s *Service) Close(ctx context.Context, draw uuid.UUID) error {
	if err := s.awaitStop(ctx, draw); err != nil {
		return err
	}
	if _, err := s.closeOne(ctx, draw); err != nil {
		return err
	}
	return s.closeCaches(ctx)
}

// awaitStop waits for the stop of a draw that is about to stop: without it the draw's own task would find nothing to do,
// and the closing be left to the sweep.
func (s *Service) awaitStop(ctx context.Context, draw uuid.UUID) error {
	var stop time.Time
	err := s.PG.Pool.QueryRow(ctx, `SELECT sale_stop_at FROM draws WHERE id = $1 AND status = $2`, draw, models.DrawOpen).Scan(&stop)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("stop of draw %s: %w", draw, err)
	}
	if left := stop.Sub(s.Clock.Now()); left > 0 && left <= earlyBy {
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

// closeTx closes and seals a draw that is due, and enqueues what follows from it; nil when it is not due.
func (s *Service) closeTx(ctx context.Context, tx pgx.Tx, id uuid.UUID) (*realtime.ClosedDraw, error) {
	if err := risk.LockExclusively(ctx, tx, id); err != nil {
		return nil, err
	}
	databaseNow, err := storage.Now(ctx, tx) // the lock may have taken a while
	if err != nil {
		return nil, err
	}
	now := clock.Decide(s.Clock, databaseNow)
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
	external, err := outbox.NewRow(tasks.DrawCloseExternal{DrawID: id.String()})
	if err != nil {
		return nil, err
	}
	poll, err := outbox.NewRow(tasks.ResultPoll{DrawID: id.String()}, outbox.At(closed.Time.Add(pollAfter)))
	if err != nil {
		return nil, err
	}
	d := &realtime.ClosedDraw{DrawID: id, GameID: closed.GameID, Number: closed.Number, ClosedAt: now.UTC()}
	return d, outbox.EnqueueTx(ctx, tx, external, poll)
}

// closeCaches closes draws in the cache that are closed in Postgres only, a hundred at a time. A failure is an error,
// so that the task is retried; the next sweep would retry it, too.
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

// cacheCloseFor is how long after its closing a draw is still closed in the cache; later its counters are not used.
const cacheCloseFor = 24 * time.Hour

func (s *Service) ids(ctx context.Context, sql string, args ...any) ([]uuid.UUID, error) {
	rows, err := s.PG.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
