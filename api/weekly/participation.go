package weekly

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/weekly"
	"banca/models"
)

func (o *operations) registerDistribution() {
	kit.HandleFile(o.Registry, huma.Operation{
		OperationID: "report-participation", Method: http.MethodGet, Path: "/reports/financial/participation",
		Tags:    []string{"Reports"},
		Summary: "How the result of an entity was divided among it, the entities below and those above",
		Description: "Sums the weekly settlements of the weeks that lie in the period, also drafts, and the first week without drafts up to now. The own share, the shares of the entities below and the rest sum to the result. " +
			"A settlement covers all games, so there is no filter by category or game.",
	}, kit.Can(auth.ReportsRead), o.distribution, o.distributionTable,
		ledger.ErrCurrencyNotFound, org.ErrEntityNotFound, weekly.ErrRange)
}

type distributionInput struct {
	kit.FileParams

	EntityID string `query:"entityId" format:"uuid" doc:"whose result is divided; the caller's entity without it"`
	From     string `query:"from" format:"date" required:"true" doc:"weeks whose Monday is this day or later"`
	To       string `query:"to" format:"date" required:"true" doc:"weeks whose Sunday is this day or earlier"`
	Currency string `query:"currency" required:"true" maxLength:"36" example:"VES" doc:"code or id"`
}

func (in *distributionInput) filter() *weekly.DistributionFilter {
	return &weekly.DistributionFilter{EntityID: kit.ID(in.EntityID), From: kit.Day(in.From), To: kit.Day(in.To), Currency: in.Currency}
}

type participationReport struct {
	Entity   participationEntity `json:"entity"`
	Currency string              `json:"currency" example:"VES"`
	From     *string             `json:"from" format:"date" doc:"Monday of the first week that is summed; null without any"`
	To       *string             `json:"to" format:"date" doc:"Sunday of the last week"`
	Drafts   int64               `json:"drafts" doc:"settlements of the sum that are not confirmed"`
	Running  *string             `json:"provisional" format:"date" doc:"Monday of a week of the sum that is not drafted yet; null without one"`
	Result   kit.Decimal         `json:"result" doc:"sales less all commissions and prizes"`
	Own      kit.Decimal         `json:"own" doc:"kept by the entity"`
	Left     kit.Decimal         `json:"left" doc:"for the entities above; 0 for the operator"`
	Rows     []participationRow  `json:"rows" nullable:"false" doc:"the entities directly below"`
}

type participationEntity struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
	Code string    `json:"code"`
	Type string    `json:"entity_type" enum:"OPERATOR,SUPER_AGENCY,AGENCY,GROUP,TICKET_POINT"`
}

type participationRow struct {
	Entity        participationEntity `json:"entity"`
	Result        kit.Decimal         `json:"result"`
	Participation kit.Decimal         `json:"participation" doc:"with the shares of the entities below it and adjustments"`
	OwnShare      kit.Decimal         `json:"own_share" doc:"without the shares of the entities below it"`
	LossAfter     kit.Decimal         `json:"loss_after" doc:"passed on after the last week; never positive"`
}

func participationEntityBody(id uuid.UUID, e *org.Label) participationEntity {
	return participationEntity{ID: id, Name: e.Name, Code: e.Code, Type: e.Type}
}

func (o *operations) distribution(
	ctx context.Context, by caller.Caller, in *distributionInput,
) (*kit.Data[participationReport], error) {
	d, err := o.weekly.Distribution(ctx, by, in.filter())
	if err != nil {
		return nil, err
	}
	amount := func(a money.Amount) kit.Decimal { return kit.DecimalOf(a, d.Currency.Digits) }
	body := participationReport{
		Entity: participationEntityBody(d.EntityID, &d.Entity), Currency: d.Currency.Code, Drafts: d.Drafts,
		Result: amount(d.Result), Own: amount(d.Own), Left: amount(d.Left),
		Rows: kit.Map(d.Children, func(p weekly.Part) participationRow {
			return participationRow{
				Entity: participationEntityBody(p.EntityID, &p.Entity), Result: amount(p.Result),
				Participation: amount(p.Participation), OwnShare: amount(p.OwnShare),
				LossAfter: amount(p.CarryOut),
			}
		}),
	}
	if !d.From.IsZero() {
		body.From, body.To = new(d.From.String()), new(d.To.String())
	}
	if !d.Provisional.IsZero() {
		body.Running = new(d.Provisional.String())
	}
	return kit.DataOf(body), nil
}

// distributionTable has a row for each part of the result: the shares of the entities below, the own share and the
// rest. Its column of participations sums to the result.
func (o *operations) distributionTable(
	ctx context.Context, by caller.Caller, in *distributionInput,
) (*sheet.Table, error) {
	d, err := o.weekly.Distribution(ctx, by, in.filter())
	if err != nil {
		return nil, err
	}
	amount := func(a money.Amount) sheet.Cell { return sheet.Money(a, d.Currency.Digits) }
	table := kit.SumTable(
		ctx, "participation", "", "part", "entity", "code", "level", "result", "participation", "own_share", "loss_after",
		"currency",
	)
	parts := make([][]sheet.Cell, 0, len(d.Children)+2)
	for i := range d.Children {
		p := &d.Children[i]
		parts = append(parts, []sheet.Cell{
			text(ctx, "part.below"), sheet.Text(p.Entity.Name), sheet.Text(p.Entity.Code),
			text(ctx, "level."+p.Entity.Type), amount(p.Result), amount(p.Participation),
			amount(p.OwnShare), amount(p.CarryOut), sheet.Text(d.Currency.Code),
		})
	}
	rest := func(part string, a money.Amount) {
		parts = append(parts, []sheet.Cell{
			text(ctx, "part."+part), sheet.Text(d.Entity.Name), sheet.Text(d.Entity.Code),
			text(ctx, "level."+d.Entity.Type), {}, amount(a), {}, {}, sheet.Text(d.Currency.Code),
		})
	}
	rest("own", d.Own)
	if d.Entity.Type != models.EntityOperator {
		rest("above", d.Left)
	}
	table.Rows = sheet.Pages(func() ([][]sheet.Cell, bool, error) { return parts, false, nil }, func(row *[]sheet.Cell) []sheet.Cell { return *row })
	return table, nil
}
