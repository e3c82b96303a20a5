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
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
)

func (o *operations) registerPaymentRequests() {
	tags := []string{"Payment requests"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "create-payment-request", Method: http.MethodPost, Path: "/bank/payment-requests", Tags: tags,
		Summary:     "Announce a payment by bank into an entity's wallet",
		Description: "Without client_id the entity tops up its own wallet. Repeat with the same Idempotency-Key and body to get the first one again.",
	}, kit.Can(auth.PaymentRequestsWrite), o.createPaymentRequest,
		bank.ErrField, bank.ErrInvalidRequest, apperr.ErrStore, ledger.ErrCurrencyNotFound, money.ErrAmount,
		org.ErrCannotSell, org.ErrEntityNotFound, phone.ErrInvalid)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-payment-requests", Method: http.MethodGet, Path: "/bank/payment-requests", Tags: tags,
		Summary: "Payment requests of the caller's subtree, newest first",
	}, kit.Can(auth.PaymentRequestsRead), o.listPaymentRequests,
		ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-payment-request", Method: http.MethodGet, Path: "/bank/payment-requests/{id}", Tags: tags,
		Summary: "One payment request",
	}, kit.Can(auth.PaymentRequestsRead), o.getPaymentRequest,
		bank.ErrRequestNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "cancel-payment-request", Method: http.MethodPost, Path: "/bank/payment-requests/{id}/cancel",
		Tags:    tags,
		Summary: "Close an open payment request that the bank does not hold",
	}, kit.Can(auth.PaymentRequestsWrite), o.cancelPaymentRequest,
		bank.ErrRequestClosed, bank.ErrRequestHeld, bank.ErrRequestNotFound, ledger.ErrCurrencyNotFound,
		money.ErrAmount, org.ErrEntityNotFound)
}

type paymentRequest struct {
	ID          uuid.UUID   `json:"id"`
	Origin      string      `json:"origin" enum:"ticket,top_up,manual,query"`
	EntityID    uuid.UUID   `json:"entityId"`
	WalletID    uuid.UUID   `json:"wallet_id"`
	CurrencyID  uuid.UUID   `json:"currency_id"`
	Currency    string      `json:"currency" example:"VES"`
	TicketID    *uuid.UUID  `json:"ticket_id"`
	ClientID    string      `json:"client_id" example:"V12345678"`
	ClientPhone *string     `json:"client_phone" doc:"E.164"`
	Amount      kit.Decimal `json:"amount"`
	Reference   *string     `json:"reference"`
	Bank        *string     `json:"bank" doc:"code of the bank the payment comes from"`
	Status      string      `json:"status" enum:"open,paid,cancelled,expired"`
	HeldUntil   *time.Time  `json:"held_until" doc:"until when the bank was told that it may be paid"`
	PaymentID   *uuid.UUID  `json:"payment_id"`
	ExpiresAt   time.Time   `json:"expires_at"`
	ClosedAt    *time.Time  `json:"closed_at"`
	Note        string      `json:"note"`
	CreatedAt   time.Time   `json:"created_at"`
	PayTo       *payTo      `json:"pay_to" doc:"where to pay; null where the entity has no account"`
}

type payTo struct {
	Bank       string `json:"bank" example:"0134"`
	Phone      string `json:"phone" example:"04141112233"`
	IDDocument string `json:"id_document" example:"J-40123456-7"`
}

type paymentRequestInput struct {
	kit.Idempotent
	Body struct {
		EntityID    uuid.UUID        `json:"entityId,omitempty" doc:"whose wallet is credited; the caller's own entity when left out"`
		Amount      kit.DecimalInput `json:"amount"`
		Currency    string           `json:"currency,omitempty" maxLength:"36" doc:"code or id; the bank's when left out"`
		ClientID    string           `json:"client_id,omitempty" maxLength:"20" example:"V12345678"`
		ClientPhone string           `json:"client_phone,omitempty" maxLength:"30" example:"04141234567"`
		Reference   string           `json:"reference,omitempty" maxLength:"36" doc:"of a payment that is made already"`
		Bank        string           `json:"bank,omitempty" maxLength:"4" example:"0134"`
		ExpiresIn   int64            `json:"expires_in,omitempty" minimum:"60" maximum:"2592000" doc:"seconds"`
		Note        string           `json:"note,omitempty" maxLength:"200"`
	}
}

