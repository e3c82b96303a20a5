package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/storage"
)

// CreditRequest asks to change how far a wallet may go below zero.
type CreditRequest struct {
	WalletID uuid.UUID
	Amount   string // a decimal, also zero
	Currency string // code or id; "" for the wallet's
	Reason   string
}

// CreditChange is a change of a wallet's credit limit.
type CreditChange struct {
	ID        uuid.UUID
	WalletID  uuid.UUID
	OldLimit  money.Amount
	NewLimit  money.Amount
	Reason    string
	UserID    uuid.UUID
	User      string // name
	CreatedAt time.Time
}

// Credit is a valid credit limit with its reason.
type Credit struct {
	Currency Currency
	Limit    money.Amount

	reason string
}

// NewCredit checks a credit limit in a currency. Errors: ErrMovementInvalid, money.ErrNegative.
func NewCredit(currency Currency, amount, reason string) (*Credit, error) {
	c := &Credit{Currency: currency, reason: strings.TrimSpace(reason)}
	if details := checkText(nil, "reason", c.reason, 1, MaxNote); len(details) > 0 {
		return nil, ErrMovementInvalid.WithDetails(details...)
	}
	var err error
	c.Limit, err = money.ParseOrZero(amount, currency.Digits)
	return c, err
}

// SetCredit changes the credit limit of a wallet below the caller's entity and returns the wallet. A limit lower than
// what is used already refuses every further debit until credits have raised the balance above it; nothing is booked
// back. The same limit again changes nothing. Errors: ErrWalletUnknown, ErrNotAbove, ErrWalletKind,
// ErrCurrencyMismatch, ErrMovementInvalid, money.ErrNegative.
func (s *Service) SetCredit(ctx context.Context, by caller.Caller, r *CreditRequest) (w Wallet, err error) {
	t, err := creditTarget(ctx, by, s.pg.Pool, r.WalletID)
	if err != nil {
		return Wallet{}, err
	}
	currency, err := s.AnyCurrency(ctx, t.CurrencyID.String())
	if err != nil {
		return Wallet{}, err
	}
	if err := s.sameCurrency(ctx, r.Currency, currency); err != nil {
		return Wallet{}, err
	}
	c, err := NewCredit(currency, r.Amount, r.Reason)
	if err != nil {
		return Wallet{}, err
	}
	err = s.pg.Retried(ctx, func(tx pgx.Tx) error {
		w, err = setCreditTx(ctx, by, tx, t.ID, c)
		return err
	})
	return w, err
}

// OpenWithCreditTx opens the main wallet of an entity with a credit limit in the caller's transaction, which may have
// created the entity. Errors: ErrWalletUnknown, ErrNotAbove, ErrWalletKind.
func (s *Service) OpenWithCreditTx(
	ctx context.Context, by caller.Caller, tx pgx.Tx, entity uuid.UUID, c *Credit,
) (Wallet, error) {
	id, err := openWallet(ctx, tx, walletKey{entity: entity, currency: c.Currency.ID})
	if err != nil {
		return Wallet{}, err
	}
	if _, err := creditTarget(ctx, by, tx, id); err != nil {
		return Wallet{}, err
	}
	return setCreditTx(ctx, by, tx, id, c)
}

// creditTarget is targetOf for a wallet that may have a credit limit. Errors: errors of targetOf, ErrWalletKind.
func creditTarget(ctx context.Context, by caller.Caller, q storage.RowQuerier, wallet uuid.UUID) (*target, error) {
	t, err := targetOf(ctx, by, q, wallet)
	if err == nil && t.Unlimited {
		return nil, ErrWalletKind
	}
	return t, err
}

