package risk

import (
	"context"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// CloseDraws makes the counts of draws refuse every further reservation with ErrDrawClosed. Absent counts need no
// mark: the next reservation finds them lost, and a rebuild reads from Postgres that the draw is closed. It is
// idempotent.
func (s *Service) CloseDraws(ctx context.Context, draws ...uuid.UUID) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	there := make([]*redis.IntCmd, len(draws))
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, d := range draws {
			there[i] = p.Exists(ctx, keysOf(d)[0])
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, d := range draws {
			if there[i].Val() > 0 {
				p.HSet(ctx, keysOf(d)[0], closedField, 1)
			}
		}
		return nil
	})
	return err
}
