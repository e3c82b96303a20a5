package prizes

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/months"
	"banca/internal/prizes"
	"banca/internal/tickets"
)

func (o *operations) registerPrizes() {
	tags := []string{"Prizes"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-prizes", Method: http.MethodGet, Path: "/prizes", Tags: tags,
		Summary:     "Tickets of the caller's subtree that won, settled last first",
		Description: "status: won can be collected, expired was not in time, differences were paid and are worth something else since a correction.",
	}, kit.Can(auth.PrizesRead), o.listPrizes, months.ErrArchived, months.ErrPeriodArchived)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "sum-prizes", Method: http.MethodGet, Path: "/prizes/summary", Tags: tags,
		Summary: "What the prizes of a list amount to, by currency",
	}, kit.Can(auth.PrizesRead), o.sumPrizes, months.ErrArchived, months.ErrPeriodArchived)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-prize", Method: http.MethodGet, Path: "/prizes/{ticket_id}", Tags: tags,
		Summary: "A ticket with the lines that won, annulled ones too, and its payments",
	}, kit.Can(auth.PrizesRead), o.getPrize, catalog.ErrGameNotFound, tickets.ErrNotFound, months.ErrArchived)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "pay-prize", Method: http.MethodPost, Path: "/prizes/{ticket_id}/pay", Tags: tags,
		Summary: "Pay a ticket's prize, once",
		Description: "Needs the validation code of the receipt, which is its confirmation. The ticket point's wallet is credited. " +
			"Repeat with the same Idempotency-Key and body to get the first answer again.",
	}, kit.Can(auth.PrizesPay), o.payPrize,
		paymentErrors(ledger.ErrCurrencyNotFound, prizes.ErrAlreadyPaid, prizes.ErrAttempts, prizes.ErrCancelled,
			prizes.ErrCollected, prizes.ErrDisputed, prizes.ErrExpired, prizes.ErrNotVerified, prizes.ErrNotWon,
			prizes.ErrTooMany, prizes.ErrWrongCode)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-prize-slip", Method: http.MethodGet, Path: "/prizes/{ticket_id}/receipt", Tags: tags,
		Summary:   "The slip of a paid prize, for the winner to sign: a picture or printer commands",
		Responses: kit.PrintResponses("The slip"),
	}, kit.Can(auth.PrizesRead), o.slip,
		catalog.ErrGameNotFound, prizes.ErrNotPaid, tickets.ErrNotFound, months.ErrArchived)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "cancel-prize", Method: http.MethodPost, Path: "/prizes/{ticket_id}/cancel", Tags: tags,
		Summary: "Take the payment of a prize back",
	}, kit.Can(auth.PrizesCancel).Sensitive(), o.cancelPrize,
		paymentErrors(prizes.ErrNotPaid, prizes.ErrTextTooLong)...)
}

// PrizeParams names a ticket.
type PrizeParams struct {
	TicketID uuid.UUID `path:"ticket_id"`
}

// PrizeFilter selects prizes.
type PrizeFilter struct {
	Status   string `query:"status" enum:"won,paid,expired,differences"`
	EntityID string `query:"entityId" format:"uuid" doc:"only this entity"`
	GameID   string `query:"game_id" format:"uuid" doc:"with a line that won on this game, also one that a correction annulled"`
	DrawID   string `query:"draw_id" format:"uuid" doc:"with a line that won on this draw, also one that a correction annulled"`
	Date     string `query:"date" format:"date" doc:"business day of the settlement"`
	Serial   string `query:"serial_code" maxLength:"20"`
}

type prizesInput struct {
	kit.PageParams
	PrizeFilter
}

func (f *PrizeFilter) filter() *prizes.Filter {
	return &prizes.Filter{
		State: f.Status, EntityID: kit.ID(f.EntityID), GameID: kit.ID(f.GameID), DrawID: kit.ID(f.DrawID),
		Date:   kit.Day(f.Date),
		Serial: strings.ToUpper(f.Serial),
	}
}

func (o *operations) listPrizes(ctx context.Context, by caller.Caller, in *prizesInput) (*kit.List[Prize], error) {
	f := in.filter()
	f.Limit, f.Offset = in.PageSize, in.Offset()
	return kit.ListFrom(prizeBody, &in.PageParams)(o.prizes.List(ctx, by, f))
}

type prizeSumInput struct{ PrizeFilter }

func (o *operations) sumPrizes(ctx context.Context, by caller.Caller, in *prizeSumInput) (*kit.List[prizeSum], error) {
	sums, err := o.prizes.Summary(ctx, by, in.filter())
	if err != nil {
		return nil, err
	}
	return kit.AllOf(kit.Map(sums, prizeSumBody)), nil
}

func (o *operations) getPrize(ctx context.Context, by caller.Caller, in *PrizeParams) (*kit.Data[prizeDetail], error) {
	return kit.DataFromValue(prizeDetailBody)(o.prizes.Get(ctx, by, in.TicketID))
}

type payInput struct {
	PrizeParams
	kit.Idempotent
	Body struct {
		ValidationCode string `json:"validation_code" minLength:"1" maxLength:"20" example:"482913"`
	}
}

func (o *operations) payPrize(ctx context.Context, by caller.Caller, in *payInput) (*kit.Once[prizePayment], error) {
	paid, err := o.prizes.Pay(ctx, by, &prizes.PayRequest{
		TicketID: in.TicketID, ValidationCode: in.Body.ValidationCode,
		IdempotencyKey: in.IdempotencyKey,
	})
	if err != nil {
		return nil, err
	}
	return kit.OnceOf(prizePaymentBody(paid.Payment), paid.Replayed), nil
}

type slipInput struct {
	PrizeParams
	kit.PrintFormat
}

func (o *operations) slip(ctx context.Context, by caller.Caller, in *slipInput) (*kit.Print, error) {
	return kit.PrintOf(o.prizes.Slip(ctx, by, in.TicketID, in.Format))
}

type unpayInput struct {
	PrizeParams
	kit.Idempotent
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"300"`
	}
}

func (o *operations) cancelPrize(
	ctx context.Context, by caller.Caller, in *unpayInput,
) (*kit.Once[unpaidPrize], error) {
	reason := ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	done, err := o.prizes.Cancel(ctx, by, &prizes.CancelRequest{
		TicketID: in.TicketID, Reason: reason,
		IdempotencyKey: in.IdempotencyKey,
	})
	if err != nil {
		return nil, err
	}
	return kit.OnceOf(unpaidPrize{prizePaymentBody(done.Payment), done.Status}, done.Replayed), nil
}
