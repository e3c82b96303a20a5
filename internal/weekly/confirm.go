package weekly

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// ConfirmRequest confirms a settlement.
type ConfirmRequest struct {
	ID             uuid.UUID
	IdempotencyKey string
}

// Confirm confirms a draft and books the entity's own share of the participation. A share in a loss must be covered
// by the entity's wallet. Errors: ErrNotFound, ErrOperatorOnly, ErrConfirmed, ErrEarlierDraft,
// ledger.ErrInsufficientBalance, and errors of idempotency.
func (s *Service) Confirm(ctx context.Context, by caller.Caller, req *ConfirmRequest) (*Settlement, bool, error) {
	found, err := s.Get(ctx, by, req.ID)
	if err != nil {
		return nil, false, err
	}
	if !by.IsOperator() {
		return nil, false, ErrOperatorOnly
	}
	key, err := idempotency.KeyOf(found.EntityID, req.IdempotencyKey)
	if err != nil {
		return nil, false, err
	}
	use := idempotency.Use{Key: key, Meaning: idempotency.Of("confirm weekly settlement", req.ID.String())}
	replay := func(ctx context.Context, _ *idempotency.Answer) (*Settlement, error) { return s.Get(ctx, by, req.ID) }
	return idempotency.Once(ctx, s.PG.Pool, use, replay, func() (*Settlement, error) {
		return s.confirm(ctx, by, found, use)
	})
}

// Refusal is a draft that ConfirmWeek did not confirm. Its row may be gone, if the week was drafted again meanwhile
// (ErrNotFound).
type Refusal struct {
	ID     uuid.UUID
	Entity string // name
	Err    error
}

// ConfirmWeek confirms the drafts of a week below an entity in the caller's scope, each in its own transaction. It
// returns the confirmed settlements and the refusals. Errors: errors of List, ErrOperatorOnly, ErrWeek.
func (s *Service) ConfirmWeek(
	ctx context.Context, by caller.Caller, f *Filter,
) (confirmed []uuid.UUID, refused []Refusal, err error) {
	if !by.IsOperator() {
		return nil, nil, ErrOperatorOnly
	}
	if f.Week.IsZero() {
		return nil, nil, ErrWeek
	}
	drafts := *f
	drafts.Status, drafts.Limit, drafts.Offset = Draft, maxConfirmed, 0
	list, _, err := s.List(ctx, by, &drafts)
	if err != nil {
		return nil, nil, err
	}
	for i := range list {
		if _, err := s.confirm(ctx, by, &list[i], idempotency.Use{}); err != nil {
			refused = append(refused, Refusal{ID: list[i].ID, Entity: list[i].Entity, Err: err})
			continue
		}
		confirmed = append(confirmed, list[i].ID)
	}
	return confirmed, refused, nil
}

// SendWeek queues the notice of each confirmed settlement of a week to the contact of its entity. There is one message about a settlement, so a contact
// that has it already gets no other. Errors: ErrOperatorOnly, ErrWeek, ledger.ErrCurrencyNotFound.
func (s *Service) SendWeek(ctx context.Context, by caller.Caller, week businessday.Day, currency string) error {
	if !by.IsOperator() {
		return ErrOperatorOnly
	}
	if week.IsZero() {
		return ErrWeek
	}
	c, err := s.Ledger.AnyCurrency(ctx, currency)
	if err != nil {
		return err
	}
	return s.PG.Retried(ctx, func(tx pgx.Tx) error {
		var rows []outbox.Row
		var id uuid.UUID
		err := storage.Each(ctx, tx, "settlements to send", []any{&id}, func() error {
			notice, err := outbox.NewRow(tasks.NoticeSettlement{SettlementID: id})
			rows = append(rows, notice)
			return err
		}, `SELECT id FROM weekly_settlements WHERE week = $1 AND currency_id = $2 AND confirmed_at IS NOT NULL ORDER BY id`, week, c.ID)
		if err != nil {
			return err
		}
		return outbox.EnqueueTx(ctx, tx, rows...)
	})
}

// maxConfirmed bounds the settlements that one call of ConfirmWeek confirms; it can be called again.
const maxConfirmed = 2_000

// timeout bounds the transaction of a change, which does not end with the request.
const timeout = 10 * time.Second

