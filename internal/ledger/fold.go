package ledger

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// foldBatch bounds the wallets one run of the task folds; the next run takes the rest.
const foldBatch = 1_000

// Fold adds what waits in pending_balances to the balances, one wallet a transaction so that it never
// holds two locks, and returns how many wallets it folded. Repeating it does nothing twice: a pending
// row and its effect on the balance change in the same statement.
func (s *Service) Fold(ctx context.Context) (int, error) {
	ids, err := storage.Collect(ctx, s.pg.Pool, "fold", pgx.RowTo[uuid.UUID],
		`SELECT DISTINCT wallet_id FROM pending_balances LIMIT $1`, foldBatch)
	if err != nil {
		return 0, err
	}
	for i, id := range ids {
		err := s.pg.InTx(ctx, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `SET LOCAL ledger.overdraft = 'on'`); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `SELECT 1 FROM wallets WHERE id = $1 FOR UPDATE`, id); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, foldWallets, storage.UUIDs{id})
			return err
		})
		if err != nil {
			return i, fmt.Errorf("fold wallet %s: %w", id, err)
		}
	}
	return len(ids), nil
}
