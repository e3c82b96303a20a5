package bank

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
)

func (o *operations) registerBankPayments() {
	tags := []string{"Bank"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-bank-payments", Method: http.MethodGet, Path: "/bank/payments", Tags: tags,
		Summary: "Payments the bank notified, newest first; list=unreconciled and list=conflicts are those that wait for an operator",
	}, kit.Can(auth.BankRead), o.listBankPayments,
		bank.ErrField, bank.ErrOperatorOnly, ledger.ErrCurrencyNotFound, phone.ErrInvalid)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-bank-payment", Method: http.MethodGet, Path: "/bank/payments/{id}", Tags: tags,
		Summary: "One payment",
	}, kit.Can(auth.BankRead), o.getBankPayment,
		bank.ErrOperatorOnly, bank.ErrPaymentNotFound, ledger.ErrCurrencyNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "assign-bank-payment", Method: http.MethodPost, Path: "/bank/payments/{id}/assign", Tags: tags,
		Summary: "Book a payment that waits into an entity's wallet, or as the payment of an open request; once",
	}, kit.Can(auth.BankAssign).Sensitive(), o.assignBankPayment,
		resolveErrors(bank.ErrNoTarget, bank.ErrRequestClosed, bank.ErrRequestNotFound, money.ErrAmount,
			org.ErrCannotSell, org.ErrEntityNotFound)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "refund-bank-payment", Method: http.MethodPost, Path: "/bank/payments/{id}/refund", Tags: tags,
		Summary: "Mark a payment that waits as given back",
	}, kit.Can(auth.BankAssign).Sensitive(), o.refundBankPayment,
		resolveErrors(ledger.ErrCurrencyMismatch)...)
}

type bankPayment struct {
	ID            uuid.UUID   `json:"id"`
	Bank          string      `json:"bank" example:"0134"`
	Reference     string      `json:"reference"`
	Date          string      `json:"date" format:"date" doc:"business day of the payment"`
	CurrencyID    uuid.UUID   `json:"currency_id"`
	Currency      string      `json:"currency" example:"VES"`
	Amount        kit.Decimal `json:"amount"`
	SenderPhone   *string     `json:"sender_phone"`
	MerchantPhone *string     `json:"merchant_phone"`
	Concept       *string     `json:"concept"`
	PaidAt        *time.Time  `json:"paid_at" doc:"by the bank's word"`
	State         string      `json:"state" enum:"credited,unmatched,conflict,suspense,assigned,refunded"`
	Reason        *string     `json:"reason" doc:"why no request fitted" example:"no_request"`
	Answer        bool        `json:"answer" doc:"what the bank was answered, and is at every repeat"`
	ConflictOf    *uuid.UUID  `json:"conflict_of" doc:"the payment that has its reference with another amount"`
	RequestID     *uuid.UUID  `json:"payment_request_id"`
	EntityID      *uuid.UUID  `json:"entityId"`
	WalletID      *uuid.UUID  `json:"wallet_id"`
	TransactionID *uuid.UUID  `json:"transaction_id" doc:"the deposit"`
	EventID       uuid.UUID   `json:"event_id"`
	ResolvedBy    *uuid.UUID  `json:"resolved_by"`
	ResolvedAt    *time.Time  `json:"resolved_at"`
	Note          string      `json:"note"`
	ReceivedAt    time.Time   `json:"received_at"`
}

type bankPaymentsInput struct {
	kit.PageParams
	List      string `query:"list" enum:"unreconciled,conflicts" doc:"those that wait for an operator"`
	State     string `query:"state" enum:"credited,unmatched,conflict,suspense,assigned,refunded"`
	Reference string `query:"reference" maxLength:"36"`
	Phone     string `query:"phone" maxLength:"30"`
	Bank      string `query:"bank" maxLength:"4"`
	From      string `query:"from" format:"date"`
	To        string `query:"to" format:"date"`
}

func (o *operations) listBankPayments(
	ctx context.Context, by caller.Caller, in *bankPaymentsInput,
) (*kit.List[bankPayment], error) {
	f := &bank.PaymentFilter{Reference: in.Reference, Phone: bank.SearchPhone(in.Phone), Bank: bank.SearchBank(in.Bank), Limit: in.PageSize, Offset: in.Offset()}
	switch {
	case in.State != "":
		f.States = []string{in.State}
	case in.List == "unreconciled":
		f.States = bank.Unreconciled()
	case in.List == "conflicts":
		f.States = bank.Conflicts()
	}
	f.From = kit.Day(in.From)
	f.To = kit.Day(in.To)
	return kit.ListFrom(bankPaymentBody, &in.PageParams)(o.bank.Payments(ctx, by, f))
}

func (o *operations) getBankPayment(
	ctx context.Context, by caller.Caller, in *kit.ByID,
) (*kit.Data[bankPayment], error) {
	return kit.DataFrom(bankPaymentBody)(o.bank.Payment(ctx, by, in.ID))
}

type assignInput struct {
	kit.OnceByID
	Body struct {
		EntityID  uuid.UUID `json:"entityId,omitempty" doc:"whose wallet to credit; or"`
		RequestID uuid.UUID `json:"payment_request_id,omitempty" doc:"the request that the payment is for"`
		Note      string    `json:"note,omitempty" maxLength:"120"`
	}
}

type refundInput struct {
	kit.OnceByID
	Body struct {
		Note string `json:"note" minLength:"1" maxLength:"120" doc:"how it was given back"`
	}
}

func (o *operations) assignBankPayment(
	ctx context.Context, by caller.Caller, in *assignInput,
) (*kit.Once[bankPayment], error) {
	return resolved(o.bank.Assign(ctx, by, &bank.Resolution{
		PaymentID: in.ID, EntityID: in.Body.EntityID, RequestID: in.Body.RequestID, Note: in.Body.Note,
		IdempotencyKey: in.IdempotencyKey,
	}))
}

func (o *operations) refundBankPayment(
	ctx context.Context, by caller.Caller, in *refundInput,
) (*kit.Once[bankPayment], error) {
	return resolved(o.bank.Refund(ctx, by, &bank.Resolution{
		PaymentID: in.ID, Note: in.Body.Note, IdempotencyKey: in.IdempotencyKey,
	}))
}

func resolved(p *bank.Payment, again bool, err error) (*kit.Once[bankPayment], error) {
	if err != nil {
		return nil, err
	}
	return kit.OnceOf(bankPaymentBody(*p), again), nil
}

func bankPaymentBody(p bank.Payment) bankPayment {
	return bankPayment{
		ID: p.ID, Bank: p.Bank, Reference: p.Reference, Date: p.Date.String(), CurrencyID: p.Currency.ID,
		Currency: p.Currency.Code,
		Amount:   kit.DecimalOf(p.Amount, p.Currency.Digits), SenderPhone: kit.Optional(p.SenderPhone),
		MerchantPhone: kit.Optional(p.MerchantPhone), Concept: kit.Optional(p.Concept),
		PaidAt: kit.Optional(p.PaidAt), State: p.State, Reason: kit.Optional(p.Reason), Answer: p.Answer,
		ConflictOf: kit.Optional(p.ConflictOf), RequestID: kit.Optional(p.RequestID),
		EntityID: kit.Optional(p.EntityID), WalletID: kit.Optional(p.WalletID),
		TransactionID: kit.Optional(p.TransactionID), EventID: p.EventID,
		ResolvedBy: kit.Optional(p.ResolvedBy), ResolvedAt: kit.Optional(p.ResolvedAt), Note: p.Note,
		ReceivedAt: p.ReceivedAt,
	}
}
