package closes

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/closes"
	"banca/internal/platform/caller"
	"banca/internal/risk"
)

func (o *operations) registerHandovers() {
	tags := []string{"Closes"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-handovers", Method: http.MethodGet, Path: "/sales/daily-closes/{id}/handovers", Tags: tags,
		Summary: "The handovers of the drawer within a day, the first one first",
	}, kit.Can(auth.ClosesRead), o.handovers, closes.ErrNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "hand-over", Method: http.MethodPost, Path: "/sales/daily-closes/{id}/handovers", Tags: tags,
		DefaultStatus: http.StatusCreated,
		Summary:       "Give the counted drawer to the next cashier",
		Description:   "It waits until another user takes it. Nothing is booked, and selling goes on. One drawer waits at a time.",
	}, kit.Can(auth.ClosesWrite), o.handOver,
		closes.ErrCash, closes.ErrClosed, closes.ErrNoDrawer, closes.ErrNotFound, closes.ErrNote, closes.ErrPending,
		closes.ErrWaiting, risk.ErrUnavailable)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "take-over", Method: http.MethodPost,
		Path: "/sales/daily-closes/{id}/handovers/{handover_id}/take", Tags: tags, DefaultStatus: http.StatusOK,
		Summary:     "Take the drawer that another cashier has given",
		Description: "A repeat by the same user answers the same again.",
	}, kit.Can(auth.ClosesWrite), o.takeOver,
		closes.ErrClosed, closes.ErrHandoverNotFound, closes.ErrNotFound, closes.ErrOwnDrawer, closes.ErrTaken)
}

// handover is the body of a handover.
type handover struct {
	ID       uuid.UUID   `json:"id"`
	CloseID  uuid.UUID   `json:"close_id"`
	Expected kit.Decimal `json:"expected_cash" doc:"when the drawer was counted"`
	Counted  kit.Decimal `json:"counted_cash"`
	Variance kit.Decimal `json:"variance" doc:"counted less expected"`
	Counts   []countBody `json:"counts" nullable:"false"`
	Means    []meansBody `json:"means" nullable:"false" doc:"besides cash in the currency"`
	Note     string      `json:"note"`
	GivenBy  uuid.UUID   `json:"given_by"`
	Giver    string      `json:"given_by_name"`
	GivenAt  time.Time   `json:"given_at"`
	TakenBy  *uuid.UUID  `json:"taken_by" doc:"null while the drawer waits"`
	Taker    string      `json:"taken_by_name"`
	TakenAt  *time.Time  `json:"taken_at" doc:"null while the drawer waits"`
}

func handoverBody(digits int) func(h closes.Handover) handover {
	return func(h closes.Handover) handover {
		return handover{
			ID: h.ID, CloseID: h.CloseID, Expected: kit.DecimalOf(h.Expected, digits),
			Counted: kit.DecimalOf(h.Counted, digits), Variance: kit.DecimalOf(h.Variance(), digits),
			Counts: countBodies(h.Counts, digits), Means: meansBodies(h.Means, digits), Note: h.Note, GivenBy: h.GivenBy, Giver: h.Giver, GivenAt: h.GivenAt,
			TakenBy: kit.Optional(h.TakenBy), Taker: h.Taker,
			TakenAt: kit.Optional(h.TakenAt),
		}
	}
}

func countBodies(counts []closes.Count, digits int) []countBody {
	bodies := make([]countBody, len(counts))
	for i, c := range counts {
		bodies[i] = countBody{Denomination: kit.DecimalOf(c.Denomination, digits), Count: c.Count}
	}
	return bodies
}

func (o *operations) handovers(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.List[handover], error) {
	day, err := o.closes.Get(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	list, err := o.closes.Handovers(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	return kit.AllOf(kit.Map(list, handoverBody(day.Currency.Digits))), nil
}

type handOverInput struct {
	kit.OnceByID
	Body struct {
		Cash cashBody `json:"cash,omitzero"`
		Note string   `json:"note,omitempty" maxLength:"500"`
	}
}

func (o *operations) handOver(
	ctx context.Context, by caller.Caller, in *handOverInput,
) (*kit.CreatedOnce[handover], error) {
	given, again, err := o.closes.HandOver(ctx, by, &closes.HandOverRequest{CloseID: in.ID, Cash: in.Body.Cash.typed(), Note: in.Body.Note, IdempotencyKey: in.IdempotencyKey})
	if err != nil {
		return nil, err
	}
	day, err := o.closes.Get(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	return kit.CreatedOnceOf(handoverBody(day.Currency.Digits)(*given), o.BasePath+"/sales/daily-closes/"+in.ID.String()+"/handovers", again), nil
}

type takeOverInput struct {
	kit.ByID
	HandoverID uuid.UUID `path:"handover_id"`
}

func (o *operations) takeOver(ctx context.Context, by caller.Caller, in *takeOverInput) (*kit.Data[handover], error) {
	taken, err := o.closes.TakeOver(ctx, by, closes.TakeOverRequest{CloseID: in.ID, ID: in.HandoverID})
	if err != nil {
		return nil, err
	}
	day, err := o.closes.Get(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(handoverBody(day.Currency.Digits)(*taken)), nil
}
