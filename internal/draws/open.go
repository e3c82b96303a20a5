package draws

import (
	"context"
	"fmt"

	"banca/internal/clock"
	"banca/models"
	"banca/storage"
)

// OpenDue opens scheduled draws whose sales begin, and returns how many. Safe to repeat. A draw whose stop has
// passed already is opened, too, so that it is closed, sealed and gets its result like any other.
func (s *Service) OpenDue(ctx context.Context) (int, error) {
	databaseNow, err := storage.Now(ctx, s.PG.Pool)
	if err != nil {
		return 0, err
	}
	tag, err := s.PG.Pool.Exec(ctx, `UPDATE draws SET status = $1, updated_at = $3 WHERE status = $2 AND opens_at <= $3`,
		models.DrawOpen, models.DrawScheduled, clock.Decide(s.Clock, databaseNow))
	if err != nil {
		return 0, fmt.Errorf("open draws: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
