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

// lockSettlements is apart from the locks of draws by having two parts.
const lockSettlements = 0x73657474

// LockSettlements waits until no other transaction decides tickets, and keeps others from it until the transaction ends. A
// ticket may have lines on many draws: of two that decide theirs at once, each would take the other's for undecided, and
// both would leave the ticket to the other. It comes after the locks of draws and before those of wallets.
func LockSettlements(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1, 0)`, int32(lockSettlements)); err != nil {
		return fmt.Errorf("lock settlements: %w", err)
	}
	return nil
}

// AwaitSettlements is LockSettlements for those who change tickets without deciding them: they only keep out of the way
// of who locks a hundred thousand in no order.
func AwaitSettlements(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock_shared($1, 0)`, int32(lockSettlements)); err != nil {
		return fmt.Errorf("await settlements: %w", err)
	}
	return nil
}

// LockDraws waits until no sale or cancellation of the draws is committing, and keeps others from committing until
// the transaction ends. It takes the locks in the common order.
func LockDraws(ctx context.Context, tx pgx.Tx, draws []uuid.UUID) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) k`, DrawLocks(draws)); err != nil {
		return fmt.Errorf("lock draws: %w", err)
	}
	return nil
}
