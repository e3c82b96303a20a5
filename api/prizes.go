package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/prizes"
)

func (a *API) registerPrizes() {
	tags := []string{"Prizes"}
	handle(a, huma.Operation{
		OperationID: "list-prizes", Method: http.MethodGet, Path: "/prizes", Tags: tags, Summary: "Tickets of the caller's subtree that won, settled last first",
		Description: "status: won can be collected, expired was not in time, differences were paid and are worth something else since a correction.",
	}, Can(auth.PrizesRead), a.listPrizes)
	handle(a, huma.Operation{
		OperationID: "sum-prizes", Method: http.MethodGet, Path: "/prizes/summary", Tags: tags, Summary: "What the prizes of a list amount to, by currency",
	}, Can(auth.PrizesRead), a.sumPrizes)
	handle(a, huma.Operation{
		OperationID: "get-prize", Method: http.MethodGet, Path: "/prizes/{ticket_id}", Tags: tags,
		Summary: "A ticket with the lines that won, annulled ones too, and its payments",
	}, Can(auth.PrizesRead), a.getPrize)
	handle(a, huma.Operation{
		OperationID: "pay-prize", Method: http.MethodPost, Path: "/prizes/{ticket_id}/pay", Tags: tags, Summary: "Pay a ticket's prize, once",
		Description: "Needs the validation code of the receipt, which is its confirmation. The ticket point's wallet is credited. " +
			"Repeat with the same Idempotency-Key and body to get the first answer again.",
	}, Can(auth.PrizesPay), a.payPrize)
	handle(a, huma.Operation{
		OperationID: "cancel-prize", Method: http.MethodPost, Path: "/prizes/{ticket_id}/cancel", Tags: tags, Summary: "Take the payment of a prize back",
	}, Can(auth.PrizesCancel).Sensitive(), a.cancelPrize)
}

// PrizeParams names a ticket. It is exported because huma looks into exported embedded structs only.
type PrizeParams struct {
	TicketID uuid.UUID `path:"ticket_id"`
}

// PrizeFilter selects prizes; exported as PrizeParams is.
type PrizeFilter struct {
	Status   string `query:"status" enum:"won,paid,expired,differences"`
	EntityID string `query:"entityId" format:"uuid" doc:"only this entity"`
	GameID   string `query:"game_id" format:"uuid" doc:"with a line that won on this game, also one that a correction annulled"`
	DrawID   string `query:"draw_id" format:"uuid" doc:"with a line that won on this draw, also one that a correction annulled"`
	Date     string `query:"date" format:"date" doc:"business day of the settlement"`
	Serial   string `query:"serial_code" maxLength:"20"`
}

type prizesInput struct {
	PageParams
	PrizeFilter
}

func (f *PrizeFilter) filter(ctx context.Context) *prizes.Filter {
	found := &prizes.Filter{Scope: middleware.PrincipalFrom(ctx).EntityPath, State: f.Status, Serial: strings.ToUpper(f.Serial)}
	found.EntityID, _ = uuid.Parse(f.EntityID)        // the format was checked; empty is none
	found.GameID, _ = uuid.Parse(f.GameID)            // as above
	found.DrawID, _ = uuid.Parse(f.DrawID)            // as above
	found.Date, _ = time.Parse(time.DateOnly, f.Date) // as above
	return found
}

func (a *API) listPrizes(ctx context.Context, in *prizesInput) (*List[Prize], error) {
	f := in.filter(ctx)
	f.Limit, f.Offset = in.PageSize, in.Offset()
	found, total, err := a.deps.Prizes.List(ctx, f)
	if err != nil {
		return nil, err
	}
	return list(mapped(found, prizeBody), &in.PageParams, total), nil
}

type prizeSumInput struct{ PrizeFilter }

func (a *API) sumPrizes(ctx context.Context, in *prizeSumInput) (*List[prizeSum], error) {
	sums, err := a.deps.Prizes.Summary(ctx, in.filter(ctx))
	if err != nil {
		return nil, err
	}
	return all(mapped(sums, prizeSumBody)), nil
}

func (a *API) getPrize(ctx context.Context, in *PrizeParams) (*Data[prizeDetail], error) {
	d, err := a.deps.Prizes.Get(ctx, middleware.PrincipalFrom(ctx).EntityPath, in.TicketID)
	if err != nil {
		return nil, err
	}
	return data(prizeDetailBody(d)), nil
}

type payInput struct {
	PrizeParams
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200" doc:"names this payment; a repeat pays nothing and answers the same again"`
	Body           struct {
		ValidationCode string `json:"validation_code" minLength:"1" maxLength:"20" example:"482913"`
	}
}

type paidOutput struct {
	Replayed string `header:"Idempotent-Replayed"`
	Body     Envelope[prizePayment]
}

func (a *API) payPrize(ctx context.Context, in *payInput) (*paidOutput, error) {
	p, code := middleware.PrincipalFrom(ctx), in.Body.ValidationCode
	paid, err := a.deps.Prizes.Pay(ctx, &prizes.PayRequest{
		TicketID: in.TicketID, UserID: p.UserID, Scope: p.EntityPath, ValidationCode: code,
		IdempotencyKey: in.IdempotencyKey,
	})
	if err != nil {
		return nil, err
	}
	return &paidOutput{Replayed: replayed(paid.Replayed), Body: Envelope[prizePayment]{Data: prizePaymentBody(paid.Payment)}}, nil
}

type unpayInput struct {
	PrizeParams
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200" doc:"a repeat answers the same again"`
	Body           *struct {
		Reason string `json:"reason,omitempty" maxLength:"300"`
	}
}

type unpaidOutput struct {
	Replayed string `header:"Idempotent-Replayed"`
	Body     Envelope[unpaidPrize]
}

func (a *API) cancelPrize(ctx context.Context, in *unpayInput) (*unpaidOutput, error) {
	p, reason := middleware.PrincipalFrom(ctx), ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	done, err := a.deps.Prizes.Cancel(ctx, &prizes.CancelRequest{
		TicketID: in.TicketID, UserID: p.UserID, Scope: p.EntityPath, Reason: reason,
		IdempotencyKey: in.IdempotencyKey,
	})
	if err != nil {
		return nil, err
	}
	return &unpaidOutput{Replayed: replayed(done.Replayed), Body: Envelope[unpaidPrize]{Data: unpaidPrize{prizePaymentBody(done.Payment), done.Status}}}, nil
}
