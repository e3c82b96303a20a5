package ledger

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/months"
)

const onceText = "Repeat with the same Idempotency-Key and body to get the first answer again. A reference is used once for a wallet, also without a key. "

func (o *operations) registerMovements() {
	tags := []string{"Money"}
	access := kit.Can(auth.WalletsWrite).Sensitive()
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "deposit", Method: http.MethodPost, Path: "/wallets/{id}/deposits", Tags: tags,
		Summary:     "Book money that enters a wallet",
		Description: onceText + "For a user of the operator it comes from outside, for a user of another entity above the wallet's from that entity's wallet, which must cover it.",
	}, access, o.deposit, requestedErrors()...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "withdraw", Method: http.MethodPost, Path: "/wallets/{id}/withdrawals", Tags: tags,
		Summary:     "Book money that leaves a wallet",
		Description: onceText + "The balance with the credit limit must cover it.",
	}, access, o.withdraw, requestedErrors()...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "transfer", Method: http.MethodPost, Path: "/wallets/{id}/transfers", Tags: tags,
		Summary:     "Move money between the wallets of an entity and its parent",
		Description: onceText + "It is one transaction: a deposit of the entity if it comes from the parent, a withdrawal if it goes there. The debited wallet must cover it.",
	}, access, o.transfer, requestedErrors(ledger.ErrNoParent)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "reverse-movement", Method: http.MethodPost, Path: "/wallets/{id}/reversals", Tags: tags,
		Summary:     "Reverse a deposit, a withdrawal or a transfer, by its transaction or its reference",
		Description: "Once; the wallet that is debited must cover it. Sales and prizes have their own cancellation. Repeat with the same Idempotency-Key and body to get the first answer again.",
	}, access, o.reverse,
		movedErrors(ledger.ErrMovementUnknown, ledger.ErrNotReversible, ledger.ErrReversed, months.ErrArchived)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-movement", Method: http.MethodGet, Path: "/wallets/{id}/movements/{transaction_id}",
		Tags: tags, Summary: "A deposit, withdrawal, transfer or reversal made by a person",
	}, kit.Can(auth.WalletsRead), o.getMovement, ledger.ErrMovementUnknown)
}

type movement struct {
	ID            uuid.UUID   `json:"id" doc:"of the transaction"`
	Kind          string      `json:"kind" enum:"deposit,withdrawal,transfer,reversal"`
	Type          string      `json:"type" enum:"deposit,withdrawal" doc:"of the transaction; a reversal has the type of the reversed movement"`
	WalletID      uuid.UUID   `json:"wallet_id"`
	EntityID      uuid.UUID   `json:"entity_id"`
	CounterpartID uuid.UUID   `json:"counterpart_id" doc:"the other wallet"`
	CurrencyID    uuid.UUID   `json:"currency_id"`
	Currency      string      `json:"currency" example:"VES"`
	Amount        kit.Decimal `json:"amount" doc:"posted on the wallet; negative for a debit"`
	Balance       kit.Decimal `json:"balance" doc:"of the wallet after it"`
	Reference     string      `json:"reference"`
	Note          string      `json:"note"`
	ReversesID    *uuid.UUID  `json:"reverses_id" doc:"the transaction that it reverses"`
	UserID        uuid.UUID   `json:"user_id"`
	CreatedAt     time.Time   `json:"created_at"`
}

// MovementFields are the fields of every movement with a reference.
type MovementFields struct {
	Amount    kit.DecimalInput `json:"amount"`
	Currency  string           `json:"currency,omitempty" maxLength:"36" doc:"code or id; must be the currency of the wallet"`
	Reference string           `json:"reference" minLength:"1" maxLength:"64" doc:"external, such as the number of a receipt; once for a wallet"`
	Note      string           `json:"note,omitempty" maxLength:"200"`
}

type movementInput struct {
	kit.OnceByID

	Body MovementFields
}

func (f *MovementFields) request(of *kit.OnceByID) *ledger.MovementRequest {
	return &ledger.MovementRequest{
		WalletID: of.ID, Amount: string(f.Amount), Currency: f.Currency, Reference: f.Reference, Note: f.Note,
		IdempotencyKey: of.IdempotencyKey,
	}
}

func (o *operations) deposit(
	ctx context.Context, by caller.Caller, in *movementInput,
) (*kit.CreatedOnce[movement], error) {
	return o.moved(o.books.Deposit(ctx, by, in.Body.request(&in.OnceByID)))
}

func (o *operations) withdraw(
	ctx context.Context, by caller.Caller, in *movementInput,
) (*kit.CreatedOnce[movement], error) {
	return o.moved(o.books.Withdraw(ctx, by, in.Body.request(&in.OnceByID)))
}

type transferInput struct {
	kit.OnceByID

	Body struct {
		MovementFields

		Direction string `json:"direction" enum:"from_parent,to_parent"`
	}
}

func (o *operations) transfer(
	ctx context.Context, by caller.Caller, in *transferInput,
) (*kit.CreatedOnce[movement], error) {
	return o.moved(o.books.Transfer(ctx, by, in.Body.request(&in.OnceByID), ledger.Direction(in.Body.Direction)))
}

type reversalInput struct {
	kit.OnceByID

	Body struct {
		TransactionID uuid.UUID `json:"transaction_id,omitempty" doc:"or the reference"`
		Reference     string    `json:"reference,omitempty" maxLength:"64" doc:"or the transaction"`
		Note          string    `json:"note,omitempty" maxLength:"200"`
	}
}

func (o *operations) reverse(
	ctx context.Context, by caller.Caller, in *reversalInput,
) (*kit.CreatedOnce[movement], error) {
	return o.moved(o.books.Reverse(ctx, by, &ledger.ReversalRequest{
		WalletID: in.ID, TransactionID: in.Body.TransactionID, Reference: in.Body.Reference, Note: in.Body.Note,
		IdempotencyKey: in.IdempotencyKey,
	}))
}

func (o *operations) moved(m *ledger.Movement, again bool, err error) (*kit.CreatedOnce[movement], error) {
	if err != nil {
		return nil, err
	}
	return kit.CreatedOnceOf(movementBody(m), o.BasePath+"/wallets/"+m.WalletID.String()+"/movements/"+m.ID.String(), again), nil
}

type getMovementInput struct {
	kit.ByID

	TransactionID uuid.UUID `path:"transaction_id"`
}

func (o *operations) getMovement(
	ctx context.Context, by caller.Caller, in *getMovementInput,
) (*kit.Data[movement], error) {
	return kit.DataFromValue(movementBody)(o.books.Movement(ctx, by, ledger.MovementKey{WalletID: in.ID, TransactionID: in.TransactionID}))
}

func movementBody(m *ledger.Movement) movement {
	digits := m.Currency.Digits
	return movement{
		ID: m.ID, Kind: m.Kind, Type: m.Type, WalletID: m.WalletID, EntityID: m.EntityID,
		CounterpartID: m.CounterpartID,
		CurrencyID:    m.Currency.ID, Currency: m.Currency.Code, Amount: kit.DecimalOf(m.Amount, digits),
		Balance:   kit.DecimalOf(m.Balance, digits),
		Reference: m.Reference, Note: m.Note, ReversesID: kit.Optional(m.ReversesID), UserID: m.UserID, CreatedAt: m.At,
	}
}
