package storage

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// DrawLock names a draw in Postgres advisory locks. A sale holds the lock shared while it commits; who needs the
// draw's sales to stand still (rebuild, sweep, closing, moving, deleting) takes it exclusively.
func DrawLock(draw uuid.UUID) int64 {
	return int64(binary.BigEndian.Uint64(draw[:8]) ^ binary.BigEndian.Uint64(draw[8:]))
}

// DrawLocks returns the locks of draws in the one order in which everybody takes them.
func DrawLocks(draws []uuid.UUID) []int64 {
	keys := make([]int64, len(draws))
	for i, d := range draws {
		keys[i] = DrawLock(d)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// LockDraws waits until no sale or cancellation of the draws is committing, and keeps others from committing until
// the transaction ends. It takes the locks in the common order.
func LockDraws(ctx context.Context, tx pgx.Tx, draws []uuid.UUID) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) k`, DrawLocks(draws)); err != nil {
		return fmt.Errorf("lock draws: %w", err)
	}
	return nil
}
