package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/models"
	"banca/storage"
)

// moveTimeout bounds the transaction of a movement, which does not end with the request.
const moveTimeout = 10 * time.Second

// Unique indexes that refuse a movement.
const (
	referenceKey = "wallet_movements_reference"
	reversedKey  = "wallet_movements_reversed_once"
)

// target is a wallet that a caller may move and limit, with its place in the organisation.
type target struct {
	Wallet

	Path   string    // of the entity
	Parent uuid.UUID // of the entity; Nil for the operator
}

// root returns the id of the operator, which the path begins with.
func (t *target) root() uuid.UUID {
	first, _, _ := strings.Cut(strings.TrimPrefix(t.Path, "/"), "/")
	id, err := uuid.Parse(first)
	if err != nil {
		return uuid.Nil // no wallet of such an entity can be opened
	}
	return id
}

// targetOf returns a main wallet of an entity below the caller's, or of any entity if the caller belongs to the
// operator. Errors: ErrWalletUnknown, ErrNotAbove, ErrWalletKind.
func targetOf(ctx context.Context, by caller.Caller, q storage.RowQuerier, id uuid.UUID) (*target, error) {
	t := &target{}
	var parent uuid.NullUUID
	err := q.QueryRow(ctx, `SELECT w.id, w.entity_id, w.currency_id, w.kind, w.status, w.credit_limit, w.unlimited, e.path, e.parent_id
		FROM wallets w JOIN entities e ON e.id = w.entity_id WHERE w.id = $1 AND e.path LIKE $2`, id, by.Scope.Pattern()).
		Scan(&t.ID, &t.EntityID, &t.CurrencyID, &t.Kind, &t.Status, &t.CreditLimit, &t.Unlimited, &t.Path, &parent)
	t.Parent = parent.UUID
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, ErrWalletUnknown
	case err != nil:
		return nil, fmt.Errorf("wallet of movement: %w", err)
	case t.Path == by.Scope.Path() && !by.IsOperator():
		return nil, ErrNotAbove
	case t.Kind != models.WalletMain:
		return nil, ErrWalletKind
	}
	return t, nil
}

// commitMovement runs the transaction of a movement, also if the request ends meanwhile. If the commit is not
// answered, it finds out whether the movement exists. Errors: errors of fn, idempotency.ErrUnknownOutcome,
// ErrReferenceUsed, ErrReversed.
func (s *Service) commitMovement(
	ctx context.Context, m *Movement, fn func(ctx context.Context, tx pgx.Tx) error,
) error {
	ctx = context.WithoutCancel(ctx)
	timed, cancel := context.WithTimeout(ctx, moveTimeout)
	defer cancel()
	err := s.pg.Retried(timed, func(tx pgx.Tx) error { return fn(timed, tx) })
	switch {
	case err == nil:
		return nil
	case storage.Violates(err, referenceKey):
		return s.referenceUsed(ctx, m)
	case storage.Violates(err, reversedKey):
		return ErrReversed
	}
	if _, refused := errors.AsType[*apperr.Error](err); refused {
		return err
	}
	posted, lost := s.Posted(ctx, m.ID, func(ctx context.Context, tx pgx.Tx) error {
		_, err := lockTx(ctx, tx, []uuid.UUID{m.WalletID})
		return err
	})
	switch {
	case lost != nil:
		return idempotency.ErrUnknownOutcome.WithCause(errors.Join(err, lost))
	case posted:
		return nil
	default:
		return err
	}
}

// referenceUsed returns ErrReferenceUsed with the movement that has the reference.
func (s *Service) referenceUsed(ctx context.Context, m *Movement) error {
	var id uuid.UUID
	err := s.pg.Pool.QueryRow(ctx, `SELECT transaction_id FROM wallet_movements WHERE wallet_id = $1 AND reference = $2`, m.WalletID, m.Reference).Scan(&id)
	if err != nil {
		return fmt.Errorf("movement of reference: %w", err)
	}
	return ErrReferenceUsed.WithDetails(apperr.Line("MOVEMENT_HAS_REFERENCE", "movement "+id.String()+" has this reference", "id", id.String()).At("reference"))
}

func (m *Movement) insertTx(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `INSERT INTO wallet_movements (transaction_id, wallet_id, counterpart_id, kind, amount, balance, reference, note, reverses_id, user_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		m.ID, m.WalletID, m.CounterpartID, m.Kind, m.Amount, m.Balance, m.referenceColumn(), m.Note, models.Optional(m.ReversesID), m.UserID, m.At)
	if err != nil {
		return fmt.Errorf("insert movement: %w", err)
	}
	return nil
}

// referenceColumn returns the reference; a reversal has that of the movement it reverses, and none of its own.
func (m *Movement) referenceColumn() *string {
	if m.Kind == MovementReversal {
		return nil
	}
	return &m.Reference
}

// movementSQL selects a movement with the type and the reference of its transaction, which may be in the archive: an
// undo has both of what it reverses.
const movementSQL = `SELECT m.transaction_id, m.kind, coalesce(t.type, CASE WHEN (m.amount > 0) = (m.reverses_id IS NULL) THEN 'deposit' ELSE 'withdrawal' END),
		m.wallet_id, w.entity_id, w.currency_id, m.counterpart_id, m.amount, m.balance,
		coalesce(t.reference, m.reference, (SELECT o.reference FROM wallet_movements o WHERE o.transaction_id = m.reverses_id AND o.wallet_id = m.wallet_id), ''), m.note,
		m.reverses_id, m.user_id, m.created_at
	FROM wallet_movements m LEFT JOIN transactions t ON t.id = m.transaction_id JOIN wallets w ON w.id = m.wallet_id JOIN entities e ON e.id = w.entity_id `

// movement returns the single movement that a condition selects. Errors: ErrMovementUnknown.
func (s *Service) movement(ctx context.Context, q storage.RowQuerier, where string, args ...any) (*Movement, error) {
	m := &Movement{}
	var currency uuid.UUID
	var reverses uuid.NullUUID
	err := q.QueryRow(ctx, movementSQL+where, args...).Scan(&m.ID, &m.Kind, &m.Type, &m.WalletID, &m.EntityID, &currency, &m.CounterpartID,
		&m.Amount, &m.Balance, &m.Reference, &m.Note, &reverses, &m.UserID, &m.At)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, ErrMovementUnknown
	case err != nil:
		return nil, fmt.Errorf("read movement: %w", err)
	}
	m.ReversesID, m.At = reverses.UUID, m.At.UTC()
	m.Currency, err = s.AnyCurrency(ctx, currency.String())
	return m, err
}

// answered returns the movement of a stored answer.
func (s *Service) answered(ctx context.Context, first *idempotency.Answer) (*Movement, error) {
	id, err := first.ID()
	if err != nil {
		return nil, err
	}
	return s.movement(ctx, s.pg.Pool, `WHERE m.transaction_id = $1`, id)
}

// MovementKey names a movement of a wallet.
type MovementKey struct {
	WalletID      uuid.UUID
	TransactionID uuid.UUID
}

// Movement returns a movement of a wallet in the caller's scope. Errors: ErrMovementUnknown.
func (s *Service) Movement(ctx context.Context, by caller.Caller, key MovementKey) (*Movement, error) {
	return s.movement(
		ctx, s.pg.Pool, `WHERE m.transaction_id = $1 AND m.wallet_id = $2 AND e.path LIKE $3`, key.TransactionID,
		key.WalletID, by.Scope.Pattern(),
	)
}
