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

// Difference is a count that does not equal the sum in Postgres.
type Difference struct {
	Draw     uuid.UUID
	Count    string
	Redis    int64
	Postgres int64
}

// Audit compares the counts of every draw on sale with Postgres, each draw while its sales stand
// still. What sales and cancellations under way have noted counts as it will in the end; counts that
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
	fields, held, err := s.readFields(ctx, draw)
	if err != nil {
		return nil, err
	}
	marks, err := marksOf(ctx, tx, []uuid.UUID{draw})
	if err != nil {
		return nil, err
	}
	if fields["run"] != want.runs.of(draw) || fields["epoch"] != marks[draw].epoch || fields["plan"] != want.plan.String() {
		return nil, nil
	}
	for _, field := range headFields {
		delete(fields, field)
	}
	have := make(map[string]int64, len(fields))
	for name, text := range fields {
		if have[name], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, fmt.Errorf("count %s: %w", name, err)
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

// readFields reads a draw's counts and notes at one moment.
func (s *Service) readFields(ctx context.Context, draw uuid.UUID) (fields, held map[string]string, err error) {
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
func subtract(counts map[string]int64, note string) {
	parts := strings.Split(note, ";") // a count's name holds no ";"
	n, _ := strconv.Atoi(parts[2])
	names, amounts := parts[3:3+n], parts[3+n:]
	for i, name := range names {
		amount, _ := strconv.ParseInt(amounts[i], 10, 64)
		counts[name] -= amount
	}
}

func differences(draw uuid.UUID, have, want map[string]int64) []Difference {
	var wrong []Difference
	for name, sold := range want {
		if have[name] != sold {
			wrong = append(wrong, Difference{Draw: draw, Count: name, Redis: have[name], Postgres: sold})
		}
	}
	for name, n := range have {
		if _, known := want[name]; !known && n != 0 {
			wrong = append(wrong, Difference{Draw: draw, Count: name, Redis: n})
		}
	}
	return wrong
}
