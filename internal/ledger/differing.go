package ledger

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/feed"
	"banca/internal/platform/money"
	"banca/storage"
)

// BalanceDifference is a wallet whose balance is not what was posted on it.
type BalanceDifference struct {
	WalletID   uuid.UUID
	EntityID   uuid.UUID
	CurrencyID uuid.UUID
	Balance    money.Amount
	Posted     money.Amount // the sum of wallet_days and of what they lack
}

// DifferingTx returns the wallets below a path pattern whose balances differ from the amounts by day. tx sees one snapshot.
func (s *Service) DifferingTx(ctx context.Context, tx pgx.Tx, pattern string) ([]BalanceDifference, error) {
	counted, err := feed.PositionOf(ctx, tx, daysFeed)
	if err != nil {
		return nil, err
	}
	return storage.Collect(ctx, tx, "differing balances", pgx.RowToStructByPos[BalanceDifference],
		`WITH below AS MATERIALIZED (SELECT w.id, w.entity_id, w.currency_id, w.balance FROM wallet_balances w JOIN entities e ON e.id = w.entity_id WHERE e.path LIKE $1),
		posted AS (SELECT wallet_id, sum(amount) AS amount FROM (
			SELECT d.wallet_id, d.amount FROM wallet_days d JOIN below b ON b.id = d.wallet_id
			UNION ALL SELECT p.wallet_id, p.amount FROM transactions t JOIN postings p ON p.transaction_id = t.id JOIN below b ON b.id = p.wallet_id WHERE t.xid >= $2) x GROUP BY wallet_id)
		SELECT b.id, b.entity_id, b.currency_id, b.balance::bigint, coalesce(p.amount, 0)::bigint FROM below b LEFT JOIN posted p ON p.wallet_id = b.id
		WHERE b.balance <> coalesce(p.amount, 0) ORDER BY b.id`, pattern, counted.Xid)
}
