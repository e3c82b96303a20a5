package prizes

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/prizes"
	"banca/internal/tickets"
)

func (o *operations) registerPrizeDifferences() {
	tags := []string{"Prizes"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-prize-differences", Method: http.MethodGet, Path: "/prizes/differences", Tags: tags,
		Summary:     "Paid prizes that a correction made wrong, newest first",
		Description: "Paid more than due is a receivable of the ticket point; less is owed to the holder of the ticket.",
	}, kit.Can(auth.PrizesRead), o.listPrizeDifferences)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "settle-prize-difference", Method: http.MethodPost, Path: "/prizes/differences/{id}/settle",
		Tags:    tags,
		Summary: "Reverse the payment and pay the prize due, in one transaction",
	}, kit.Can(auth.PrizesAdjust).Sensitive(), o.settlePrizeDifference,
		paymentErrors(prizes.ErrDifferenceClosed, prizes.ErrDifferenceNotFound, prizes.ErrDisputed,
			prizes.ErrNotPaid, prizes.ErrNotVerified)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "write-off-prize-difference", Method: http.MethodPost, Path: "/prizes/differences/{id}/write-off",
		Tags:    tags,
		Summary: "Close a difference without booking anything",
	}, kit.Can(auth.PrizesAdjust).Sensitive(), o.writeOffPrizeDifference,
		ledger.ErrInsufficientBalance, prizes.ErrDifferenceClosed, prizes.ErrDifferenceNotFound,
		prizes.ErrNoteMissing, prizes.ErrOperatorOnly, prizes.ErrTextTooLong, idempotency.ErrKeyReused,
		apperr.ErrStore, tickets.ErrNotFound)
}

type prizeDifference struct {
	ID         uuid.UUID   `json:"id"`
	TicketID   uuid.UUID   `json:"ticket_id"`
	SerialCode string      `json:"serial_code"`
	PaymentID  uuid.UUID   `json:"payment_id"`
	ResultID   uuid.UUID   `json:"result_id" doc:"the correction"`
	EntityID   uuid.UUID   `json:"entityId"`
	EntityName string      `json:"entity_name"`
	CurrencyID uuid.UUID   `json:"currency_id"`
	Currency   string      `json:"currency" example:"VES"`
	Paid       kit.Decimal `json:"paid"`
	Due        kit.Decimal `json:"due"`
	Overpaid   kit.Decimal `json:"overpaid" doc:"paid less due; negative is owed to the customer"`
	Status     string      `json:"status" enum:"open,settled,written_off,void"`
	CreatedAt  time.Time   `json:"created_at"`
	ClosedAt   *time.Time  `json:"closed_at"`
	ClosedBy   *uuid.UUID  `json:"closed_by"`
	Note       string      `json:"note"`
}

func prizeDifferenceBody(d prizes.Difference) prizeDifference {
	digits := d.Currency.Digits
	return prizeDifference{
		ID: d.ID, TicketID: d.TicketID, SerialCode: d.Serial, PaymentID: d.PaymentID, ResultID: d.ResultID,
		EntityID: d.EntityID, EntityName: d.Entity,
		CurrencyID: d.Currency.ID, Currency: d.Currency.Code, Paid: kit.DecimalOf(d.Paid, digits),
		Due: kit.DecimalOf(d.Due, digits), Overpaid: kit.DecimalOf(d.Overpaid(), digits),
		Status: d.Status, CreatedAt: d.CreatedAt, ClosedAt: kit.Optional(d.ClosedAt),
		ClosedBy: kit.Optional(d.ClosedBy), Note: d.Note,
	}
}

type prizeDifferencesInput struct {
	kit.PageParams
	Status   string `query:"status" enum:"open,settled,written_off,void"`
	EntityID string `query:"entityId" format:"uuid" doc:"only this entity"`
	TicketID string `query:"ticket_id" format:"uuid"`
}

func (o *operations) listPrizeDifferences(
	ctx context.Context, by caller.Caller, in *prizeDifferencesInput,
) (*kit.List[prizeDifference], error) {
	f := &prizes.DifferenceFilter{Status: in.Status, Limit: in.PageSize, Offset: in.Offset(), EntityID: kit.ID(in.EntityID), TicketID: kit.ID(in.TicketID)}
	return kit.ListFrom(prizeDifferenceBody, &in.PageParams)(o.prizes.Differences(ctx, by, f))
}

func (o *operations) settlePrizeDifference(
	ctx context.Context, by caller.Caller, in *kit.ByID,
) (*kit.Data[prizeDifference], error) {
	return kit.DataFrom(prizeDifferenceBody)(o.prizes.Resolve(ctx, by, in.ID))
}

type writeOffInput struct {
	kit.ByID
	Body struct {
		Note string `json:"note" minLength:"1" maxLength:"300" doc:"why"`
	}
}

func (o *operations) writeOffPrizeDifference(
	ctx context.Context, by caller.Caller, in *writeOffInput,
) (*kit.Data[prizeDifference], error) {
	return kit.DataFrom(prizeDifferenceBody)(o.prizes.WriteOff(ctx, by, in.ID, in.Body.Note))
}