// confirm confirms a settlement in one transaction.
func (s *Service) confirm(
	ctx context.Context, by caller.Caller, found *Settlement, use idempotency.Use,
) (confirmed *Settlement, err error) {
	root, err := s.Org.Root(ctx)
	if err != nil {
		return nil, err
	}
	wallets, err := s.Ledger.MainWallets(ctx, found.Currency.ID, found.EntityID, root)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	err = s.PG.Retried(ctx, func(tx pgx.Tx) error {
		if err := lockTx(ctx, tx, found.Currency.ID); err != nil {
			return err
		}
		if err := s.confirmableTx(ctx, tx, found.ID); err != nil {
			return err
		}
		c := confirmation{Settlement: found, wallet: wallets[0], operator: wallets[1], by: by.UserID}
		if err := s.bookTx(ctx, tx, &c); err != nil {
			return err
		}
		if err := use.StoreTx(ctx, tx, &idempotency.Answer{Response: found.ID[:]}); err != nil {
			return err
		}
		if confirmed, err = s.rowTx(ctx, tx, found); err != nil {
			return err
		}
		notice, err := outbox.NewRow(tasks.NoticeSettlement{SettlementID: found.ID})
		if err != nil {
			return err
		}
		if err := outbox.EnqueueTx(ctx, tx, notice); err != nil {
			return err
		}
		return record(ctx, tx, activity.SettlementsConfirm, found, map[string]any{
			"due": found.Due.Format(found.Currency.Digits), "balance": found.Balance().Format(found.Currency.Digits),
			"own_share": found.OwnShare.Format(found.Currency.Digits),
		})
	})
	return confirmed, err
}

// confirmableTx reads the state of a settlement under the lock. Errors: ErrNotFound if it was drafted again,
// ErrConfirmed, ErrEarlierDraft.
func (s *Service) confirmableTx(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	var found, confirmed, earlier bool
	err := tx.QueryRow(ctx, `SELECT count(*) = 1, coalesce(bool_or(s.confirmed_at IS NOT NULL), false), coalesce(bool_or(p.id IS NOT NULL AND p.confirmed_at IS NULL), false)
		FROM weekly_settlements s LEFT JOIN weekly_settlements p ON p.id = s.previous_id WHERE s.id = $1`, id).Scan(&found, &confirmed, &earlier)
	switch {
	case err != nil:
		return fmt.Errorf("state of settlement: %w", err)
	case !found:
		return ErrNotFound
	case confirmed:
		return ErrConfirmed
	case earlier:
		return ErrEarlierDraft
	}
	return nil
}

// confirmation is a settlement that is confirmed.
type confirmation struct {
	*Settlement

	wallet, operator uuid.UUID // main wallets
	by               uuid.UUID
}

// bookTx books the own share and marks the settlement as confirmed.
func (s *Service) bookTx(ctx context.Context, tx pgx.Tx, c *confirmation) error {
	now, err := storage.DecisionTime(ctx, tx, s.Clock)
	if err != nil {
		return err
	}
	var transaction uuid.UUID
	if c.OwnShare != 0 {
		transaction = uuid.Must(uuid.NewV7())
		err := s.Ledger.PostTx(ctx, tx, []uuid.UUID{c.wallet}, ledger.Transaction{
			ID: transaction, Type: models.TransactionCommission, EntityID: c.EntityID, CurrencyID: c.Currency.ID,
			Amount: c.OwnShare, UserID: c.by,
			Reference: reference(c.Week), At: now,
			Postings: []ledger.Posting{{WalletID: c.wallet, Amount: c.OwnShare}, {WalletID: c.operator, Amount: -c.OwnShare}},
		})
		if err != nil {
			return err
		}
	}
	_, err = tx.Exec(
		ctx, `UPDATE weekly_settlements SET confirmed_at = $2, confirmed_by = $3, transaction_id = $4 WHERE id = $1`,
		c.ID, now, c.by, models.Optional(transaction),
	)
	if err != nil {
		return fmt.Errorf("confirm settlement: %w", err)
	}
	return nil
}

// reference is the reference of the transaction of a week's own share.
func reference(week businessday.Day) string { return "cuadre " + week.String() }
