package storage

import (
	"context"
	"fmt"
	"time"

	"banca/internal/platform/clock"
)

// Now asks a pool or a transaction for the database's clock.
func Now(ctx context.Context, db RowQuerier) (time.Time, error) {
	var now time.Time
	if err := db.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return now, fmt.Errorf("the database's clock: %w", err)
	}
	return now.UTC(), nil
}

// DecisionTime returns the instant at which a transaction decides: the database's time, or a Fake's, in microseconds.
func DecisionTime(ctx context.Context, db RowQuerier, c clock.Clock) (time.Time, error) {
	read, err := Now(ctx, db)
	if err != nil {
		return read, err
	}
	return clock.DecisionTime(c, read).Truncate(time.Microsecond), nil
}
