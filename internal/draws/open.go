package draws

import (
	"context"

	"banca/internal/drawstate"
	"banca/storage"
)

// OpenDue opens scheduled draws whose sales begin, and returns their number. It is idempotent. It also opens a draw
// whose sale stop has passed, so that the draw is closed and sealed and gets a result.
func (s *Service) OpenDue(ctx context.Context) (int, error) {
	now, err := storage.DecisionTime(ctx, s.PG.Pool, s.Clock)
	if err != nil {
		return 0, err
	}
	return drawstate.OpenDue(ctx, s.PG.Pool, now)
}
