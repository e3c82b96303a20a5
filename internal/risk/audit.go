package risk

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"banca/storage"
)

// Difference is a counter that does not equal the sum in Postgres.
type Difference struct {
	Draw     uuid.UUID
	Counter  string
	Redis    int64
	Postgres int64
}

// Audit compares the counters of every draw on sale with Postgres, each draw while its sales stand
// still. What sales and cancellations under way have noted counts as it will in the end; counters that
// are not ready are no difference, because nothing is sold on them. It changes nothing.
func (s *Service) Audit(ctx context.Context) ([]Difference, error) {
	draws, err := s.onSale(ctx)
	if err != nil {
		return nil, err
	}
	want, err := s.stampNow(ctx, draws)
	if err != nil {
		return nil, err
	}
	var wrong []Difference
	for _, draw := range draws {
		err := s.pg.InTx(ctx, func(tx pgx.Tx) error {
			if err := storage.LockDraws(ctx, tx, []uuid.UUID{draw}); err != nil {
				return err
			}
			found, err := s.auditDraw(ctx, tx, want, draw)
			wrong = append(wrong, found...)
			return err
		})
		if err != nil {
			return wrong, fmt.Errorf("audit draw %s: %w", draw, err)
		}
	}
	return wrong, nil
}

func (s *Service) auditDraw(ctx context.Context, tx pgx.Tx, want stamp, draw uuid.UUID) ([]Difference, error) {
	counters, held, err := s.readCounters(ctx, draw)
	if err != nil {
		return nil, err
	}
	marks, err := marksOf(ctx, tx, []uuid.UUID{draw})
	if err != nil {
		return nil, err
	}
	if counters["run"] != want.runs.of(draw) || counters["epoch"] != marks[draw].epoch || counters["plan"] != want.plan.String() {
		return nil, nil
	}
	for _, field := range headFields {
		delete(counters, field)
	}
	have := make(map[string]int64, len(counters))
	for counter, text := range counters {
		if have[counter], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, fmt.Errorf("counter %s: %w", counter, err)
		}
	}
	for field, note := range held {
		takeBack, err := decide(ctx, tx, field)
		if err != nil {
			return nil, err
		}
		if takeBack {
			subtract(have, note)
		}
	}
	counts, err := countSold(ctx, tx, want.plan, []uuid.UUID{draw})
	if err != nil {
		return nil, err
	}
	return differences(draw, have, counts[draw]), nil
}

// readCounters reads a draw's counters and notes at one moment.
func (s *Service) readCounters(ctx context.Context, draw uuid.UUID) (counters, held map[string]string, err error) {
	keys := keysOf(draw)
	cmds, err := s.redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HGetAll(ctx, keys[0])
		p.HGetAll(ctx, keys[1])
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	first, _ := cmds[0].(*redis.MapStringStringCmd)
	second, _ := cmds[1].(*redis.MapStringStringCmd)
	return first.Val(), second.Val(), nil
}

// subtract takes a note's counts back as release.lua does.
func subtract(counters map[string]int64, note string) {
	parts := strings.Split(note, ";") // a counter's name holds no ";"
	n, _ := strconv.Atoi(parts[2])
	names, amounts := parts[3:3+n], parts[3+n:]
	for i, name := range names {
		amount, _ := strconv.ParseInt(amounts[i], 10, 64)
		counters[name] -= amount
	}
}

func differences(draw uuid.UUID, have, want map[string]int64) []Difference {
	var wrong []Difference
	for counter, sold := range want {
		if have[counter] != sold {
			wrong = append(wrong, Difference{Draw: draw, Counter: counter, Redis: have[counter], Postgres: sold})
		}
	}
	for counter, n := range have {
		if _, known := want[counter]; !known && n != 0 {
			wrong = append(wrong, Difference{Draw: draw, Counter: counter, Redis: n})
		}
	}
	return wrong
}
