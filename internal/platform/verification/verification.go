// Package verification counts the rows that break the invariants of stored data. Each domain declares its own.
package verification

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// Invariant is a rule of stored data with the query that counts the rows that break it.
type Invariant struct{ Name, Query string }

// Check is an invariant with the number of rows that break it.
type Check struct {
	Name   string
	Broken int64
}

// Run runs the queries in one read-only snapshot.
func Run(ctx context.Context, pg *storage.Postgres, list []Invariant) ([]Check, error) {
	checks := make([]Check, len(list))
	err := pg.Snapshot(ctx, func(tx pgx.Tx) error {
		for i, v := range list {
			checks[i].Name = v.Name
			if err := tx.QueryRow(ctx, v.Query).Scan(&checks[i].Broken); err != nil {
				return fmt.Errorf("%s: %w", v.Name, err)
			}
		}
		return nil
	})
	return checks, err
}
