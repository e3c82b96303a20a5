package ledger

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// Deposit books money that enters a wallet: from the operator's external wallet if the caller belongs to the
// operator, otherwise from the wallet of the caller's entity, which must be above the wallet's. A repeat of an
// idempotency key returns the first movement. Errors: ErrWalletUnknown, ErrNotAbove, ErrWalletKind,
// ErrWalletInactive, ErrCurrencyNotFound, ErrCurrencyMismatch, ErrMovementInvalid, ErrReferenceUsed,
// ErrInsufficientBalance, money.ErrAmount, errors of idempotency.
func (s *Service) Deposit(
	ctx context.Context, by caller.Caller, r *MovementRequest,
) (m *Movement, replayed bool, err error) {
	return s.move(
		ctx, by, r, moveKind{kind: MovementDeposit, typ: models.TransactionDeposit, sign: 1, counterpart: s.outside},
	)
}

// Withdraw books money that leaves a wallet, to where Deposit takes it from. Errors: as Deposit;
// ErrInsufficientBalance if the balance with the credit limit does not cover the amount.
func (s *Service) Withdraw(
	ctx context.Context, by caller.Caller, r *MovementRequest,
) (m *Movement, replayed bool, err error) {
	return s.move(
		ctx, by, r,
		moveKind{kind: MovementWithdrawal, typ: models.TransactionWithdrawal, sign: -1, counterpart: s.outside},
	)
}

// Transfer moves money between the wallet of an entity and the main wallet of its parent. It is a deposit of the
// entity if it comes from the parent, and a withdrawal if it goes to the parent; the debited wallet must cover it.
// Errors: as Deposit; ErrNoParent.
func (s *Service) Transfer(
	ctx context.Context, by caller.Caller, r *MovementRequest, direction Direction,
) (m *Movement, replayed bool, err error) {
	k := moveKind{
		kind: MovementTransfer, typ: models.TransactionDeposit, sign: 1, direction: direction, counterpart: s.parentOf,
	}
	if direction == ToParent {
		k.typ, k.sign = models.TransactionWithdrawal, -1
	}
	return s.move(ctx, by, r, k)
}

// moveKind is what the kinds of movement differ in.
type moveKind struct {
	kind        string
	typ         string       // of the transaction
	sign        money.Amount // of the posting on the wallet
	direction   Direction    // of a transfer
	counterpart func(ctx context.Context, by caller.Caller, t *target) (other, error)
}

// other is the wallet on the other side. The external wallet has no bound, so it is not locked.
type other struct {
	id       uuid.UUID
	external bool
}

// locked returns the wallets that a movement locks.
func (o other) locked(wallet uuid.UUID) []uuid.UUID {
	if o.external {
		return []uuid.UUID{wallet}
	}
	return []uuid.UUID{wallet, o.id}
}

// outside returns the counterpart of money that enters or leaves.
func (s *Service) outside(ctx context.Context, by caller.Caller, t *target) (other, error) {
	if by.IsOperator() {
		id, err := s.OperatorWallet(ctx, t.root(), t.CurrencyID, models.WalletExternal)
		return other{id: id, external: true}, err
	}
	return s.mainOf(ctx, t.CurrencyID, by.EntityID)
}

// parentOf returns the wallet of the entity above.
func (s *Service) parentOf(ctx context.Context, _ caller.Caller, t *target) (other, error) {
	if t.Parent == uuid.Nil {
		return other{}, ErrNoParent
	}
	return s.mainOf(ctx, t.CurrencyID, t.Parent)
}

func (s *Service) mainOf(ctx context.Context, currency, entity uuid.UUID) (other, error) {
	ids, err := s.MainWallets(ctx, currency, entity)
	if err != nil {
		return other{}, err
	}
	return other{id: ids[0]}, nil
}

