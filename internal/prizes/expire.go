package prizes

import (
	"context"

	"banca/internal/tickets"
	"banca/storage"
)

const (
	// expireBatch bounds the tickets one statement marks and so the locks it holds.
	expireBatch = 500
	// maxPublished bounds the expired tickets that a run publishes one by one.
	maxPublished = 2_000
)

// Expire marks the tickets whose prize was not collected in time, and returns their number. A ticket that is being
// paid is skipped: the payment checks the time itself. It is idempotent.
func (s *Service) Expire(ctx context.Context) (int, error) {
	done := 0
	for {
		now, err := storage.DecisionTime(ctx, s.PG.Pool, s.Clock)
		if err != nil {
			return done, err
		}
		list, err := tickets.Expire(ctx, s.PG.Pool, now, expireBatch)
		if err != nil {
			return done, err
		}
		for i := range list[:min(len(list), max(0, maxPublished-done))] {
			s.updated(ctx, list[i].ID, list[i].EntityID, StateExpired)
		}
		done += len(list)
		if len(list) < expireBatch {
			return done, nil
		}
	}
}
