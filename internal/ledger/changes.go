package ledger

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/internal/platform/feed"
	"banca/internal/platform/money"
	"banca/storage"
)

// BalanceChange is what was posted on the main wallet of an entity in a period, by type of transaction. Opening plus the types is Closing.
type BalanceChange struct {
	EntityID   uuid.UUID
	WalletID   uuid.UUID
	Opening    money.Amount // balance before the first day
	Sale       money.Amount
	Prize      money.Amount
	Commission money.Amount
	Deposit    money.Amount
	Withdrawal money.Amount
	Closing    money.Amount // balance after the last day
}

// balanceChanges sums the counted days of wallets and the postings that are not counted yet, as in wallet_days.
const balanceChanges = `WITH w AS (
		SELECT id, entity_id FROM wallets WHERE entity_id = ANY ($1::uuid[]) AND currency_id = $2 AND kind = 'main'
	), posted AS (
		SELECT d.wallet_id, d.day, d.type, d.amount FROM wallet_days d JOIN w ON w.id = d.wallet_id WHERE d.day <= $4
		UNION ALL
		SELECT p.wallet_id, (t.created_at AT TIME ZONE $6)::date, t.type, p.amount FROM transactions t JOIN postings p ON p.transaction_id = t.id JOIN w ON w.id = p.wallet_id
		WHERE t.xid >= $5 AND (t.created_at AT TIME ZONE $6)::date <= $4
	)
	SELECT w.entity_id, w.id, coalesce(sum(amount) FILTER (WHERE day < $3), 0)::bigint,
		coalesce(sum(amount) FILTER (WHERE day >= $3 AND type = 'sale'), 0)::bigint, coalesce(sum(amount) FILTER (WHERE day >= $3 AND type = 'prize'), 0)::bigint,
		coalesce(sum(amount) FILTER (WHERE day >= $3 AND type = 'commission'), 0)::bigint, coalesce(sum(amount) FILTER (WHERE day >= $3 AND type = 'deposit'), 0)::bigint,
		coalesce(sum(amount) FILTER (WHERE day >= $3 AND type = 'withdrawal'), 0)::bigint, coalesce(sum(amount), 0)::bigint
	FROM w LEFT JOIN posted ON posted.wallet_id = w.id GROUP BY w.entity_id, w.id`

// BalanceChanges returns what was posted on the main wallets of entities from one business day to another, both included, by entity. An
// entity without a wallet in the currency is missing. The caller of the method checks that the entities are in the scope of the user.
func (s *Service) BalanceChanges(ctx context.Context, currency uuid.UUID, from, to businessday.Day, entities []uuid.UUID) (map[uuid.UUID]BalanceChange, error) {
	list := make(map[uuid.UUID]BalanceChange, len(entities))
	err := s.pg.Snapshot(ctx, func(tx pgx.Tx) error {
		counted, err := feed.PositionOf(ctx, tx, daysFeed)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, balanceChanges, storage.UUIDs(entities), currency, from, to, counted.Xid, s.options.Zone.String())
		if err != nil {
			return err
		}
		var m BalanceChange
		_, err = pgx.ForEachRow(rows, []any{&m.EntityID, &m.WalletID, &m.Opening, &m.Sale, &m.Prize, &m.Commission, &m.Deposit, &m.Withdrawal, &m.Closing},
			func() error { list[m.EntityID] = m; return nil })
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("changes of balances: %w", err)
	}
	return list, nil
}