// move makes a movement once for its idempotency key.
func (s *Service) move(
	ctx context.Context, by caller.Caller, r *MovementRequest, k moveKind,
) (m *Movement, replayed bool, err error) {
	t, err := targetOf(ctx, by, s.pg.Pool, r.WalletID)
	if err != nil {
		return nil, false, err
	}
	currency, amount, err := s.checkMovement(ctx, t, r)
	if err != nil {
		return nil, false, err
	}
	key, err := idempotency.KeyOf(t.EntityID, r.IdempotencyKey)
	if err != nil {
		return nil, false, err
	}
	defer s.keys.Lock(key)()
	use := idempotency.Use{Key: key, Meaning: r.meaning(k.kind, k.direction)}
	return idempotency.Once(ctx, s.pg.Pool, use, s.answered, func() (*Movement, error) {
		if currency.Status != models.StatusActive {
			return nil, ErrCurrencyNotFound
		}
		o, err := k.counterpart(ctx, by, t)
		if err != nil {
			return nil, err
		}
		m := &Movement{
			ID: uuid.Must(uuid.NewV7()), Kind: k.kind, Type: k.typ, WalletID: t.ID, EntityID: t.EntityID,
			Currency: currency, CounterpartID: o.id,
			Amount: k.sign * amount, Reference: r.Reference, Note: r.Note, UserID: by.UserID,
		}
		err = s.commitMovement(ctx, m, func(ctx context.Context, tx pgx.Tx) error {
			posting := Transaction{
				ID: m.ID, Type: m.Type, EntityID: m.EntityID, CurrencyID: currency.ID, Amount: amount, UserID: m.UserID,
				Reference: m.Reference,
				Postings:  []Posting{{WalletID: m.WalletID, Amount: m.Amount}, {WalletID: o.id, Amount: -m.Amount}},
			}
			return r.Along.around(ctx, tx, m, func() error { return s.moveTx(ctx, tx, m, &posting, o, use) })
		})
		if err != nil {
			return nil, err
		}
		return m, nil
	})
}

// around runs the transaction of a movement between what another domain does.
func (a *Along) around(ctx context.Context, tx pgx.Tx, m *Movement, move func() error) error {
	if a.Before != nil {
		if err := a.Before(ctx, tx); err != nil {
			return err
		}
	}
	if err := move(); err != nil || a.After == nil {
		return err
	}
	return a.After(ctx, tx, m)
}

// checkMovement checks what does not depend on the state of the books.
func (s *Service) checkMovement(ctx context.Context, t *target, r *MovementRequest) (Currency, money.Amount, error) {
	if err := r.normalise(); err != nil {
		return Currency{}, 0, err
	}
	currency, err := s.AnyCurrency(ctx, t.CurrencyID.String())
	if err != nil {
		return Currency{}, 0, err
	}
	if err := s.sameCurrency(ctx, r.Currency, currency); err != nil {
		return Currency{}, 0, err
	}
	amount, err := money.Parse(r.Amount, currency.Digits)
	return currency, amount, err
}

// moveTx posts the transaction of a movement and writes everything that goes with it. It sets the time and the balance.
func (s *Service) moveTx(
	ctx context.Context, tx pgx.Tx, m *Movement, t *Transaction, o other, use idempotency.Use,
) error {
	ids := o.locked(m.WalletID)
	locked, err := lockTx(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, w := range locked {
		if w.Status != models.StatusActive {
			return ErrWalletInactive
		}
	}
	if m.At, err = storage.DecisionTime(ctx, tx, s.options.Clock); err != nil {
		return err
	}
	t.At, m.Balance = m.At, locked[m.WalletID].Balance+m.Amount
	if err := postTx(ctx, tx, ids, locked, []Transaction{*t}); err != nil {
		return err
	}
	if err := m.insertTx(ctx, tx); err != nil {
		return err
	}
	if err := use.StoreTx(ctx, tx, &idempotency.Answer{Response: m.ID[:]}); err != nil {
		return err
	}
	return m.recordTx(ctx, tx)
}

// recordTx adds the movement to the activity log.
func (m *Movement) recordTx(ctx context.Context, tx pgx.Tx) error {
	details := map[string]any{
		"transaction": m.ID, "amount": m.Amount.Format(m.Currency.Digits), "currency": m.Currency.Code,
		"balance": m.Balance.Format(m.Currency.Digits),
	}
	for name, value := range map[string]string{"reference": m.Reference, "note": m.Note} {
		if value != "" {
			details[name] = value
		}
	}
	if m.Kind == MovementTransfer {
		details["counterpart"] = m.CounterpartID
	}
	if m.ReversesID != uuid.Nil {
		details["reverses"] = m.ReversesID
	}
	err := activity.RecordPgxTx(ctx, tx, activity.Entry{
		Action: m.action(), EntityID: m.EntityID, Target: m.WalletID.String(), Details: details,
	})
	if err != nil {
		return fmt.Errorf("record movement: %w", err)
	}
	return nil
}

func (m *Movement) action() activity.Action {
	switch m.Kind {
	case MovementDeposit:
		return activity.WalletsDeposit
	case MovementWithdrawal:
		return activity.WalletsWithdrawal
	case MovementTransfer:
		return activity.WalletsTransfer
	default:
		return activity.WalletsReversal
	}
}
