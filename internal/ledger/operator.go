package ledger

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"banca/models"
)

// OperatorWallet returns the id of one of the operator's wallets for money that is not an entity's own, and opens it
// if it does not exist: external, the counterpart of money that enters or leaves and so unlimited, or suspense, which
// holds deposits without a known owner.
func (s *Service) OperatorWallet(ctx context.Context, root, currency uuid.UUID, kind string) (uuid.UUID, error) {
	var id uuid.UUID
	_, err := s.pg.Pool.Exec(ctx, `INSERT INTO wallets (id, entity_id, currency_id, kind, unlimited) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
		uuid.Must(uuid.NewV7()), root, currency, kind, kind == models.WalletExternal)
	if err != nil {
		return id, fmt.Errorf("open %s wallet: %w", kind, err)
	}
	err = s.pg.Pool.QueryRow(ctx, `SELECT id FROM wallets WHERE entity_id = $1 AND currency_id = $2 AND kind = $3`, root, currency, kind).Scan(&id)
	if err != nil {
		return id, fmt.Errorf("find %s wallet: %w", kind, err)
	}
	return id, nil
}
