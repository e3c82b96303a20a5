package storage

import (
	"context"
	"errors"
	"iter"

	"github.com/jackc/pgx/v5"
)

// errStopped ends a snapshot whose rows are not wanted any more.
var errStopped = errors.New("storage: stopped")

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
