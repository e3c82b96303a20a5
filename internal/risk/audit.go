package risk

import (
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

// Difference is a counter that does not say what Postgres says.
type Difference struct {
	Draw     uuid.UUID
	Counter  string
	Redis    int64
	Postgres int64
}

// Audit compares the counters of every draw on sale with Postgres, each draw while its sales stand
// still. Reservations of sales under way count as they will once given back or confirmed, so they are
// left out; counters that are not ready are no difference. It changes nothing.
func (s *Service) Audit(ctx context.Context) ([]Difference, error) {
	draws, err := s.onSale(ctx)
	if err != nil {
		return nil, err
	}
	run, err := s.scripts.current(ctx)
	if err != nil {
		return nil, err
	}
	var wrong []Difference
	for _, draw := range draws {
		err := s.pg.InTx(ctx, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, LockKey(draw)); err != nil {
				return err
			}
			found, err := s.auditDraw(ctx, tx, run.run, draw)
			wrong = append(wrong, found...)
			return err
		})
		if err != nil {
			return wrong, fmt.Errorf("audit draw %s: %w", draw, err)
		}
	}
	return wrong, nil
}

func (s *Service) auditDraw(ctx context.Context, tx pgx.Tx, run string, draw uuid.UUID) ([]Difference, error) {
	keys := keysOf(draw)
	counters, err := s.redis.HGetAll(ctx, keys[0]).Result()
	if err != nil && err != redis.Nil { //nolint:errorlint // the library documents the comparison
		return nil, err
	}
	if counters["run"] != run {
		return nil, nil
	}
	delete(counters, "run")
	delete(counters, "epoch")
	if held, err := s.redis.HLen(ctx, keys[1]).Result(); err != nil || held > 0 {
		return nil, err
	}
	counts, err := countSold(ctx, tx, []uuid.UUID{draw})
	if err != nil {
		return nil, err
	}
	var wrong []Difference
	for counter, sold := range counts[draw] {
		have, _ := strconv.ParseInt(counters[counter], 10, 64)
		if have != sold {
			wrong = append(wrong, Difference{Draw: draw, Counter: counter, Redis: have, Postgres: sold})
		}
		delete(counters, counter)
	}
	for counter, text := range counters {
		if have, _ := strconv.ParseInt(text, 10, 64); have != 0 {
			wrong = append(wrong, Difference{Draw: draw, Counter: counter, Redis: have})
		}
	}
	return wrong, nil
}
