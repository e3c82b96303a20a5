package storage

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Statement is a statement with its parameters.
type Statement struct {
	SQL  string
	Args []any
}

// Batched repeats each statement until it changes fewer rows than batch, which it gets as its last parameter, so that
// none holds locks for long. It returns the number of changed rows, also with an error.
func Batched(ctx context.Context, pool *pgxpool.Pool, batch int64, statements ...Statement) (changed int64, err error) {
	for _, s := range statements {
		args := append(slices.Clip(s.Args), batch)
		for n := batch; n == batch; changed += n {
			tag, err := pool.Exec(ctx, s.SQL, args...)
			if err != nil {
				return changed, err
			}
			n = tag.RowsAffected()
		}
	}
	return changed, nil
}
