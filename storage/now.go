package storage

import (
	"context"
	"fmt"
	"time"
)

// Now asks a pool or a transaction for the database's clock.
func Now(ctx context.Context, db RowQuerier) (time.Time, error) {
	var now time.Time
	if err := db.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return now, fmt.Errorf("the database's clock: %w", err)
	}
	return now.UTC(), nil
}
