package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"
)

// errStopped ends a snapshot whose rows are not wanted any more.
var errStopped = errors.New("storage: stopped")

// All returns the rows of l, which are read one by one in one snapshot, and their number. A file is made of them: List reads a page.
func All[T any](ctx context.Context, pg *Postgres, l *Listing, scan pgx.RowToFunc[T]) (rows iter.Seq2[T, error], total int64, err error) {
	where, args := l.Where.SQL(), l.Where.Args()
	if err := pg.Pool.QueryRow(ctx, `SELECT count(*) `+cmp.Or(l.CountFrom, l.From)+where, args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count: %w", err)
	}
	return Stream(ctx, pg, `SELECT `+l.Columns+` `+l.From+where+` ORDER BY `+l.Order, args, scan), total, nil
}

// Paged returns rows that are read in pages, all in one snapshot. page returns the next page and whether there are more; it continues behind a key, as
// offsets cost more with each page.
func Paged[T any](ctx context.Context, pg *Postgres, page func(tx pgx.Tx) (rows []T, more bool, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := pg.Snapshot(ctx, func(tx pgx.Tx) error {
			for more := true; more; {
				var rows []T
				var err error
				if rows, more, err = page(tx); err != nil {
					return err
				}
				for i := range rows {
					if !yield(rows[i], nil) {
						return errStopped
					}
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			var none T
			yield(none, err)
		}
	}
}

// Stream returns the rows of a statement one by one, however many, in a snapshot of their own that begins with the first row. It holds a
// connection until the last one. An error ends the rows.
func Stream[T any](ctx context.Context, pg *Postgres, sql string, args []any, scan pgx.RowToFunc[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := pg.Snapshot(ctx, func(tx pgx.Tx) error {
			rows, err := tx.Query(ctx, sql, args...)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				row, err := scan(rows)
				if err != nil {
					return err
				}
				if !yield(row, nil) {
					return errStopped
				}
			}
			return rows.Err()
		})
		if err != nil && !errors.Is(err, errStopped) {
			var none T
			yield(none, err)
		}
	}
}
