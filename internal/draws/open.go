package draws

import (
	"context"

	"banca/internal/clock"
	"banca/internal/drawstate"
	"banca/storage"
)

// OpenDue opens scheduled draws whose sales begin, and returns how many. Safe to repeat. A draw whose stop has
// passed already is opened, too, so that it is closed, sealed and gets its result like any other.
func (s *Service) OpenDue(ctx context.Context) (int, error) {
	databaseNow, err := storage.Now(ctx, s.PG.Pool)
	if err != nil {
		return 0, err
	}
	return drawstate.OpenDue(ctx, s.PG.Pool, clock.Decide(s.Clock, databaseNow))
}