func (o *operations) createPaymentRequest(
	ctx context.Context, by caller.Caller, in *paymentRequestInput,
) (*kit.CreatedOnce[paymentRequest], error) {
	b := &in.Body
	n := &bank.NewRequest{
		EntityID: by.EntityID, Amount: string(b.Amount), Currency: b.Currency, ClientID: b.ClientID,
		ClientPhone: b.ClientPhone,
		Reference:   b.Reference, Bank: b.Bank, ExpiresIn: time.Duration(b.ExpiresIn) * time.Second, Note: b.Note,
		IdempotencyKey: in.IdempotencyKey,
	}
	if b.EntityID != uuid.Nil {
		n.EntityID = b.EntityID
	}
	r, again, err := o.bank.CreateRequest(ctx, by, n)
	if err != nil {
		return nil, err
	}
	return kit.CreatedOnceOf(paymentRequestBody(*r), o.BasePath+"/bank/payment-requests/"+r.ID.String(), again), nil
}

type paymentRequestsInput struct {
	kit.PageParams
	EntityID string `query:"entityId" format:"uuid" doc:"only this entity"`
	Status   string `query:"status" enum:"open,paid,cancelled,expired"`
	Origin   string `query:"origin" enum:"ticket,top_up,manual,query"`
	ClientID string `query:"client_id" maxLength:"20"`
	Sort     string `query:"sort" enum:"-created_at" default:"-created_at"`
}

func (o *operations) listPaymentRequests(
	ctx context.Context, by caller.Caller, in *paymentRequestsInput,
) (*kit.List[paymentRequest], error) {
	f := &bank.RequestFilter{Status: in.Status, Origin: in.Origin, ClientID: in.ClientID, Limit: in.PageSize, Offset: in.Offset(), EntityID: kit.ID(in.EntityID)}
	return kit.ListFrom(paymentRequestBody, &in.PageParams)(o.bank.Requests(ctx, by, f))
}

func (o *operations) getPaymentRequest(
	ctx context.Context, by caller.Caller, in *kit.ByID,
) (*kit.Data[paymentRequest], error) {
	return kit.DataFrom(paymentRequestBody)(o.bank.Request(ctx, by, in.ID))
}

func (o *operations) cancelPaymentRequest(
	ctx context.Context, by caller.Caller, in *kit.ByID,
) (*kit.Data[paymentRequest], error) {
	return kit.DataFrom(paymentRequestBody)(o.bank.CancelRequest(ctx, by, in.ID))
}

func paymentRequestBody(r bank.Request) paymentRequest {
	b := paymentRequest{
		ID: r.ID, Origin: r.Origin, EntityID: r.EntityID, WalletID: r.WalletID, CurrencyID: r.Currency.ID,
		Currency: r.Currency.Code,
		TicketID: kit.Optional(r.TicketID), ClientID: r.ClientID, ClientPhone: kit.Optional(r.ClientPhone),
		Amount:    kit.DecimalOf(r.Amount, r.Currency.Digits),
		Reference: kit.Optional(r.Reference), Bank: kit.Optional(r.Bank), Status: r.Status,
		HeldUntil: kit.Optional(r.HeldUntil), PaymentID: kit.Optional(r.PaymentID),
		ExpiresAt: r.ExpiresAt, ClosedAt: kit.Optional(r.ClosedAt), Note: r.Note, CreatedAt: r.CreatedAt,
	}
	if r.PayTo.Phone != "" {
		to := payTo(r.PayTo)
		b.PayTo = &to
	}
	return b
}
