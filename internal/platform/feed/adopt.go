package feed

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// IsForeign reports whether a reader's position is of another cluster of Postgres, as after the restore of a dump.
func IsForeign(ctx context.Context, q storage.RowQuerier) (foreign bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (
		SELECT FROM feeds WHERE position > pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`).Scan(&foreign)
	if err != nil {
		return false, fmt.Errorf("feeds of another cluster: %w", err)
	}
	return foreign, nil
}

// ForgetTx deletes the positions of all readers, so that the next run of each reads all rows. Errors: ErrArchivedRows.
func ForgetTx(ctx context.Context, tx pgx.Tx) error {
	if err := requireAllRows(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM feeds`); err != nil {
		return fmt.Errorf("forget feeds: %w", err)
	}
	return nil
}
