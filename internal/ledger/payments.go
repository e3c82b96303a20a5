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

const payments = `WITH w AS (SELECT id, entity_id FROM wallets WHERE entity_id = ANY ($1::uuid[]) AND currency_id = $2 AND kind = 'main')
	SELECT entity_id, sum(amount)::bigint FROM (
		SELECT w.entity_id, d.amount FROM w JOIN wallet_days d ON d.wallet_id = w.id AND d.day BETWEEN $3 AND $4 WHERE d.type IN ('deposit', 'withdrawal')
		UNION ALL
		SELECT w.entity_id, p.amount FROM transactions t JOIN postings p ON p.transaction_id = t.id JOIN w ON w.id = p.wallet_id
		WHERE t.xid >= $5 AND t.type IN ('deposit', 'withdrawal') AND (t.created_at AT TIME ZONE $6)::date BETWEEN $3 AND $4
	) posted GROUP BY entity_id HAVING sum(amount) <> 0`

// Payments returns the deposits less the withdrawals on the main wallets of entities from one business day to another, both included, by
// entity. An entity whose sum is 0 is missing. The caller of the method checks that the entities are in the scope of the user.
func (s *Service) Payments(ctx context.Context, currency uuid.UUID, from, to businessday.Day, entities []uuid.UUID) (map[uuid.UUID]money.Amount, error) {
	sums := map[uuid.UUID]money.Amount{}
	err := s.pg.Snapshot(ctx, func(tx pgx.Tx) error {
		counted, err := feed.PositionOf(ctx, tx, daysFeed)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, payments, storage.UUIDs(entities), currency, from, to, counted.Xid, s.options.Zone.String())
		if err != nil {
			return err
		}
		var entity uuid.UUID
		var amount money.Amount
		_, err = pgx.ForEachRow(rows, []any{&entity, &amount}, func() error { sums[entity] = amount; return nil })
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("payments: %w", err)
	}
	return sums, nil
}
