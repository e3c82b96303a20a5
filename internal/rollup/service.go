package rollup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/internal/platform/feed"
	"banca/storage"
)

// feedName is the name of the reader that keeps daily_totals.
const feedName = "daily_totals"

// Service keeps and reads the totals.
type Service struct {
	pg   *storage.Postgres
	zone *time.Location // of business days
}

// New returns the service. zone is the zone of business days.
func New(pg *storage.Postgres, zone *time.Location) *Service { return &Service{pg: pg, zone: zone} }

// Advance counts the events that were committed since the last call. It is the task rollup.advance.
func (s *Service) Advance(ctx context.Context) error {
	return errors.Join(s.reader().Advance(ctx, s.pg), s.hours().Advance(ctx, s.pg), s.means().Advance(ctx, s.pg))
}

// Rebuild counts all events again. Readers see the previous totals until it is done.
func (s *Service) Rebuild(ctx context.Context) error {
	return errors.Join(s.reader().Rebuild(ctx, s.pg), s.hours().Rebuild(ctx, s.pg), s.means().Rebuild(ctx, s.pg))
}

// AsOf returns the time up to which events are counted; zero if none was ever counted.
func (s *Service) AsOf(ctx context.Context) (time.Time, error) {
	p, err := feed.PositionOf(ctx, s.pg.Pool, feedName)
	return p.ReadAt, err
}

// Counted reports whether every committed event that is dated before an instant is counted.
func (s *Service) Counted(ctx context.Context, before time.Time) (bool, error) {
	p, err := feed.PositionOf(ctx, s.pg.Pool, feedName)
	if err != nil {
		return false, err
	}
	var waiting bool
	if err := s.pg.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM transactions WHERE xid >= $1 AND created_at < $2)`, p.Xid, before).Scan(&waiting); err != nil {
		return false, fmt.Errorf("events that are not counted: %w", err)
	}
	return !waiting, nil
}

func (s *Service) reader() *feed.Reader {
	return &feed.Reader{
		Name: feedName, Zone: s.zone,
		Read: func(ctx context.Context, tx pgx.Tx, w feed.Window) error { return count(ctx, tx, w, s.zone.String()) },
		Reset: func(ctx context.Context, tx pgx.Tx) error {
			b := &pgx.Batch{}
			b.Queue(`DELETE FROM daily_totals`) // TRUNCATE would make readers wait
			b.Queue(`DELETE FROM draw_totals`)
			return tx.SendBatch(ctx, b).Close()
		},
	}
}

// count adds the events of a window to both tables.
func count(ctx context.Context, tx pgx.Tx, w feed.Window, zone string) error {
	found, err := readEvents(ctx, tx, w, zone)
	if err != nil || len(found) == 0 {
		return err
	}
	places, err := placesOf(ctx, tx, found.paths())
	if err != nil {
		return err
	}
	if err := assignMargins(found, places); err != nil {
		return err
	}
	games, err := gamesOf(ctx, tx, found)
	if err != nil {
		return err
	}
	if err := writeDraws(ctx, tx, found, games); err != nil {
		return err
	}
	return writeEntities(ctx, tx, spread(found, places, games))
}
