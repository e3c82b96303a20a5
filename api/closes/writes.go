package closes

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/closes"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/risk"
)

func (o *operations) registerWrites() {
	tags := []string{"Closes"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "open-day", Method: http.MethodPost, Path: "/sales/daily-closes", Tags: tags,
		Summary: "Open a business day of an entity", DefaultStatus: http.StatusCreated,
		Description: "A day with events opens within a minute without this. Opening an open day sets its opening cash and returns it.",
	}, kit.Can(auth.ClosesWrite), o.open,
		closes.ErrCash, closes.ErrClosed, closes.ErrEntityNotFound, closes.ErrFuture, closes.ErrTooOld,
		ledger.ErrCurrencyNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "close-day", Method: http.MethodPost, Path: "/sales/daily-closes/{id}/close", Tags: tags,
		Summary: "Close a business day with the cash that was counted", DefaultStatus: http.StatusOK,
		Description: "A closed day never changes: what happens later on the same day is in the next close. An entity above ticket points closes when all below it have closed, and counts no cash.",
	}, kit.Can(auth.ClosesWrite).Sensitive(), o.close,
		closes.ErrCash, closes.ErrClosed, closes.ErrEarlierOpen, closes.ErrFuture, closes.ErrMissing,
		closes.ErrNotFound, closes.ErrNote, closes.ErrPending, risk.ErrUnavailable)
}

type openInput struct {
	kit.Idempotent
	Body struct {
		EntityID    uuid.UUID        `json:"entityId,omitempty" doc:"the caller's own entity when left out"`
		Currency    string           `json:"currency" minLength:"1" maxLength:"36" example:"VES" doc:"its code or id"`
		Day         string           `json:"day,omitempty" format:"date" doc:"today when left out"`
		OpeningCash kit.DecimalInput `json:"opening_cash,omitempty" doc:"in the drawer before the first event"`
	}
}

func (o *operations) open(ctx context.Context, by caller.Caller, in *openInput) (*kit.CreatedOnce[dailyClose], error) {
	c, again, err := o.closes.Open(ctx, by, &closes.OpenRequest{
		EntityID: in.Body.EntityID, Currency: in.Body.Currency, Day: kit.Day(in.Body.Day),
		OpeningCash: string(in.Body.OpeningCash), IdempotencyKey: in.IdempotencyKey,
	})
	if err != nil {
		return nil, err
	}
	return kit.CreatedOnceOf(closeBody(*c), o.BasePath+"/sales/daily-closes/"+c.ID.String(), again), nil
}

type closeInput struct {
	kit.OnceByID
	Body struct {
		Cash        cashBody         `json:"cash,omitzero" doc:"of a ticket point"`
		OpeningCash kit.DecimalInput `json:"opening_cash,omitempty" doc:"in the drawer before the first event"`
		Note        string           `json:"note,omitempty" maxLength:"500"`
	}
}

type cashBody struct {
	Counts []countInput     `json:"counts,omitempty" maxItems:"50" nullable:"false" doc:"notes and coins by denomination"`
	Other  kit.DecimalInput `json:"other,omitempty" doc:"cash that is not counted by denomination"`
	Means  []meansInput     `json:"means,omitempty" maxItems:"20" nullable:"false" doc:"what was counted besides cash in the currency"`
}

type meansInput struct {
	Means    string           `json:"means" enum:"cash,card,mobile"`
	Currency string           `json:"currency" minLength:"1" maxLength:"36" example:"USD" doc:"code or id"`
	Amount   kit.DecimalInput `json:"amount" doc:"in that currency"`
}

// typed is the cash as it was sent.
func (b *cashBody) typed() closes.Cash {
	cash := closes.Cash{Other: string(b.Other)}
	for _, count := range b.Counts {
		cash.Counts = append(
			cash.Counts, closes.TypedCount{Denomination: string(count.Denomination), Count: count.Count},
		)
	}
	for _, m := range b.Means {
		cash.Means = append(cash.Means, closes.TypedMeans{Means: m.Means, Currency: m.Currency, Amount: string(m.Amount)})
	}
	return cash
}

type countInput struct {
	Denomination kit.DecimalInput `json:"denomination"`
	Count        int64            `json:"count" minimum:"0" maximum:"1000000"`
}

func (o *operations) close(ctx context.Context, by caller.Caller, in *closeInput) (*kit.Once[dailyClose], error) {
	c, again, err := o.closes.Close(ctx, by, &closes.CloseRequest{
		ID: in.ID, Cash: in.Body.Cash.typed(), OpeningCash: string(in.Body.OpeningCash), Note: in.Body.Note,
		IdempotencyKey: in.IdempotencyKey,
	})
	if err != nil {
		return nil, err
	}
	return kit.OnceOf(closeBody(*c), again), nil
}
