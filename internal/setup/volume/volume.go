package volume

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/storage"
)

// ErrExists reports a database that has a volume already.
var ErrExists = errors.New("the database has a volume already")

// Options are the parameters of a volume.
type Options struct {
	Root   uuid.UUID      // the operator
	Now    time.Time      // the last day of the history is the day before it
	Zone   *time.Location // of business days
	Days   int
	Points int // ticket points
	Lines  int // bet lines, about

	Profile *Profile // nil for a history for measurements. It replaces Points

	Progress io.Writer
}

// linesATicket is the mean number of lines of a ticket, of one to five.
const linesATicket = 3

// Writer writes the history, one day in each transaction.
type Writer struct {
	Options

	pg       *storage.Postgres
	rng      *rand.Rand // of a fixed seed: every volume of the same options is alike
	currency uuid.UUID
	tree     *tree
	games    []game
	sold     int // lines so far
}

// Run writes a volume. The caller folds balances and counts totals afterwards. Errors: ErrExists.
func Run(ctx context.Context, pg *storage.Postgres, o Options) error {
	w, err := Open(ctx, pg, o)
	if err != nil {
		return err
	}
	today := businessday.Of(o.Now, o.Zone)
	for n := range o.Days {
		day := today.AddDays(n - o.Days)
		if err := w.WriteDay(ctx, day, w.linesOf(day, o.Lines/o.Days)); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(o.Progress, "%s  day %d of %d, %d lines\n", day, n+1, o.Days, w.sold)
	}
	if o.Profile != nil {
		if err := w.closeDays(ctx); err != nil {
			return fmt.Errorf("volume: %w", err)
		}
	}
	return w.Finish(ctx)
}

// Open writes the tree of a volume, of which WriteDay then writes the days in their order. Errors: ErrExists.
func Open(ctx context.Context, pg *storage.Postgres, o Options) (*Writer, error) {
	w := &Writer{Options: o, pg: pg, rng: rand.New(rand.NewPCG(90, 300))} //nolint:gosec // not a secret
	if err := w.prepare(ctx); err != nil {
		return nil, fmt.Errorf("volume: %w", err)
	}
	return w, nil
}

// Resume opens the tree of a volume that an earlier Writer has written whole, of which WriteToday then writes the day in progress.
func Resume(ctx context.Context, pg *storage.Postgres, o Options) (*Writer, error) {
	w := &Writer{Options: o, pg: pg, rng: rand.New(rand.NewPCG(90, uint64(o.Now.UnixNano())))} //nolint:gosec // not a secret
	err := pg.InTx(ctx, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `SELECT id FROM currencies WHERE code = 'VES'`).Scan(&w.currency)
		if err != nil {
			return err
		}
		if w.tree, err = w.readTree(ctx, tx); err != nil {
			return err
		}
		w.games, err = readGames(ctx, tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("volume: %w", err)
	}
	return w, nil
}

// Finish brings the statistics and visibility maps of the tables up to date, as autovacuum would.
func (w *Writer) Finish(ctx context.Context) error {
	_, err := w.pg.Pool.Exec(ctx, `VACUUM ANALYZE`)
	return err
}

func (w *Writer) prepare(ctx context.Context) (err error) {
	return w.pg.InTx(ctx, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `SELECT id FROM currencies WHERE code = 'VES'`).Scan(&w.currency); err != nil {
			return err
		}
		if w.tree, err = w.writeTree(ctx, tx); err != nil {
			return err
		}
		w.games, err = readGames(ctx, tx)
		return err
	})
}

// WriteDay writes the draws of a day and about so many lines that were sold on them.
func (w *Writer) WriteDay(ctx context.Context, day businessday.Day, lines int) error {
	draws, err := w.drawsOf(day)
	if err != nil {
		return err
	}
	h := w.history(day, draws, lines/linesATicket)
	err = w.pg.InTx(ctx, func(tx pgx.Tx) error {
		if err := w.copyDraws(ctx, tx, draws); err != nil {
			return err
		}
		return h.copy(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("volume of %s: %w", day, err)
	}
	return nil
}

// id returns a UUIDv7 of an instant, so that rows lie in the order of their times.
func (w *Writer) id(at time.Time) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16|w.rng.Uint64()>>48)
	binary.BigEndian.PutUint64(id[8:], w.rng.Uint64())
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return id
}
