package prizes

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/clock"
	"banca/models"
	"banca/storage"
)

const (
	// expireBatch bounds the tickets one statement marks and so the locks it holds.
	expireBatch = 500
	// maxTold bounds the expired tickets a run tells of one by one.
	maxTold = 2_000
)

// Expire marks the tickets whose prize nobody collected in time, and returns how many. A ticket that is being paid
// is skipped: the payment decides by the instant whether it was in time. Safe to repeat.
func (s *Service) Expire(ctx context.Context) (int, error) {
	type expired struct{ ID, EntityID uuid.UUID }
	done := 0
	for {
		told, err := storage.Now(ctx, s.PG.Pool)
		if err != nil {
			return done, err
		}
		now := clock.Decide(s.Clock, told).Truncate(time.Microsecond)
		rows, err := s.PG.Pool.Query(ctx, `UPDATE tickets t SET expired_at = $1 WHERE t.status = $2 AND t.expired_at IS NULL AND t.id IN (
			SELECT id FROM tickets WHERE status = 'won' AND expired_at IS NULL AND expires_at <= $1 ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED)
			RETURNING t.id, t.entity_id`, now, models.TicketWon, expireBatch)
		if err != nil {
			return done, fmt.Errorf("expire prizes: %w", err)
		}
		list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[expired])
		if err != nil {
			return done, fmt.Errorf("expire prizes: %w", err)
		}
		for i := range list[:min(len(list), max(0, maxTold-done))] {
			s.updated(ctx, list[i].ID, list[i].EntityID, StateExpired)
		}
		done += len(list)
		if len(list) < expireBatch {
			return done, nil
		}
	}
}
