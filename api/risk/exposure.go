package risk

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/risk/exposure"
)

func (o *operations) registerExposure() {
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-exposure", Method: http.MethodGet, Path: "/risk/exposure", Tags: []string{"Risk"},
		Summary: "Exposure of a draw: the stakes on each outcome and the prizes due, the most expensive first",
		Description: "Counts what the caller's subtree sold and did not cancel. A number counts all bets that it makes win. " +
			"Bets that several draws decide are in windows.",
	}, kit.Can(auth.RiskRead), o.getExposure, drawErrors()...)
}

type exposureInput struct {
	DrawID   uuid.UUID `query:"draw_id" required:"true"`
	Currency string    `query:"currency" default:"VES" maxLength:"36" doc:"code or id"`
	EntityID uuid.UUID `query:"entityId" doc:"whose subtree; the caller's when left out"`
	Top      int       `query:"top" minimum:"1" maximum:"1000" default:"20"`
}

type exposureBody struct {
	DrawID     uuid.UUID         `json:"draw_id"`
	DrawNumber string            `json:"draw_number"`
	DrawTime   time.Time         `json:"draw_time"`
	DrawStatus string            `json:"draw_status"`
	Game       string            `json:"game"`
	CurrencyID uuid.UUID         `json:"currency_id"`
	Currency   string            `json:"currency" example:"VES"`
	Sales      kit.Decimal       `json:"sales" doc:"all stakes on the draw"`
	Lines      int64             `json:"lines"`
	Outcomes   int               `json:"outcomes" doc:"how many things can be drawn"`
	Worst      *exposureOutcome  `json:"worst" doc:"what would cost most"`
	Elements   []exposureOutcome `json:"elements" nullable:"false"`
	Windows    exposureWindows   `json:"windows"`
}

type exposureOutcome struct {
	Value     string      `json:"value" example:"042"`
	Sign      string      `json:"sign,omitempty"`
	Name      string      `json:"name"`
	Stake     kit.Decimal `json:"stake" doc:"on the bets that it makes win"`
	Liability kit.Decimal `json:"liability" doc:"due if it is drawn"`
	Lines     int64       `json:"lines"`
	Share     string      `json:"share" doc:"percent of the draw's sales that is staked on it" example:"12.50"`
	Result    kit.Decimal `json:"result" doc:"sales less liability, before commissions"`
	Announced kit.Decimal `json:"liability_announced" doc:"due with the most expensive wildcard and flags"`
}

type exposureWindows struct {
	Stake     kit.Decimal `json:"stake"`
	Liability kit.Decimal `json:"liability" doc:"if all of them won"`
	Lines     int64       `json:"lines"`
}

func (o *operations) getExposure(
	ctx context.Context, by caller.Caller, in *exposureInput,
) (*kit.Data[exposureBody], error) {
	e, err := o.exposure.Of(ctx, by, &exposure.Request{
		EntityID: in.EntityID, DrawID: in.DrawID, Currency: in.Currency, Top: in.Top,
	})
	if err != nil {
		return nil, err
	}
	return kit.DataOf(exposureOf(e)), nil
}

func exposureOf(e *exposure.Exposure) exposureBody {
	in := func(a money.Amount) kit.Decimal { return kit.DecimalOf(a, e.Currency.Digits) }
	body := exposureBody{
		DrawID: e.Draw.ID, DrawNumber: e.Draw.Number, DrawTime: e.Draw.Time, DrawStatus: e.Draw.Status, Game: e.Game,
		CurrencyID: e.Currency.ID,
		Currency:   e.Currency.Code, Sales: in(e.Sales), Lines: e.Lines, Outcomes: e.Outcomes,
		Windows: exposureWindows{Stake: in(e.Windows.Stake), Liability: in(e.Windows.Liability), Lines: e.Windows.Lines},
	}
	body.Elements = kit.Map(e.Top, func(o exposure.Outcome) exposureOutcome {
		return exposureOutcome{
			Value: o.Value, Sign: o.Sign, Name: o.Name, Stake: in(o.Stake), Liability: in(o.Liability), Lines: o.Lines,
			Share: money.Amount(o.Share).Format(2), Result: in(o.Result), Announced: in(o.Announced),
		}
	})
	if len(body.Elements) > 0 {
		body.Worst = &body.Elements[0]
	}
	return body
}
