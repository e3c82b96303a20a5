package closes

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// IsForeign reports whether a close has a snapshot of another cluster of Postgres, as after the restore of a dump.
func IsForeign(ctx context.Context, q storage.RowQuerier) (foreign bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (
		SELECT FROM daily_closes WHERE pg_snapshot_xmax(seen) > pg_snapshot_xmax(pg_current_snapshot()))`).Scan(&foreign)
	if err != nil {
		return false, fmt.Errorf("closes of another cluster: %w", err)
	}
	return foreign, nil
}

// AdoptTx gives the restored transactions ids that are valid in every cluster: 0 for an event of a close, 1 for an
// event of the next close. It disables the triggers that refuse these changes, so it needs the owner of the tables.
func AdoptTx(ctx context.Context, tx pgx.Tx) error {
	for _, statement := range []string{
		`ALTER TABLE transactions DISABLE TRIGGER transactions_append_only`,
		`ALTER TABLE daily_closes DISABLE TRIGGER daily_closes_final`,
		`UPDATE transactions t SET xid = EXISTS (
			SELECT 1 FROM wallet_postings p
			JOIN (SELECT DISTINCT ON (wallet_id) wallet_id, seen, ends_at FROM daily_closes
				WHERE status = 'closed' AND wallet_id IS NOT NULL ORDER BY wallet_id, day DESC) l ON l.wallet_id = p.wallet_id
			WHERE p.transaction_id = t.id AND t.created_at < l.ends_at
				AND NOT pg_visible_in_snapshot(t.xid::text::xid8, l.seen))::int`,
		`UPDATE daily_closes SET seen = '1:1:' WHERE seen IS NOT NULL`,
		`ALTER TABLE transactions ENABLE TRIGGER transactions_append_only`,
		`ALTER TABLE daily_closes ENABLE TRIGGER daily_closes_final`,
	} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("adopt closes: %w", err)
		}
	}
	return nil
}
