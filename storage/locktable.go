package storage

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"
)

// leastLocks is the least max_locks_per_transaction for which the lock table of Postgres is certainly large enough: a
// transaction that is planned for all months locks some 25 tables and indexes for each.
const leastLocks = 256

// checkLocks warns of a small lock table.
func checkLocks(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) error {
	var has int
	const setting = `SELECT setting::integer FROM pg_settings WHERE name = 'max_locks_per_transaction'`
	if err := pool.QueryRow(ctx, setting).Scan(&has); err != nil {
		return fmt.Errorf("lock table: %w", err)
	}
	if has < leastLocks && log != nil {
		log.WarnContext(ctx, "Postgres may run out of locks: set max_locks_per_transaction", "has", has, "needs",
			leastLocks)
	}
	return nil
}
