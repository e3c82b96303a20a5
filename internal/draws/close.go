package draws

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/clock"
	"banca/internal/risk"
	"banca/models"
	"banca/storage"
)

// closeBatch bounds the draws one transaction closes and so the locks it holds.
const closeBatch = 100

// Service moves draws through their life.
type Service struct {
	pg    *storage.Postgres
	clock clock.Clock
}

// New returns the service.
func New(pg *storage.Postgres, clk clock.Clock) *Service { return &Service{pg: pg, clock: clk} }

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
	closed := 0
	err := s.pg.InTx(ctx, func(tx pgx.Tx) error {
		if err := risk.LockExclusively(ctx, tx, ids...); err != nil {
			return err
		}
		now := s.clock.Now()
		tag, err := tx.Exec(ctx, `UPDATE draws SET status = $2, closed_at = $3, updated_at = $3
			WHERE id = ANY ($1::uuid[]) AND status = $4 AND sale_stop_at <= $3`, storage.UUIDs(ids), models.DrawClosed, now, models.DrawOpen)
		closed = int(tag.RowsAffected())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("close draws: %w", err)
	}
	return closed, nil
}
