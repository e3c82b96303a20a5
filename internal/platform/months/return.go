package months

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// ErrNotArchived reports a month that is not in the archive.
var ErrNotArchived = errors.New("the month is not in the archive")

// Return restores an archived month into the tables, read-only, until a later run of Archive removes it again.
// Errors: ErrNotArchived, ErrDamaged, ErrOvertaken.
func (s *Service) Return(ctx context.Context, label string) (rows int64, err error) {
	var key, sum string
	err = s.PG.Pool.QueryRow(ctx, `SELECT manifest, sha256 FROM month_archives WHERE label = $1 AND state = 'archived'`, label).Scan(&key, &sum)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("%w: %s", ErrNotArchived, label)
	}
	if err != nil {
		return 0, fmt.Errorf("return month %s: %w", label, err)
	}
	m, err := manifestOf(ctx, s.Objects, key, sum)
	if err != nil {
		return 0, err
	}
	var made []uint32
	if err := s.long(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT monthly_return($1)`, label); err != nil {
			return err
		}
		made, err = tablesOf(ctx, tx, label)
		return err
	}); err != nil {
		return 0, fmt.Errorf("return month %s: %w", label, err)
	}
	for _, t := range sources() {
		n, err := s.load(ctx, label, m.table(t.name))
		if err != nil {
			return rows, fmt.Errorf("return %s of month %s: %w", t.name, label, err)
		}
		rows += n
	}
	err = s.retryLocks(ctx, func(tx pgx.Tx) error {
		if err := lockMonth(ctx, tx, label, StateArchived); err != nil {
			return err
		}
		if now, err := tablesOf(ctx, tx, label); err != nil {
			return err
		} else if !slices.Equal(now, made) { // another run made them again, and may not have filled them
			return ErrOvertaken
		}
		if _, err := tx.Exec(ctx, `SELECT monthly_attach($1)`, label); err != nil {
			return err
		}
		_, err := tx.Exec(
			ctx, `UPDATE month_archives SET state = 'returned', returned_at = $2 WHERE label = $1`, label,
			s.Clock.Now(),
		)
		return err
	})
	if err != nil {
		return rows, fmt.Errorf("return month %s: %w", label, err)
	}
	return rows, nil
}

// tablesOf returns the ids of the tables of a month.
func tablesOf(ctx context.Context, tx pgx.Tx, label string) (ids []uint32, err error) {
	err = tx.QueryRow(ctx, `SELECT array_agg(coalesce(to_regclass(name || '_' || $1)::oid, 0) ORDER BY name) FROM monthly_tables()`, label).Scan(&ids)
	if err != nil {
		return nil, fmt.Errorf("tables of month %s: %w", label, err)
	}
	return ids, nil
}

// load inserts the rows of a table, a chunk in a transaction.
func (s *Service) load(ctx context.Context, label string, t *stored) (rows int64, err error) {
	for i := range t.Chunks {
		c := &t.Chunks[i]
		list, err := c.rows(ctx, s.Objects)
		if err != nil {
			return rows, err
		}
		var n int64
		err = s.long(ctx, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, `SELECT monthly_load($1, $2, $3::text::jsonb)`, label, t.Name, "["+string(bytes.Join(list, []byte{','}))+"]").Scan(&n)
		})
		if err != nil {
			return rows, err
		}
		if n != int64(c.Rows) {
			return rows, fmt.Errorf("%d of %d rows of %s are inserted", n, c.Rows, c.Object)
		}
		rows += n
	}
	return rows, nil
}
