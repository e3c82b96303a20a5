package ledger

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/storage"
)

// EntityCredit is a credit limit of an entity's main wallet.
type EntityCredit struct {
	Entity uuid.UUID
	Credit *Credit
}

// Credits returns the credit limits of main wallets in a currency by their entities.
func (s *Service) Credits(ctx context.Context, q storage.Querier, currency uuid.UUID) (map[uuid.UUID]money.Amount, error) {
	rows, err := q.Query(ctx, `SELECT entity_id, credit_limit FROM wallets WHERE currency_id = $1 AND kind = 'main'`, currency)
	if err != nil {
		return nil, fmt.Errorf("read credit limits: %w", err)
	}
	limits := map[uuid.UUID]money.Amount{}
	var entity uuid.UUID
	var limit money.Amount
	_, err = pgx.ForEachRow(rows, []any{&entity, &limit}, func() error {
		limits[entity] = limit
		return nil
	})
	return limits, err
}

// OpenWithCreditsTx is OpenWithCreditTx for many entities, each once in a currency, in a few round trips. The entities
// are below the caller's, of which the caller made sure. It locks the wallets in the order of their keys.
func (s *Service) OpenWithCreditsTx(ctx context.Context, by caller.Caller, tx pgx.Tx, list []EntityCredit) error {
	if len(list) == 0 {
		return nil
	}
	byKey, ids, err := openManyTx(ctx, tx, list)
	if err != nil {
		return err
	}
	locked, err := lockTx(ctx, tx, ids)
	if err != nil {
		return err
	}
	now, err := storage.Now(ctx, tx)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	var entries []activity.Entry
	for _, id := range ids {
		w := locked[id]
		c := byKey[walletKey{entity: w.EntityID, currency: w.CurrencyID}]
		switch {
		case w.Unlimited:
			return ErrWalletKind
		case w.CreditLimit == c.Limit:
			continue
		}
		b.Queue(setCreditLimit, id, c.Limit, now)
		b.Queue(addCreditChange, uuid.Must(uuid.NewV7()), id, w.CreditLimit, c.Limit, c.reason, by.UserID, now)
		entries = append(entries, c.entry(w))
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("change credit limits: %w", err)
	}
	return activity.RecordAllTx(ctx, tx, entries)
}

// openManyTx opens the main wallets and returns their ids in order, and the credits by their keys.
func openManyTx(ctx context.Context, tx pgx.Tx, list []EntityCredit) (map[walletKey]*Credit, []uuid.UUID, error) {
	byKey := make(map[walletKey]*Credit, len(list))
	var fresh, entities, currencies storage.UUIDs
	for _, e := range list {
		byKey[walletKey{entity: e.Entity, currency: e.Credit.Currency.ID}] = e.Credit
		fresh, entities, currencies = append(fresh, uuid.Must(uuid.NewV7())), append(entities, e.Entity), append(currencies, e.Credit.Currency.ID)
	}
	_, err := tx.Exec(ctx, `INSERT INTO wallets (id, entity_id, currency_id, kind)
		SELECT i, e, c, 'main' FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS x (i, e, c) ON CONFLICT DO NOTHING`, fresh, entities, currencies)
	if err != nil {
		return nil, nil, fmt.Errorf("open wallets: %w", err)
	}
	ids, err := storage.Collect(ctx, tx, "find wallets", pgx.RowTo[uuid.UUID],
		`SELECT w.id FROM wallets w JOIN unnest($1::uuid[], $2::uuid[]) AS x (e, c) ON w.entity_id = x.e AND w.currency_id = x.c
		WHERE w.kind = 'main'`, entities, currencies)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return byKey, ids, err
}
