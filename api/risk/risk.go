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
	"banca/internal/risk"
	"banca/internal/sales"
)

func (o *operations) registerRisk() {
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-available", Method: http.MethodGet, Path: "/risk/available", Tags: []string{"Risk"},
		Summary: "What the seller may still stake on the selections of draws",
		Description: "Returns the tightest limit of all levels. Nothing is reserved: another sale may be faster. Without `selection` the answer has every element of each draw's game. " +
			"Of several draws, one whose game does not offer the bet type is left out, and so is a selection that is not of the draw's game; for a single draw both are refused. " +
			"Of several draws, one of a game of numbers is answered for named selections only. An unknown draw is refused in any case.",
	}, kit.Can(auth.RiskRead), o.listAvailable,
		drawErrors(risk.ErrUnavailable, sales.ErrInvalidTicket)...)
}

type availableInput struct {
	DrawID    []string  `query:"draw_id" required:"true" minItems:"1" maxItems:"50" format:"uuid" doc:"draws, separated by commas; one that is named again is ignored"`
	BetType   string    `query:"bet_type" default:"straight" maxLength:"32"`
	Selection []string  `query:"selection,explode" maxItems:"100" doc:"selections such as 5, or 5,12,33; every element when left out"`
	Currency  string    `query:"currency" default:"VES" maxLength:"36" doc:"code or id"`
	EntityID  uuid.UUID `query:"entityId" doc:"the seller; the caller's own entity when left out"`
}

type available struct {
	DrawID    uuid.UUID     `json:"draw_id"`
	Selection kit.Selection `json:"selection"`
	Name      string        `json:"name"`
	Available *kit.Decimal  `json:"available" doc:"stake that still fits; null without a limit; 0 once sales of the draw have stopped for the seller"`
	Limit     *kit.Decimal  `json:"limit"`
	Sold      *kit.Decimal  `json:"sold"`
	Metric    string        `json:"metric,omitempty" enum:"stake,liability" doc:"what limit and sold count"`
	Level     string        `json:"level,omitempty" doc:"whose limit is the tightest"`
	Unsold    bool          `json:"unsold,omitempty" doc:"it has no sale in the currency below the highest level at which a limit counts sales; left out where it has one, or no limit counts"`
	SaleStop  time.Time     `json:"sale_stop_at" doc:"when sales of the draw stop for the seller"`
}

func (o *operations) listAvailable(
	ctx context.Context, by caller.Caller, in *availableInput,
) (*kit.List[available], error) {
	entity := by.EntityID
	if in.EntityID != uuid.Nil {
		entity = in.EntityID
	}
	list, err := o.sales.Available(ctx, by, &sales.AvailableRequest{
		EntityID: entity, Currency: in.Currency, Draws: kit.Map(in.DrawID, kit.ID), BetType: in.BetType,
		Selection: in.Selection,
	})
	if err != nil {
		return nil, err
	}
	return kit.AllOf(kit.Map(list, availableBody)), nil
}

func availableBody(v sales.Availability) available {
	body := available{DrawID: v.DrawID, Selection: kit.SelectionOf(v.Selection), Name: v.Name, Unsold: v.Remaining.Unsold, SaleStop: v.Stop}
	if v.Stopped {
		v.Remaining.Stake = 0
		none := kit.DecimalOf(0, v.Digits)
		body.Available = &none
	}
	if v.Remaining.Unlimited {
		return body
	}
	room, limit, sold := kit.DecimalOf(v.Remaining.Stake, v.Digits), kit.DecimalOf(v.Remaining.Limit, v.Digits), kit.DecimalOf(v.Remaining.Sold, v.Digits)
	body.Available, body.Limit, body.Sold, body.Metric, body.Level = &room, &limit, &sold, v.Remaining.Metric, v.Remaining.Level
	return body
}
