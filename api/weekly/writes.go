package weekly

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/weekly"
)

func (o *operations) registerWrites() {
	tags, write := []string{tag}, kit.Can(auth.SettlementsWrite).Operator().Sensitive()
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "confirm-weekly-settlement", Method: http.MethodPost, Path: "/weekly-settlements/{id}/confirm",
		Tags: tags, Summary: "Confirm a weekly settlement",
		DefaultStatus: http.StatusOK,
		Description: "Books the entity's own share from the operator's wallet. A share in a loss must be covered by the wallet of the entity. A confirmed settlement never changes. " +
			"Repeat with the same Idempotency-Key to get the settlement again.",
	}, write, o.confirm,
		ledger.ErrInsufficientBalance, weekly.ErrConfirmed, weekly.ErrEarlierDraft, weekly.ErrNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "confirm-week", Method: http.MethodPost, Path: "/weekly-settlements/confirm", Tags: tags,
		Summary:       "Confirm all drafts of a week in a currency",
		DefaultStatus: http.StatusOK,
		Description:   "Each on its own, up to 2,000; settlements that cannot be confirmed are listed with the reason. A repeat confirms the rest.",
	}, write, o.confirmWeek, ledger.ErrCurrencyNotFound, weekly.ErrWeek)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "draft-week", Method: http.MethodPost, Path: "/weekly-settlements/draft", Tags: tags,
		Summary: "Draft the newest week again", DefaultStatus: http.StatusOK,
		Description: "Uses the current participations. A week is drafted automatically when it is over; this replaces its drafts, and is refused once one of them is confirmed. " +
			"The settlements get new ids.",
	}, write, o.draft,
		ledger.ErrCurrencyNotFound, weekly.ErrConfirmed, weekly.ErrNotNewest, weekly.ErrUndrafted, weekly.ErrWeek,
		weekly.ErrWeekNotOver)
}

func (o *operations) confirm(
	ctx context.Context, by caller.Caller, in *kit.OnceByID,
) (*kit.Once[WeeklySettlement], error) {
	s, again, err := o.weekly.Confirm(ctx, by, &weekly.ConfirmRequest{ID: in.ID, IdempotencyKey: in.IdempotencyKey})
	if err != nil {
		return nil, err
	}
	return kit.OnceOf(settlementBody(*s), again), nil
}

// WeekBody names a week in a currency.
type WeekBody struct {
	Week     string `json:"week" format:"date" doc:"Monday"`
	Currency string `json:"currency" minLength:"1" maxLength:"36" example:"VES" doc:"its code or id"`
}

type confirmWeekInput struct {
	Body struct {
		WeekBody

		ParentID uuid.UUID `json:"parent_id,omitempty" doc:"only the entities that were directly below this one"`
	}
}

type confirmedWeek struct {
	Week      string              `json:"week" format:"date"`
	Currency  string              `json:"currency"`
	Confirmed int                 `json:"confirmed" doc:"how many settlements this call confirmed"`
	IDs       []uuid.UUID         `json:"confirmed_ids" nullable:"false" doc:"the settlements that this call confirmed"`
	Refused   []refusedSettlement `json:"refused" nullable:"false" doc:"the drafts that it did not confirm; SETTLEMENT_NOT_FOUND for one that was drafted again meanwhile"`
}

type refusedSettlement struct {
	ID     uuid.UUID `json:"id"`
	Entity string    `json:"entity_name"`
	Code   string    `json:"code" example:"INSUFFICIENT_BALANCE"`
	Detail string    `json:"detail" doc:"for people, in the language of the request"`
}

func (o *operations) confirmWeek(
	ctx context.Context, by caller.Caller, in *confirmWeekInput,
) (*kit.Data[confirmedWeek], error) {
	confirmed, refused, err := o.weekly.ConfirmWeek(
		ctx, by, &weekly.Filter{Week: kit.Day(in.Body.Week), Currency: in.Body.Currency, ParentID: in.Body.ParentID},
	)
	if err != nil {
		return nil, err
	}
	body := confirmedWeek{
		Week: in.Body.Week, Currency: in.Body.Currency, Confirmed: len(confirmed),
		IDs: append([]uuid.UUID{}, confirmed...), Refused: []refusedSettlement{},
	}
	for i := range refused {
		body.Refused = append(body.Refused, o.refusal(ctx, &refused[i]))
	}
	slices.SortFunc(body.Refused, func(a, b refusedSettlement) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return kit.DataOf(body), nil
}

// refusal describes why a settlement was not confirmed, and logs an unknown error.
func (o *operations) refusal(ctx context.Context, r *weekly.Refusal) refusedSettlement {
	p := problem.From(r.Err).In(middleware.Language(ctx))
	if p.Status >= http.StatusInternalServerError {
		o.Log.LogAttrs(
			ctx, slog.LevelError, "settlement not confirmed", slog.String("settlement", r.ID.String()),
			slog.Any("error", r.Err),
		)
	}
	return refusedSettlement{ID: r.ID, Entity: r.Entity, Code: p.Code, Detail: p.Detail}
}

type draftWeekInput struct{ Body WeekBody }

type draftedWeek struct {
	WeekBody

	Settlements int64 `json:"settlements" doc:"drafts of the week"`
}

func (o *operations) draft(ctx context.Context, by caller.Caller, in *draftWeekInput) (*kit.Data[draftedWeek], error) {
	week := kit.Day(in.Body.Week)
	if err := o.weekly.Redraft(ctx, by, week, in.Body.Currency); err != nil {
		return nil, err
	}
	sums, err := o.weekly.Sums(ctx, by, &weekly.Filter{Week: week, Currency: in.Body.Currency})
	if err != nil {
		return nil, err
	}
	return kit.DataOf(draftedWeek{WeekBody: in.Body, Settlements: sums.Settlements}), nil
}
