package draws

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/internal/platform/caller"
	"banca/internal/receipts"
)

func (o *operations) registerResults() {
	tags := []string{"Results"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-results", Method: http.MethodGet, Path: "/results", Tags: tags,
		Summary: "Results by draw, the latest draw first: verified and superseded versions; the operator sees those that await verification and rejected ones, too",
	}, kit.Can(auth.ResultsRead), o.listResults)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-results-slip", Method: http.MethodGet, Path: "/results/receipt", Tags: tags,
		Summary:   "The list of the verified results of a day: a picture or printer commands",
		Responses: kit.PrintResponses("The list"),
	}, kit.Can(auth.ResultsRead), o.resultsSlip, catalog.ErrGameNotFound, receipts.ErrTooLarge)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-result-frequencies", Method: http.MethodGet, Path: "/results/frequencies", Tags: tags,
		Summary:     "How often each value of a game was drawn in 30 days, the most frequent first",
		Description: "A game of elements has every element, also one that was not drawn. The answer may be some seconds old.",
	}, kit.Can(auth.ResultsRead), o.listFrequencies, catalog.ErrGameNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-result", Method: http.MethodGet, Path: "/results/{id}", Tags: tags, Summary: "A result",
	}, kit.Can(auth.ResultsRead), o.getResult, draws.ErrResultNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "enter-result", Method: http.MethodPost, Path: "/results", Tags: tags,
		Summary:     "Type the result of a draw",
		Description: "It counts once a second person has verified it.",
	}, kit.Can(auth.ResultsWrite).Sensitive().Operator(), o.enterResult,
		catalog.ErrGameNotFound, draws.ErrDrawNotFound, draws.ErrInvalidOutcome, draws.ErrNotClosed, draws.ErrNotHeld,
		draws.ErrResultExists, draws.ErrResultNotFound, draws.ErrResultPending, draws.ErrSuspended)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "verify-result", Method: http.MethodPost, Path: "/results/{id}/verify", Tags: tags,
		Summary:     "Verify a result that another person typed",
		Description: "Settles the draw. A value typed for verification must equal the entered result. The answer shows what a correction changed.",
	}, kit.Can(auth.ResultsVerify).Sensitive().Operator(), o.verifyResult,
		decideErrors(draws.ErrResultClosed, draws.ErrResultExists, draws.ErrResultMismatch, draws.ErrSamePerson)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "reject-result", Method: http.MethodPost, Path: "/results/{id}/reject", Tags: tags,
		Summary: "Reject a result that awaits verification",
	}, kit.Can(auth.ResultsVerify).Sensitive().Operator(), o.rejectResult,
		draws.ErrDrawNotFound, draws.ErrReasonMissing, draws.ErrResultClosed, draws.ErrResultNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "preview-result", Method: http.MethodGet, Path: "/results/{id}/difference", Tags: tags,
		Summary: "What the verification of a correction would change",
	}, kit.Can(auth.ResultsVerify).Operator(), o.previewResult,
		decideErrors(draws.ErrResultClosed, draws.ErrResultExists, draws.ErrResultMismatch, draws.ErrSamePerson)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "correct-result", Method: http.MethodPost, Path: "/results/{id}/correct", Tags: tags,
		Summary: "Correct a verified result",
		Description: "Files a new version that a second person must verify; then earlier winners are annulled, the tickets decided again, and wrong payments listed. " +
			"With dry_run nothing is filed and the answer shows the difference; GET /results/{id}/difference returns it for a filed correction.",
	}, kit.Can(auth.ResultsWrite).Sensitive().Operator(), o.correctResult,
		decideErrors(draws.ErrInvalidOutcome, draws.ErrNoResult, draws.ErrReasonMissing, draws.ErrResultPending,
			draws.ErrResultUnchanged)...)
}

