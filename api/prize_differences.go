package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/prizes"
)

func (a *API) registerPrizeDifferences() {
	tags := []string{"Prizes"}
	handle(a, huma.Operation{
		OperationID: "list-prize-differences", Method: http.MethodGet, Path: "/prizes/differences", Tags: tags,
		Summary:     "Paid prizes that a correction made wrong, newest first",
		Description: "Paid more than due is a receivable of the ticket point; less is owed to whoever holds the ticket.",
	}, Can(auth.PrizesRead), a.listPrizeDifferences)
	handle(a, huma.Operation{
		OperationID: "settle-prize-difference", Method: http.MethodPost, Path: "/prizes/differences/{id}/settle", Tags: tags,
		Summary: "Reverse the payment and pay what is due, in one transaction",
	}, Can(auth.PrizesAdjust).Sensitive(), a.settlePrizeDifference)
	handle(a, huma.Operation{
		OperationID: "write-off-prize-difference", Method: http.MethodPost, Path: "/prizes/differences/{id}/write-off", Tags: tags,
		Summary: "Close a difference without booking anything",
	}, Can(auth.PrizesAdjust).Sensitive(), a.writeOffPrizeDifference)
}

type prizeDifference struct {
	ID         uuid.UUID  `json:"id"`
	TicketID   uuid.UUID  `json:"ticket_id"`
	SerialCode string     `json:"serial_code"`
	PaymentID  uuid.UUID  `json:"payment_id"`
	ResultID   uuid.UUID  `json:"result_id" doc:"the correction"`
	EntityID   uuid.UUID  `json:"entityId"`
	EntityName string     `json:"entity_name"`
	CurrencyID uuid.UUID  `json:"currency_id"`
	Currency   string     `json:"currency" example:"VES"`
	Paid       Decimal    `json:"paid"`
	Due        Decimal    `json:"due"`
	Overpaid   Decimal    `json:"overpaid" doc:"paid less due; negative is owed to the customer"`
	Status     string     `json:"status" enum:"open,settled,written_off,void"`
	CreatedAt  time.Time  `json:"created_at"`
	ClosedAt   *time.Time `json:"closed_at"`
	ClosedBy   *uuid.UUID `json:"closed_by"`
	Note       string     `json:"note"`
}

func prizeDifferenceBody(d prizes.Difference) prizeDifference {
	digits := d.Currency.Digits
	return prizeDifference{
		ID: d.ID, TicketID: d.TicketID, SerialCode: d.Serial, PaymentID: d.PaymentID, ResultID: d.ResultID, EntityID: d.EntityID, EntityName: d.Entity,
		CurrencyID: d.Currency.ID, Currency: d.Currency.Code, Paid: decimal(d.Paid, digits), Due: decimal(d.Due, digits), Overpaid: decimal(d.Overpaid(), digits),
		Status: d.Status, CreatedAt: d.CreatedAt, ClosedAt: given(d.ClosedAt), ClosedBy: given(d.ClosedBy), Note: d.Note,
	}
}

type prizeDifferencesInput struct {
	PageParams
	Status   string `query:"status" enum:"open,settled,written_off,void"`
	EntityID string `query:"entityId" format:"uuid" doc:"only this entity"`
	TicketID string `query:"ticket_id" format:"uuid"`
}

func (a *API) listPrizeDifferences(ctx context.Context, in *prizeDifferencesInput) (*List[prizeDifference], error) {
	f := &prizes.DifferenceFilter{Scope: middleware.PrincipalFrom(ctx).EntityPath, Status: in.Status, Limit: in.PageSize, Offset: in.Offset()}
	f.EntityID, _ = uuid.Parse(in.EntityID) // the format was checked; empty is none
	f.TicketID, _ = uuid.Parse(in.TicketID) // as above
	found, total, err := a.deps.Prizes.Differences(ctx, f)
	if err != nil {
		return nil, err
	}
	return list(mapped(found, prizeDifferenceBody), &in.PageParams, total), nil
}

// DifferenceParams names a difference; exported as PrizeParams is.
type DifferenceParams struct {
	ID uuid.UUID `path:"id"`
}

func (a *API) settlePrizeDifference(ctx context.Context, in *DifferenceParams) (*Data[prizeDifference], error) {
	p := middleware.PrincipalFrom(ctx)
	d, err := a.deps.Prizes.Settle(ctx, p.EntityPath, p.UserID, in.ID)
	if err != nil {
		return nil, err
	}
	return data(prizeDifferenceBody(*d)), nil
}

type writeOffInput struct {
	DifferenceParams
	Body struct {
		Note string `json:"note" minLength:"1" maxLength:"300" doc:"why"`
	}
}

func (a *API) writeOffPrizeDifference(ctx context.Context, in *writeOffInput) (*Data[prizeDifference], error) {
	p := middleware.PrincipalFrom(ctx)
	d, err := a.deps.Prizes.WriteOff(ctx, p.EntityPath, p.UserID, in.ID, in.Body.Note)
	if err != nil {
		return nil, err
	}
	return data(prizeDifferenceBody(*d)), nil
}
