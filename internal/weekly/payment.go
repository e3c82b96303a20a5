package weekly

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
)

// Payment is a movement of a wallet that pays a settlement, or could.
type Payment struct {
	MovementID uuid.UUID
	WalletID   uuid.UUID
	Entity     string // of the wallet
	Kind       string
	Amount     money.Amount // positive for what the entity pays
	Reference  string
	Note       string
	UserID     uuid.UUID
	At         time.Time
	Reversed   bool // and so counts no more
}

// PayRequest asks to pay a settlement by a movement on the entity's wallet: a deposit of what the entity owes, or a
// withdrawal of what it is owed.
type PayRequest struct {
	ID             uuid.UUID
	Amount         string // "" for all that is left
	Reference      string // of the movement
	Note           string
	IdempotencyKey string
}

// Pay makes a movement that pays a settlement, and registers it, in one transaction. Errors: ErrNotFound,
// ErrNotAbove, ErrUnconfirmed, ErrNothingDue, ErrCarried, ErrOutstanding, ErrUndrafted, and errors of ledger.Deposit
// and idempotency.
func (s *Service) Pay(ctx context.Context, by caller.Caller, req *PayRequest) (*Settlement, bool, error) {
	found, err := s.payable(ctx, by, req.ID)
	if err != nil {
		return nil, false, err
	}
	meaning := idempotency.Of(
		"pay weekly settlement", req.ID.String(), idempotency.Decimal(req.Amount), req.Reference, req.Note,
	)
	return s.once(ctx, by, found, req.IdempotencyKey, meaning, func(use idempotency.Use) (*Settlement, error) {
		if err := open(found); err != nil {
			return nil, err
		}
		r, err := s.movement(ctx, found, req)
		if err != nil {
			return nil, err
		}
		p := &payment{found: found, user: by.UserID, use: use}
		r.Along = ledger.Along{
			Before: func(ctx context.Context, tx pgx.Tx) error { return s.stillOwedTx(ctx, tx, found, req.Amount == "") },
			After: func(ctx context.Context, tx pgx.Tx, m *ledger.Movement) error {
				p.movement = m.ID
				return s.linkedTx(ctx, tx, p, m.At)
			},
		}
		move := s.Ledger.Deposit
		if found.Outstanding() < 0 {
			move = s.Ledger.Withdraw
		}
		_, _, err = move(ctx, by, r)
		return p.after, err
	})
}

// movement returns the request of the movement that pays a settlement.
func (s *Service) movement(ctx context.Context, found *Settlement, req *PayRequest) (*ledger.MovementRequest, error) {
	wallets, err := s.Ledger.MainWallets(ctx, found.Currency.ID, found.EntityID)
	if err != nil {
		return nil, err
	}
	r := &ledger.MovementRequest{WalletID: wallets[0], Amount: req.Amount, Reference: req.Reference, Note: req.Note}
	if left := found.Outstanding(); r.Amount == "" {
		r.Amount = max(left, -left).Format(found.Currency.Digits)
	}
	return r, nil
}

// stillOwedTx takes the lock and compares the outstanding amount with before. all is set if the payment is the whole
// amount. Errors: ErrNothingDue, ErrCarried, ErrOutstanding.
func (s *Service) stillOwedTx(ctx context.Context, tx pgx.Tx, before *Settlement, all bool) error {
	if err := lockTx(ctx, tx, before.Currency.ID); err != nil {
		return err
	}
	now, err := s.rowTx(ctx, tx, before)
	if err != nil {
		return err
	}
	if err := open(now); err != nil {
		return err
	}
	if left, was := now.Outstanding(), before.Outstanding(); (left < 0) != (was < 0) || all && left != was {
		return ErrOutstanding
	}
	return nil
}

// payable returns a settlement in the caller's scope whose payments the caller may register. Errors: ErrNotFound,
// ErrNotAbove.
func (s *Service) payable(ctx context.Context, by caller.Caller, id uuid.UUID) (*Settlement, error) {
	found, err := s.Get(ctx, by, id)
	if err != nil {
		return nil, err
	}
	if found.Path == by.Scope.Path() && !by.IsOperator() {
		return nil, ErrNotAbove
	}
	return found, nil
}

// open returns an error unless something is left to pay.
func open(found *Settlement) error {
	switch found.Status {
	case Draft:
		return ErrUnconfirmed
	case Carried:
		return ErrCarried
	case Paid:
		return ErrNothingDue
	}
	return nil
}

// once runs a change of a settlement once for its key, and returns the settlement after it.
func (s *Service) once(ctx context.Context, by caller.Caller, found *Settlement, text string, meaning idempotency.Meaning, run func(use idempotency.Use) (*Settlement, error)) (*Settlement, bool, error) {
	key, err := idempotency.KeyOf(found.EntityID, text)
	if err != nil {
		return nil, false, err
	}
	use := idempotency.Use{Key: key, Meaning: meaning}
	replay := func(ctx context.Context, _ *idempotency.Answer) (*Settlement, error) { return s.Get(ctx, by, found.ID) }
	return idempotency.Once(ctx, s.PG.Pool, use, replay, func() (*Settlement, error) { return run(use) })
}

// change runs a change of the payments of a settlement in one transaction.
func (s *Service) change(
	ctx context.Context, p *payment, action activity.Action, run func(tx pgx.Tx) error,
) (*Settlement, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	err := s.PG.Retried(ctx, func(tx pgx.Tx) error {
		if err := lockTx(ctx, tx, p.found.Currency.ID); err != nil {
			return err
		}
		if err := run(tx); err != nil {
			return err
		}
		return s.changedTx(ctx, tx, p, action)
	})
	return p.after, err
}
