package testkit

import (
	"context"

	"banca/storage"
)

// Scans returns the scans that the plan of a statement has.
func Scans(ctx context.Context, pg *storage.Postgres, sql string) ([]string, error) {
	return scans(ctx, pg, &statement{sql: sql})
}