// setCreditTx locks a wallet and changes its credit limit.
func setCreditTx(ctx context.Context, by caller.Caller, tx pgx.Tx, wallet uuid.UUID, c *Credit) (Wallet, error) {
	locked, err := lockTx(ctx, tx, []uuid.UUID{wallet})
	if err != nil {
		return Wallet{}, err
	}
	w := *locked[wallet]
	if w.CreditLimit == c.Limit {
		return w, nil
	}
	if err := changeCreditTx(ctx, tx, by, &w, c.Limit, c.reason); err != nil {
		return Wallet{}, err
	}
	entry := c.entry(&w)
	w.CreditLimit = c.Limit
	return w, activity.RecordPgxTx(ctx, tx, entry)
}

// entry is the entry of the activity log about a wallet that gets the limit.
func (c *Credit) entry(w *Wallet) activity.Entry {
	return activity.Entry{
		Action: activity.WalletsCreditLimit, EntityID: w.EntityID, Target: w.ID.String(),
		Changes: activity.Changed("credit_limit", w.CreditLimit.Format(c.Currency.Digits), c.Limit.Format(c.Currency.Digits)),
		Details: map[string]any{"currency": c.Currency.Code, "reason": c.reason},
	}
}

// Statements of a change of a credit limit.
const (
	setCreditLimit  = `UPDATE wallets SET credit_limit = $2, updated_at = $3 WHERE id = $1`
	addCreditChange = `INSERT INTO credit_limit_changes (id, wallet_id, old_limit, new_limit, reason, user_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`
)

// changeCreditTx writes the limit of a locked wallet with its history.
func changeCreditTx(
	ctx context.Context, tx pgx.Tx, by caller.Caller, w *Wallet, limit money.Amount, reason string,
) error {
	now, err := storage.Now(ctx, tx)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, setCreditLimit, w.ID, limit, now); err != nil {
		return fmt.Errorf("change credit limit: %w", err)
	}
	_, err = tx.Exec(ctx, addCreditChange,
		uuid.Must(uuid.NewV7()), w.ID, w.CreditLimit, limit, reason, by.UserID, now)
	if err != nil {
		return fmt.Errorf("record credit limit: %w", err)
	}
	return nil
}

// sameCurrency returns an error unless a currency that a request names, if any, is that of the wallet. Errors:
// ErrCurrencyNotFound, ErrCurrencyMismatch.
func (s *Service) sameCurrency(ctx context.Context, named string, currency Currency) error {
	if named == "" {
		return nil
	}
	c, err := s.AnyCurrency(ctx, named)
	switch {
	case err != nil:
		return err
	case c.ID != currency.ID:
		return ErrCurrencyMismatch
	}
	return nil
}

// CreditHistory is a page of the changes of a wallet's credit limit, newest first.
type CreditHistory struct {
	Wallet  Wallet
	Changes []CreditChange
	Total   int64
}

// CreditChanges returns a page of the changes of the credit limit of a wallet in the caller's scope. Errors:
// ErrWalletUnknown.
func (s *Service) CreditChanges(
	ctx context.Context, by caller.Caller, wallet uuid.UUID, limit, offset int,
) (h CreditHistory, err error) {
	err = s.pg.Snapshot(ctx, func(tx pgx.Tx) error {
		if h.Wallet, err = walletInScope(ctx, tx, by, wallet); err != nil {
			return err
		}
		w := &storage.Where{}
		w.And(`c.wallet_id = ` + w.Arg(wallet))
		h.Changes, h.Total, err = storage.List(ctx, tx, &storage.Listing{
			Columns:   `c.id, c.wallet_id, c.old_limit, c.new_limit, c.reason, c.user_id, coalesce(u.name, ''), c.created_at`,
			From:      `FROM credit_limit_changes c LEFT JOIN users u ON u.id = c.user_id`,
			CountFrom: `FROM credit_limit_changes c`,
			Where:     w, Order: `c.created_at DESC, c.id DESC`,
		}, func(row pgx.CollectableRow) (c CreditChange, err error) {
			err = row.Scan(&c.ID, &c.WalletID, &c.OldLimit, &c.NewLimit, &c.Reason, &c.UserID, &c.User, &c.CreatedAt)
			c.CreatedAt = c.CreatedAt.UTC()
			return c, err
		}, limit, offset)
		return err
	})
	return h, err
}