// Outcome is the outcome of a draw.
type Outcome struct {
	Value    string   `json:"value" minLength:"1" maxLength:"8" doc:"an element's code or a number; text, because 0, 00, 5 and 05 differ" example:"05"`
	Sign     string   `json:"sign,omitempty" maxLength:"8" doc:"code of a zodiac sign, where the game draws one" example:"LEO"`
	Wildcard string   `json:"wildcard,omitempty" maxLength:"32" doc:"code of the wildcard that came out"`
	Flags    []string `json:"flags,omitempty" maxItems:"8" doc:"codes of the flags announced with it"`
}

func (o *Outcome) outcome() catalog.Outcome {
	return catalog.Outcome{Value: o.Value, Sign: o.Sign, Wildcard: o.Wildcard, Flags: o.Flags}
}

type result struct {
	ID         uuid.UUID `json:"id"`
	DrawID     uuid.UUID `json:"draw_id"`
	GameID     uuid.UUID `json:"game_id"`
	Game       string    `json:"game" doc:"name"`
	DrawNumber string    `json:"draw_number"`
	DrawTime   time.Time `json:"draw_time"`
	DrawStatus string    `json:"draw_status" enum:"closed,resulted,settled,suspended"`
	Version    int       `json:"version" doc:"from 1; a correction is a later one"`
	Outcome
	Status     string     `json:"status" enum:"proposed,verified,superseded,rejected"`
	Origin     string     `json:"origin" enum:"typed,fetched,derived"`
	Source     string     `json:"source,omitempty"`
	Supersedes *uuid.UUID `json:"supersedes,omitempty" doc:"the verified result that it corrects"`
	Reason     string     `json:"reason,omitempty"`
	EnteredBy  *uuid.UUID `json:"entered_by,omitempty"`
	EnteredAt  time.Time  `json:"entered_at"`
	VerifiedBy *uuid.UUID `json:"verified_by,omitempty" doc:"missing where a policy verified it"`
	VerifiedAt *time.Time `json:"verified_at,omitempty"`
	ClosedAt   *time.Time `json:"closed_at,omitempty" doc:"when it was superseded or rejected"`
}

type resultsInput struct {
	kit.PageParams
	DrawID uuid.UUID `query:"draw_id"`
	GameID uuid.UUID `query:"game_id"`
	Status string    `query:"status" enum:"proposed,verified,superseded,rejected"`
	Date   string    `query:"date" format:"date" doc:"a business day of draws" example:"2026-11-20"`
}

func (o *operations) listResults(ctx context.Context, by caller.Caller, in *resultsInput) (*kit.List[result], error) {
	results, total, err := o.draws.Results(ctx, by, &draws.ResultFilter{
		DrawID: in.DrawID, GameID: in.GameID, Status: in.Status, Date: kit.Day(in.Date),
		Limit: in.PageSize, Offset: in.Offset(),
	})
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(results, func(r draws.Result) result { return resultBody(&r) }), &in.PageParams, total), nil
}

type resultsSlipInput struct {
	kit.PrintFormat
	Date   string   `query:"date" required:"true" format:"date" doc:"a business day of draws" example:"2026-11-20"`
	GameID []string `query:"game_id" maxItems:"100" format:"uuid" doc:"games, separated by commas; all without it"`
}

func (o *operations) resultsSlip(ctx context.Context, by caller.Caller, in *resultsSlipInput) (*kit.Print, error) {
	return kit.PrintOf(o.draws.Slip(ctx, by, kit.Day(in.Date), kit.Map(in.GameID, func(id string) uuid.UUID { return kit.ID(id) }), in.Format))
}

type frequency struct {
	Value  string `json:"value" example:"05"`
	Name   string `json:"name" example:"León"`
	Drawn  int    `json:"drawn" doc:"times in 30 days"`
	Absent int    `json:"absent" doc:"draws with a result since it was drawn last, at most those of the 30 days"`
}

type frequenciesInput struct {
	GameID uuid.UUID `query:"game_id" required:"true"`
}

