package bank

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/caller"
)

// recordTx adds an entry of the activity log for the caller's entity, as the last statement of its transaction.
func recordTx(
	ctx context.Context, tx pgx.Tx, by caller.Caller, action activity.Action, target string, details any,
) error {
	return activity.RecordPgxTx(ctx, tx, activity.Entry{
		Action: action, EntityID: by.EntityID, Target: target, Details: details,
	})
}

// directoryRow locks the row of a bank or a code, and returns it without its key and times. A missing row is nil.
func directoryRow(ctx context.Context, tx pgx.Tx, table, code string) (row map[string]any, err error) {
	err = tx.QueryRow(ctx, `SELECT to_jsonb(x) - 'code' - 'created_at' - 'updated_at' FROM `+
		pgx.Identifier{table}.Sanitize()+` x WHERE code = $1 FOR UPDATE`, code).Scan(&row)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("read directory: %w", err)
	}
	return row, nil
}
