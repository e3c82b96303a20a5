package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/bank"
)

func (a *API) registerBankPayments() {
	tags := []string{"Bank"}
	handle(a, huma.Operation{
		OperationID: "list-bank-payments", Method: http.MethodGet, Path: "/bank/payments", Tags: tags,
		Summary: "Payments the bank notified, newest first; list=unreconciled and list=conflicts are those that wait for an operator",
	}, Can(auth.BankRead), a.listBankPayments)
	handle(a, huma.Operation{
		OperationID: "get-bank-payment", Method: http.MethodGet, Path: "/bank/payments/{id}", Tags: tags, Summary: "One payment",
	}, Can(auth.BankRead), a.getBankPayment)
	handle(a, huma.Operation{
		OperationID: "assign-bank-payment", Method: http.MethodPost, Path: "/bank/payments/{id}/assign", Tags: tags,
		Summary: "Book a payment that waits into an entity's wallet, or as the payment of an open request; once",
	}, Can(auth.BankAssign).Sensitive(), a.assignBankPayment)
	handle(a, huma.Operation{
		OperationID: "refund-bank-payment", Method: http.MethodPost, Path: "/bank/payments/{id}/refund", Tags: tags,
		Summary: "Mark a payment that waits as given back",
	}, Can(auth.BankAssign).Sensitive(), a.refundBankPayment)
}

type bankPayment struct {
	ID            uuid.UUID  `json:"id"`
	Bank          string     `json:"bank" example:"0134"`
	Reference     string     `json:"reference"`
	Date          string     `json:"date" format:"date" doc:"business day of the payment"`
	CurrencyID    uuid.UUID  `json:"currency_id"`
	Currency      string     `json:"currency" example:"VES"`
	Amount        Decimal    `json:"amount"`
	SenderPhone   *string    `json:"sender_phone"`
	MerchantPhone *string    `json:"merchant_phone"`
	Concept       *string    `json:"concept"`
	PaidAt        *time.Time `json:"paid_at" doc:"by the bank's word"`
	State         string     `json:"state" enum:"credited,unmatched,conflict,suspense,assigned,refunded"`
	Reason        *string    `json:"reason" doc:"why no request fitted" example:"no_request"`
	Answer        bool       `json:"answer" doc:"what the bank was answered, and is at every repeat"`
	ConflictOf    *uuid.UUID `json:"conflict_of" doc:"the payment that has its reference with another amount"`
	RequestID     *uuid.UUID `json:"payment_request_id"`
	EntityID      *uuid.UUID `json:"entityId"`
	WalletID      *uuid.UUID `json:"wallet_id"`
	TransactionID *uuid.UUID `json:"transaction_id" doc:"the deposit"`
	EventID       uuid.UUID  `json:"event_id"`
	ResolvedBy    *uuid.UUID `json:"resolved_by"`
	ResolvedAt    *time.Time `json:"resolved_at"`
	Note          string     `json:"note"`
	ReceivedAt    time.Time  `json:"received_at"`
}

type bankPaymentsInput struct {
	PageParams
	List      string `query:"list" enum:"unreconciled,conflicts" doc:"those that wait for an operator"`
	State     string `query:"state" enum:"credited,unmatched,conflict,suspense,assigned,refunded"`
	Reference string `query:"reference" maxLength:"36"`
	Phone     string `query:"phone" maxLength:"30"`
	Bank      string `query:"bank" maxLength:"4"`
	From      string `query:"from" format:"date"`
	To        string `query:"to" format:"date"`
}

func (a *API) listBankPayments(ctx context.Context, in *bankPaymentsInput) (*List[bankPayment], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	f := &bank.PaymentFilter{Reference: in.Reference, Phone: bank.SearchPhone(in.Phone), Bank: bank.SearchBank(in.Bank), Limit: in.PageSize, Offset: in.Offset()}
	switch {
	case in.State != "":
		f.States = []string{in.State}
	case in.List == "unreconciled":
		f.States = bank.Unreconciled()
	case in.List == "conflicts":
		f.States = bank.Conflicts()
	}
	f.From, _ = time.Parse(time.DateOnly, in.From) // the format was checked; empty is none
	f.To, _ = time.Parse(time.DateOnly, in.To)     // as above
	payments, total, err := a.deps.Bank.Payments(ctx, scope, f)
	if err != nil {
		return nil, err
	}
	return list(mapped(payments, bankPaymentBody), &in.PageParams, total), nil
}

func (a *API) getBankPayment(ctx context.Context, in *BankParams) (*Data[bankPayment], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	p, err := a.deps.Bank.Payment(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	return data(bankPaymentBody(*p)), nil
}

type assignInput struct {
	BankParams
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200" doc:"a repeat books nothing and answers the same again"`
	Body           struct {
		EntityID  uuid.UUID `json:"entityId,omitempty" doc:"whose wallet to credit; or"`
		RequestID uuid.UUID `json:"payment_request_id,omitempty" doc:"the request that the payment is for"`
		Note      string    `json:"note,omitempty" maxLength:"120"`
	}
}

type refundInput struct {
	BankParams
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200" doc:"a repeat answers the same again"`
	Body           struct {
		Note string `json:"note" minLength:"1" maxLength:"120" doc:"how it was given back"`
	}
}

type resolvedOutput struct {
	Replayed string `header:"Idempotent-Replayed"`
	Body     Envelope[bankPayment]
}

func (a *API) assignBankPayment(ctx context.Context, in *assignInput) (*resolvedOutput, error) {
	return resolved(a.deps.Bank.Assign(ctx, &bank.Resolution{
		Caller: callerOf(ctx), PaymentID: in.ID, EntityID: in.Body.EntityID, RequestID: in.Body.RequestID, Note: in.Body.Note,
		IdempotencyKey: in.IdempotencyKey,
	}))
}

func (a *API) refundBankPayment(ctx context.Context, in *refundInput) (*resolvedOutput, error) {
	return resolved(a.deps.Bank.Refund(ctx, &bank.Resolution{
		Caller: callerOf(ctx), PaymentID: in.ID, Note: in.Body.Note, IdempotencyKey: in.IdempotencyKey,
	}))
}

func resolved(p *bank.Payment, again bool, err error) (*resolvedOutput, error) {
	if err != nil {
		return nil, err
	}
	return &resolvedOutput{Replayed: replayed(again), Body: Envelope[bankPayment]{Data: bankPaymentBody(*p)}}, nil
}

func bankPaymentBody(p bank.Payment) bankPayment {
	return bankPayment{
		ID: p.ID, Bank: p.Bank, Reference: p.Reference, Date: p.Date.Format(time.DateOnly), CurrencyID: p.Currency.ID, Currency: p.Currency.Code,
		Amount: decimal(p.Amount, p.Currency.Digits), SenderPhone: given(p.SenderPhone), MerchantPhone: given(p.MerchantPhone), Concept: given(p.Concept),
		PaidAt: given(p.PaidAt), State: p.State, Reason: given(p.Reason), Answer: p.Answer, ConflictOf: given(p.ConflictOf), RequestID: given(p.RequestID),
		EntityID: given(p.EntityID), WalletID: given(p.WalletID), TransactionID: given(p.TransactionID), EventID: p.EventID,
		ResolvedBy: given(p.ResolvedBy), ResolvedAt: given(p.ResolvedAt), Note: p.Note, ReceivedAt: p.ReceivedAt,
	}
}
