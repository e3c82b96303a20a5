package draws

import (
	"context"

	"banca/internal/drawstate"
	"banca/internal/platform/clock"
	"banca/storage"
)

// OpenDue opens scheduled draws whose sales begin, and returns their number. It is idempotent. It also opens a draw
// whose sale stop has passed, so that the draw is closed and sealed and gets a result.
func (s *Service) OpenDue(ctx context.Context) (int, error) {
	databaseNow, err := storage.Now(ctx, s.PG.Pool)
	if err != nil {
		return 0, err
	}
	return drawstate.OpenDue(ctx, s.PG.Pool, clock.DecisionTime(s.Clock, databaseNow))
}
