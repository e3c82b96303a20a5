package scheduler

import (
	"context"
	"fmt"

	"banca/storage"
)

// Leads reports whether a scheduler holds the lock of leadership.
func Leads(ctx context.Context, q storage.RowQuerier) (leads bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND classid::bigint = $1::bigint >> 32 AND objid::bigint = $1::bigint & 4294967295)`, int64(lockKey)).Scan(&leads)
	if err != nil {
		return false, fmt.Errorf("scheduler: leader: %w", err)
	}
	return leads, nil
}
