package draws

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/clock"
	"banca/internal/realtime"
	"banca/internal/risk"
	"banca/models"
	"banca/storage"
)

// closeBatch bounds the draws one transaction closes and so the locks it holds.
const closeBatch = 100

// Service moves draws through their life.
type Service struct {
	pg     *storage.Postgres
	clock  clock.Clock
	events realtime.Publisher
}

// New returns the service. events are told what was closed, after the commit.
func New(pg *storage.Postgres, clk clock.Clock, events realtime.Publisher) *Service {
	return &Service{pg: pg, clock: clk, events: events}
}

// CloseDue closes every open draw whose sale stop has passed, and returns how many it closed. Safe to
// repeat and to run in several processes: only an open draw is closed.
func (s *Service) CloseDue(ctx context.Context) (int, error) {
	rows, err := s.pg.Pool.Query(ctx, `SELECT id FROM draws WHERE status = $1 AND sale_stop_at <= $2 ORDER BY sale_stop_at`,
		models.DrawOpen, s.clock.Now())
	if err != nil {
		return 0, fmt.Errorf("draws due: %w", err)
	}
	due, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return 0, fmt.Errorf("draws due: %w", err)
	}
	closed := 0
	for chunk := range slices.Chunk(due, closeBatch) {
		n, err := s.close(ctx, chunk)
		closed += n
		if err != nil {
			return closed, err
		}
	}
	return closed, nil
}

// Close closes one draw if its sale stop has passed; otherwise it does nothing.
func (s *Service) Close(ctx context.Context, draw uuid.UUID) error {
	_, err := s.close(ctx, []uuid.UUID{draw})
	return err
}

func (s *Service) close(ctx context.Context, ids []uuid.UUID) (int, error) {
	var closed []closedDraw
	now := s.clock.Now()
	err := s.pg.InTx(ctx, func(tx pgx.Tx) error {
		if err := risk.LockExclusively(ctx, tx, ids...); err != nil {
			return err
		}
		now = s.clock.Now() // the locks may have taken a while
		rows, err := tx.Query(ctx, `UPDATE draws SET status = $2, closed_at = $3, updated_at = $3
			WHERE id = ANY ($1::uuid[]) AND status = $4 AND sale_stop_at <= $3 RETURNING id, game_id, draw_number`,
			storage.UUIDs(ids), models.DrawClosed, now, models.DrawOpen)
		if err != nil {
			return err
		}
		closed, err = pgx.CollectRows(rows, pgx.RowToStructByPos[closedDraw])
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("close draws: %w", err)
	}
	for i := range closed {
		closed[i].ClosedAt = now.UTC()
		s.events.Publish(ctx, realtime.Everybody(), realtime.NewEvent(realtime.DrawClosed, now, &closed[i]))
	}
	return len(closed), nil
}

// closedDraw is the data of draw.closed.
type closedDraw struct {
	ID       uuid.UUID `json:"draw_id"`
	GameID   uuid.UUID `json:"game_id"`
	Number   string    `json:"draw_number"`
	ClosedAt time.Time `json:"closed_at" db:"-"`
}
