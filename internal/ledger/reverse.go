package ledger

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/months"
	"banca/models"
)

// ReversalRequest asks to reverse a movement of a wallet, named by its transaction or by its reference.
type ReversalRequest struct {
	WalletID       uuid.UUID
	TransactionID  uuid.UUID // or
	Reference      string
	Note           string
	IdempotencyKey string
}

func (r *ReversalRequest) normalise() error {
	r.Reference, r.Note = strings.TrimSpace(r.Reference), strings.TrimSpace(r.Note)
	details := checkText(nil, "note", r.Note, 0, MaxNote)
	if (r.TransactionID == uuid.Nil) == (r.Reference == "") {
		details = append(
			details,
			apperr.Detail{Location: "reference", Message: "either the transaction or the reference is required"},
		)
	}
	if details = checkText(details, "reference", r.Reference, 0, MaxReference); len(details) > 0 {
		return ErrMovementInvalid.WithDetails(details...)
	}
	return nil
}

// Reverse books the opposite of a movement, once. The wallet that it debits must cover it. The caller must be above
// both wallets of the movement, or belong to the operator. Errors: ErrWalletUnknown, ErrNotAbove, ErrWalletKind,
// ErrWalletInactive, ErrCurrencyNotFound, ErrMovementInvalid, ErrMovementUnknown, ErrNotReversible, ErrReversed,
// ErrInsufficientBalance, errors of idempotency.
func (s *Service) Reverse(
	ctx context.Context, by caller.Caller, r *ReversalRequest,
) (m *Movement, replayed bool, err error) {
	t, err := targetOf(ctx, by, s.pg.Pool, r.WalletID)
	if err != nil {
		return nil, false, err
	}
	if err := r.normalise(); err != nil {
		return nil, false, err
	}
	key, err := idempotency.KeyOf(t.EntityID, r.IdempotencyKey)
	if err != nil {
		return nil, false, err
	}
	defer s.keys.Lock(key)()
	use := idempotency.Use{
		Key:     key,
		Meaning: idempotency.Of("wallet reversal", r.WalletID.String(), r.TransactionID.String(), r.Reference, r.Note),
	}
	return idempotency.Once(ctx, s.pg.Pool, use, s.answered, func() (*Movement, error) { return s.reverse(ctx, by, t, r, use) })
}

func (s *Service) reverse(
	ctx context.Context, by caller.Caller, t *target, r *ReversalRequest, use idempotency.Use,
) (*Movement, error) {
	first, err := s.reversible(ctx, t, r)
	if err != nil {
		return nil, err
	}
	o, err := s.counterpartOf(ctx, by, first)
	if err != nil {
		return nil, err
	}
	m := *first
	m.ID, m.Kind, m.ReversesID, m.Amount, m.Note, m.UserID = uuid.Must(uuid.NewV7()), MovementReversal, first.ID, -first.Amount, r.Note, by.UserID
	err = s.commitMovement(ctx, &m, func(ctx context.Context, tx pgx.Tx) error {
		booked, err := transaction(ctx, tx, first.ID)
		if err != nil {
			return err
		}
		opposite := booked.Reverse(by.UserID, booked.At)
		opposite.ID = m.ID
		return s.reverseTx(ctx, tx, &m, &opposite, o, use)
	})
	if err != nil {
		return nil, err
	}
	return &m, nil
}

// reverseTx looks for another reversal under the lock of the wallet, before it is a lack of cover.
func (s *Service) reverseTx(
	ctx context.Context, tx pgx.Tx, m *Movement, t *Transaction, o other, use idempotency.Use,
) error {
	if _, err := lockTx(ctx, tx, o.locked(m.WalletID)); err != nil {
		return err
	}
	var reversed bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM wallet_movements WHERE reverses_id = $1)`, m.ReversesID).Scan(&reversed); err != nil {
		return fmt.Errorf("reversal of movement: %w", err)
	}
	if reversed {
		return ErrReversed
	}
	return s.moveTx(ctx, tx, m, t, o, use)
}

// reversible returns the movement of the wallet that a request names. Errors: ErrMovementUnknown, ErrNotReversible,
// ErrCurrencyNotFound, months.ErrArchived.
func (s *Service) reversible(ctx context.Context, t *target, r *ReversalRequest) (*Movement, error) {
	where, name := `WHERE m.wallet_id = $1 AND m.transaction_id = $2`, any(r.TransactionID)
	if r.Reference != "" {
		where, name = `WHERE m.wallet_id = $1 AND m.reference = $2`, r.Reference
	}
	m, err := s.movement(ctx, s.pg.Pool, where, t.ID, name)
	switch {
	case apperr.CodeOf(err) == ErrMovementUnknown.Code && r.TransactionID != uuid.Nil:
		return nil, s.foreignMovement(ctx, t, r.TransactionID)
	case err != nil:
		return nil, err
	case m.Kind == MovementReversal:
		return nil, ErrNotReversible
	case m.Currency.Status != models.StatusActive:
		return nil, ErrCurrencyNotFound
	}
	return m, months.RequireKeptID(ctx, s.pg.Pool, m.ID)
}

// foreignMovement returns ErrNotReversible if the transaction posted on the wallet, such as a sale, and
// ErrMovementUnknown otherwise.
func (s *Service) foreignMovement(ctx context.Context, t *target, id uuid.UUID) error {
	var posted bool
	err := s.pg.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM postings WHERE transaction_id = $1 AND wallet_id = $2)`, id, t.ID).Scan(&posted)
	switch {
	case err != nil:
		return fmt.Errorf("find transaction: %w", err)
	case posted:
		return ErrNotReversible
	}
	return ErrMovementUnknown
}

// counterpartOf returns the other wallet of a movement. Errors: ErrNotAbove if it is not in the caller's scope.
func (s *Service) counterpartOf(ctx context.Context, by caller.Caller, m *Movement) (other, error) {
	var kind, path string
	err := s.pg.Pool.QueryRow(ctx, `SELECT w.kind, e.path FROM wallets w JOIN entities e ON e.id = w.entity_id WHERE w.id = $1`, m.CounterpartID).Scan(&kind, &path)
	switch {
	case err != nil:
		return other{}, fmt.Errorf("counterpart of movement: %w", err)
	case !by.Scope.Contains(path):
		return other{}, ErrNotAbove
	}
	return other{id: m.CounterpartID, external: kind == models.WalletExternal}, nil
}
