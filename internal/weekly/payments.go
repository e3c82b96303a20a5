package weekly

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Payments returns the movements that were registered as payments of a settlement, the oldest first. The caller of the method may read the
// settlement.
func (s *Service) Payments(ctx context.Context, id uuid.UUID) ([]Payment, error) {
	rows, err := s.PG.Pool.Query(ctx, `SELECT m.transaction_id, m.wallet_id, e.name, m.kind, m.amount, coalesce(m.reference, ''), m.note, m.user_id, m.created_at, m.reversed
		FROM weekly_payments p JOIN payable_movements m ON m.transaction_id = p.transaction_id JOIN wallets w ON w.id = m.wallet_id JOIN entities e ON e.id = w.entity_id
		WHERE p.settlement_id = $1 ORDER BY m.created_at, m.transaction_id`, id)
	return collect(rows, err)
}

// maxPayable bounds the movements that Payable lists.
const maxPayable = 50

// Payable returns the newest movements that could pay a settlement and pay none of the entity. The caller of the method may read the settlement.
func (s *Service) Payable(ctx context.Context, found *Settlement) ([]Payment, error) {
	from, to, err := s.window(ctx, s.PG.Pool, found)
	if err != nil {
		return nil, err
	}
	rows, err := s.PG.Pool.Query(ctx, `SELECT m.transaction_id, m.wallet_id, e.name, m.kind, m.amount, m.reference, m.note, m.user_id, m.created_at, m.reversed `+crossing+`
		WHERE m.created_at >= $3 AND m.created_at < $4 AND NOT EXISTS (SELECT 1 FROM weekly_payments p WHERE p.entity_id = $5 AND p.transaction_id = m.transaction_id)
		ORDER BY m.created_at DESC, m.transaction_id LIMIT $6`, found.Path+"%", found.Currency.ID, from, to, found.EntityID, maxPayable)
	return collect(rows, err)
}

func collect(rows pgx.Rows, err error) ([]Payment, error) {
	if err != nil {
		return nil, fmt.Errorf("payments of a settlement: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Payment])
	if err != nil {
		return nil, fmt.Errorf("payments of a settlement: %w", err)
	}
	for i := range list {
		list[i].At = list[i].At.UTC()
	}
	return list, nil
}
