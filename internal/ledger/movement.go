package ledger

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/models"
)

// Kinds of movement.
const (
	MovementDeposit    = "deposit"    // money enters
	MovementWithdrawal = "withdrawal" // money leaves
	MovementTransfer   = "transfer"   // between an entity and its parent
	MovementReversal   = "reversal"   // of one of the others
)

// Movement is a transaction that a person made on a wallet.
type Movement struct {
	ID            uuid.UUID // of the transaction
	Kind          string
	Type          string // of the transaction: deposit or withdrawal
	WalletID      uuid.UUID
	EntityID      uuid.UUID
	Currency      Currency
	CounterpartID uuid.UUID    // the other wallet
	Amount        money.Amount // posted on the wallet; negative for a debit
	Balance       money.Amount // of the wallet after it
	Reference     string
	Note          string
	ReversesID    uuid.UUID // Nil unless it is a reversal
	UserID        uuid.UUID
	At            time.Time
}

// Direction is whether a transfer comes from the entity above or goes to it.
type Direction string

// Directions of a transfer.
const (
	FromParent Direction = "from_parent"
	ToParent   Direction = "to_parent"
)

// MovementRequest asks for a movement of a wallet.
type MovementRequest struct {
	WalletID       uuid.UUID
	Amount         string // a positive decimal
	Currency       string // code or id; "" for the wallet's
	Reference      string // external, of one movement of the wallet
	Note           string
	IdempotencyKey string
	Along          Along
}

// Along is what another domain does in the transaction of a movement. Before runs first: it takes locks that are above wallets. After runs when
// everything is written. Both may run more than once; nil does nothing.
type Along struct {
	Before func(ctx context.Context, tx pgx.Tx) error
	After  func(ctx context.Context, tx pgx.Tx, m *Movement) error
}

// Bounds of a movement's texts, in characters.
const (
	MaxReference = 64
	MaxNote      = 200
)

// normalise trims the texts. Errors: ErrMovementInvalid, which names the fields.
func (r *MovementRequest) normalise() error {
	r.Reference, r.Note = strings.TrimSpace(r.Reference), strings.TrimSpace(r.Note)
	details := checkText(nil, "reference", r.Reference, 1, MaxReference)
	if details = checkText(details, "note", r.Note, 0, MaxNote); len(details) > 0 {
		return ErrMovementInvalid.WithDetails(details...)
	}
	return nil
}

// checkText adds a detail unless a text is printable and has between least and most characters.
func checkText(details []apperr.Detail, field, text string, least, most int) []apperr.Detail {
	n := utf8.RuneCountInString(text)
	switch {
	case !models.Storable(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return append(details, apperr.Detail{Location: field, Message: "must be text of one line"})
	case n < least:
		return append(details, apperr.Detail{Location: field, Message: "is required"})
	case n > most:
		return append(details, apperr.Detail{Location: field, Message: "is too long"})
	}
	return details
}

// meaning is the request as its idempotency key stands for it.
func (r *MovementRequest) meaning(kind string, direction Direction) idempotency.Meaning {
	return idempotency.Of("wallet "+kind, r.WalletID.String(), string(direction), idempotency.Decimal(r.Amount), r.Reference, r.Note)
}
