package drawstate

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// Head is what the counts of a draw in the cache begin with.
type Head struct {
	DrawID uuid.UUID
	Epoch  int64 // of their rebuild
	Rev    int64 // counts the changes of limits that name the draw
	Time   time.Time
	Closed bool
}

// RaiseEpochsTx gives draws an epoch that no earlier rebuild used, not even one that was rolled back after Redis had
// stored its epoch: hence the clock.
func RaiseEpochsTx(ctx context.Context, tx pgx.Tx, ids []uuid.UUID) ([]Head, error) {
	return storage.Collect(ctx, tx, "raise epochs", pgx.RowToStructByPos[Head],
		`UPDATE draws SET risk_epoch = greatest(risk_epoch + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
		WHERE id = ANY ($1::uuid[]) RETURNING id, risk_epoch, risk_rev, draw_time, status NOT IN ('scheduled', 'open')`, storage.UUIDs(ids))
}

// RaiseRevisionTx counts a change of limits that name a draw, and returns the count.
func RaiseRevisionTx(ctx context.Context, tx pgx.Tx, id uuid.UUID) (rev int64, err error) {
	if err := tx.QueryRow(ctx, `UPDATE draws SET risk_rev = risk_rev + 1 WHERE id = $1 RETURNING risk_rev`, id).Scan(&rev); err != nil {
		return 0, fmt.Errorf("raise revision: %w", err)
	}
	return rev, nil
}

// CacheClosed marks draws as closed in the cache.
func CacheClosed(ctx context.Context, q storage.Execer, ids []uuid.UUID, now time.Time) error {
	return write(ctx, q, "close in cache", `UPDATE draws SET cache_closed_at = $2 WHERE id = ANY ($1::uuid[]) AND cache_closed_at IS NULL`, storage.UUIDs(ids), now)
}
