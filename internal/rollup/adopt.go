package rollup

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"banca/internal/platform/feed"
)

// AdoptTx gives the winning lines of a restored dump ids that are valid in every cluster of Postgres, and makes every
// feed read all rows again. Errors: feed.ErrArchivedRows.
func AdoptTx(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `UPDATE winning_lines SET xid = 0, annulled_xid = annulled_xid * 0`); err != nil {
		return fmt.Errorf("adopt winning lines: %w", err)
	}
	return feed.ForgetTx(ctx, tx)
}
