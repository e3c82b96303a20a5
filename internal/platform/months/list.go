package months

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/storage"
)

// Month is a month of the tables or of the archive.
type Month struct {
	Label string
	Ends  time.Time
	State string // "" for mutable rows in the tables, or one of the states
	Rows  int64  // in the archive
	Bytes int64  // of its objects
	At    time.Time
	Open  string // why it cannot be archived, for the oldest ended month in the tables
}

// List returns the months, oldest first.
func (s *Service) List(ctx context.Context) ([]Month, error) {
	list, err := storage.Collect(ctx, s.PG.Pool, "list months", func(row pgx.CollectableRow) (m Month, err error) {
		var at *time.Time
		err = row.Scan(&m.Label, &m.Ends, &m.State, &m.Rows, &m.Bytes, &at)
		m.Ends, m.At = m.Ends.UTC(), models.Instant(at)
		return m, err
	}, `SELECT coalesce(p.label, m.label), coalesce(p.ends, m.ends) AT TIME ZONE 'UTC' AS ends, coalesce(m.state, ''), coalesce(m.rows, 0), coalesce(m.bytes, 0),
		coalesce(m.returned_at, m.archived_at, m.written_at, m.frozen_at)
		FROM monthly_parts() p FULL JOIN month_archives m ON m.label = p.label ORDER BY ends`)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if m := &list[i]; m.State == "" && m.Ends.Before(s.Clock.Now()) {
			m.Open, err = s.openIn(ctx, m.Label)
			return list, err
		}
	}
	return list, nil
}

// openIn returns why a month cannot be archived, or "".
func (s *Service) openIn(ctx context.Context, label string) (open string, err error) {
	err = s.PG.Snapshot(ctx, func(tx pgx.Tx) error {
		p := Partition{Label: label}
		if err := tx.QueryRow(ctx, `SELECT least_id, before_id FROM monthly_parts() WHERE label = $1`, label).Scan(&p.Least, &p.Before); err != nil {
			return fmt.Errorf("month %s: %w", label, err)
		}
		return requireClosed(ctx, tx, p)
	})
	if errors.Is(err, ErrOpen) {
		return err.Error(), nil
	}
	return "", err
}

// Check compares all objects of the archive with their hashes. It returns the number of intact months. Errors:
// ErrDamaged for each other month.
func (s *Service) Check(ctx context.Context) (whole int, err error) {
	archive := &Archive{PG: s.PG, Objects: s.Objects}
	list, err := archive.manifests(ctx, `$1::boolean`, true)
	if err != nil {
		return 0, err
	}
	var damaged []error
	for _, o := range list {
		m, err := manifestOf(ctx, s.Objects, o.key, o.sum)
		if err == nil {
			err = readBack(ctx, s.Objects, m)
		}
		switch {
		case errors.Is(err, ErrDamaged):
			damaged = append(damaged, err)
		case err != nil:
			return whole, err
		default:
			whole++
		}
	}
	return whole, errors.Join(damaged...)
}