func (o *operations) listFrequencies(ctx context.Context, _ caller.Caller, in *frequenciesInput) (*kit.List[frequency], error) {
	list, err := o.draws.Frequencies(ctx, in.GameID)
	if err != nil {
		return nil, err
	}
	return kit.AllOf(kit.Map(list, func(f draws.Frequency) frequency {
		return frequency{Value: f.Value, Name: f.Name, Drawn: f.Drawn, Absent: f.Absent}
	})), nil
}

func (o *operations) getResult(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[result], error) {
	return kit.DataFromValue(resultBody)(o.draws.Result(ctx, by, in.ID))
}

type newResult struct {
	Outcome
	DrawID uuid.UUID `json:"draw_id"`
}

func (o *operations) enterResult(
	ctx context.Context, by caller.Caller, in *struct{ Body newResult },
) (*kit.Created[result], error) {
	r, err := o.draws.Enter(ctx, by, in.Body.DrawID, in.Body.outcome())
	if err != nil {
		return nil, err
	}
	return kit.CreatedOf(resultBody(r), o.BasePath+"/results/"+r.ID.String()), nil
}

type verifyInput struct {
	kit.ByID
	Body *Outcome `required:"false"`
}

// decided is a result with its effect.
type decided struct {
	Result     *result     `json:"result,omitempty" doc:"missing for a dry run"`
	Difference *difference `json:"difference,omitempty" doc:"what a correction changes of the tickets"`
}

func (o *operations) verifyResult(ctx context.Context, by caller.Caller, in *verifyInput) (*kit.Data[decided], error) {
	var retyped *catalog.Outcome
	if in.Body != nil {
		outcome := in.Body.outcome()
		retyped = &outcome
	}
	r, d, err := o.draws.Verify(ctx, by, in.ID, retyped)
	if err != nil {
		return nil, err
	}
	return o.decidedBody(ctx, r, d)
}

type rejectInput struct {
	kit.ByID
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500"`
	}
}

func (o *operations) rejectResult(ctx context.Context, by caller.Caller, in *rejectInput) (*kit.Data[result], error) {
	return kit.DataFromValue(resultBody)(o.draws.Reject(ctx, by, in.ID, in.Body.Reason))
}

func (o *operations) previewResult(ctx context.Context, _ caller.Caller, in *kit.ByID) (*kit.Data[decided], error) {
	d, err := o.draws.PreviewOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return o.decidedBody(ctx, nil, d)
}

type correctInput struct {
	kit.ByID
	Body struct {
		Outcome
		Reason string `json:"reason" minLength:"1" maxLength:"500"`
		DryRun bool   `json:"dry_run,omitempty" doc:"show the difference and file nothing"`
	}
}

func (o *operations) correctResult(
	ctx context.Context, by caller.Caller, in *correctInput,
) (*kit.Data[decided], error) {
	r, d, err := o.draws.Correct(ctx, by, in.ID, in.Body.outcome(), in.Body.Reason, in.Body.DryRun)
	if err != nil {
		return nil, err
	}
	return o.decidedBody(ctx, r, d)
}

func resultBody(r *draws.Result) result {
	return result{
		ID: r.ID, DrawID: r.DrawID, GameID: r.Game.ID, Game: r.Game.Name, DrawNumber: r.Draw.Number,
		DrawTime: r.Draw.Time, DrawStatus: r.Draw.Status,
		Version: r.Version, Status: r.Status, Origin: r.Origin, Source: r.Source,
		Supersedes: kit.Optional(r.Supersedes), Reason: r.Reason,
		Outcome:   Outcome{Value: r.Outcome.Value, Sign: r.Outcome.Sign, Wildcard: r.Outcome.Wildcard, Flags: r.Outcome.Flags},
		EnteredBy: kit.Optional(r.EnteredBy), EnteredAt: r.EnteredAt, VerifiedBy: kit.Optional(r.VerifiedBy),
		VerifiedAt: kit.Optional(r.VerifiedAt), ClosedAt: kit.Optional(r.ClosedAt),
	}
}
