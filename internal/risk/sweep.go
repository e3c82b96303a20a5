package risk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"banca/models"
	"banca/storage"
)

// sweepPast is how long after its sale stop a draw is still swept.
const sweepPast = time.Hour

// Swept reports the work of a sweep.
type Swept struct {
	Rebuilt  int // draws whose counts were lost or of another plan
	Released int // reservations without a ticket, taken back
	Settled  int // reservations and cancellations that Postgres had decided already
}

// Sweep makes the counts of every draw on sale ready and ends reservations that crashes left: for a reservation
// older than staleAfter it checks in Postgres, under the draw's exclusive lock, whether its ticket exists. It is
// idempotent and may run during sales.
func (s *Service) Sweep(ctx context.Context) (Swept, error) {
	var done Swept
	draws, err := s.onSale(ctx)
	if err != nil {
		return done, err
	}
	want, err := s.stampNow(ctx, draws)
	if err != nil {
		return done, fmt.Errorf("sweep: %w", err)
	}
	lost, err := s.lostOf(ctx, s.pg.Pool, want, draws)
	if err != nil {
		return done, fmt.Errorf("sweep: %w", err)
	}
	if err := s.Rebuild(ctx, lost, false); err != nil {
		return done, err
	}
	done.Rebuilt = len(lost)
	held, err := s.holding(ctx, draws)
	if err != nil {
		return done, fmt.Errorf("sweep: %w", err)
	}
	var failed error // a draw that fails does not keep the others from being swept
	for _, draw := range held {
		if err := s.sweepDraw(ctx, draw, &done); err != nil {
			failed = errors.Join(failed, fmt.Errorf("sweep draw %s: %w", draw, err))
		}
	}
	return done, failed
}

// onSale lists the draws that sell or sold until a short while ago.
func (s *Service) onSale(ctx context.Context) ([]uuid.UUID, error) {
	return storage.Collect(ctx, s.pg.Pool, "draws on sale", pgx.RowTo[uuid.UUID],
		`SELECT id FROM draws WHERE status IN ($1, $2) AND sale_stop_at > $3`,
		models.DrawOpen, models.DrawClosed, s.clock.Now().Add(-sweepPast))
}

// holding returns the draws that have reservations at all.
func (s *Service) holding(ctx context.Context, draws []uuid.UUID) ([]uuid.UUID, error) {
	cmds := make([]*redis.IntCmd, len(draws))
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, d := range draws {
			cmds[i] = p.HLen(ctx, keysOf(d)[1])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var held []uuid.UUID
	for i, cmd := range cmds {
		if cmd.Val() > 0 {
			held = append(held, draws[i])
		}
	}
	return held, nil
}

func (s *Service) sweepDraw(ctx context.Context, draw uuid.UUID, done *Swept) error {
	stale, err := s.stale(ctx, draw)
	if err != nil || len(stale) == 0 {
		return err
	}
	return s.pg.InTx(ctx, func(tx pgx.Tx) error {
		if err := storage.LockDraws(ctx, tx, []uuid.UUID{draw}); err != nil {
			return err
		}
		for _, field := range stale {
			takeBack, err := decide(ctx, tx, field)
			if err != nil {
				return err
			}
			if !takeBack {
				done.Settled++
				if err := s.forget(ctx, notes{draw: {field}}); err != nil {
					return err
				}
				continue
			}
			done.Released++
			if err := s.release(ctx, notes{draw: {field}}); err != nil {
				return err
			}
		}
		return nil
	})
}

// stale lists the reservations of a draw that are old enough to be settled.
func (s *Service) stale(ctx context.Context, draw uuid.UUID) ([]string, error) {
	before := s.clock.Now().Add(-staleAfter).UnixMilli()
	var fields []string
	err := s.eachNote(ctx, []uuid.UUID{draw}, func(field string, by madeBy) {
		if by.at > 0 && by.at <= before {
			fields = append(fields, field)
		}
	})
	return fields, err
}

// decide asks Postgres whether the counts behind a note must be taken back: counts of a sale that was not committed,
// and of a cancellation that was.
func decide(ctx context.Context, tx pgx.Tx, field string) (takeBack bool, err error) {
	if attempt, cancelling := strings.CutPrefix(field, cancelPrefix); cancelling {
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM transactions WHERE id = $1)`, attempt).Scan(&takeBack)
		return takeBack, err
	}
	err = tx.QueryRow(ctx, `SELECT NOT EXISTS (SELECT 1 FROM tickets WHERE id = $1)`, field).Scan(&takeBack)
	return takeBack, err
}
