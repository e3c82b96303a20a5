package storage

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Collect returns the rows of a query. An error begins with what is read.
func Collect[T any](ctx context.Context, q Querier, what string, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	list, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return list, nil
}

// One returns the only row of a query. Errors: missing, if there is no row.
func One[T any](ctx context.Context, q Querier, what string, missing error, scan pgx.RowToFunc[T], sql string, args ...any) (*T, error) {
	list, err := Collect(ctx, q, what, scan, sql, args...)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, missing
	case len(list) > 1:
		return nil, fmt.Errorf("%s: %w", what, pgx.ErrTooManyRows)
	}
	return &list[0], nil
}

// Each scans each row of a query into the variables and calls do. An error begins with what is read.
func Each(ctx context.Context, q Querier, what string, variables []any, do func() error, sql string, args ...any) error {
	rows, err := q.Query(ctx, sql, args...)
	if err == nil {
		_, err = pgx.ForEachRow(rows, variables, do)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
