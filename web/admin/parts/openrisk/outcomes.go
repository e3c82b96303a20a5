package openrisk

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/risk/exposure"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

const (
	chartTop   = 10 // outcomes of the chart
	dearestTop = 5  // of the table of a draw's page
)

// Costly returns the outcomes that have a liability of a list with the dearest first.
func Costly(top []exposure.Outcome) []exposure.Outcome {
	free := slices.IndexFunc(top, func(o exposure.Outcome) bool { return o.Liability == 0 })
	if free < 0 {
		return top
	}
	return top[:free]
}

// OutcomeText is an outcome with its name, such as 5 León or 042 Leo.
func OutcomeText(o *exposure.Outcome) string {
	if o.Name == "" || o.Name == o.Value || o.Sign != "" {
		return cmp.Or(o.Name, o.Value)
	}
	return o.Value + " " + o.Name
}

// WithDearest reads a draw in a currency, and the table of its dearest outcomes. With a result, the table has the drawn outcome, too, and the draw is
// nil. Errors: catalog.ErrDrawNotFound, and see Read.
func (rd *Reader) WithDearest(r *kit.Request, in ledger.Currency, id uuid.UUID, drawn *catalog.Outcome) (*Draw, kit.Rows, error) {
	e, err := rd.Exposure.RecentOf(r.Context(), r.Caller, &exposure.Request{DrawID: id, Currency: in.Code, Top: exposure.MaxTop})
	if err != nil {
		return nil, nil, err
	}
	if drawn != nil {
		return nil, dearest(e, drawn), nil
	}
	draw, err := rd.Of(r, in, &e.Draw)
	return draw, dearest(e, nil), err
}

// dearest is the table of the dearest outcomes and the drawn outcome.
func dearest(e *exposure.Exposure, drawn *catalog.Outcome) kit.Rows {
	is := func(o exposure.Outcome) bool { return drawn != nil && o.Value == drawn.Value && o.Sign == drawn.Sign }
	rows, first, due := Costly(e.Top), "exposure.outcome", "label.liability"
	rows = slices.Clip(rows[:min(len(rows), dearestTop)])
	if at := slices.IndexFunc(e.Top, is); at >= len(rows) {
		rows = append(rows, e.Top[at])
	}
	if drawn != nil {
		first, due = "exposure.outcome.past", "draw.prizes"
	}
	amount := kit.AmountsOf(func(*exposure.Outcome) int { return e.Currency.Digits })
	return kit.RowsOf([]kit.Column[exposure.Outcome]{
		kit.TextColumn(first, OutcomeText).WithCell(func(v *kit.View, o *exposure.Outcome) kit.Cell {
			cell := kit.Cell{Text: OutcomeText(o), Style: "strong"}
			if is(*o) {
				cell.Badges = []kit.Badge{v.State("element", "drawn")}
			}
			return cell
		}),
		amount("label.stake", func(o *exposure.Outcome) money.Amount { return o.Stake }),
		amount(due, func(o *exposure.Outcome) money.Amount { return o.Liability }),
		kit.CurrencyColumn(func(*exposure.Outcome) (code, symbol string) { return e.Currency.Code, e.Currency.Unit() }),
	}, rows, nil, "exposure.empty")
}

// Chart is the chart of what the dearest outcomes of a draw cost. kept is its sales less commissions.
func Chart(v *kit.View, e *exposure.Exposure, kept money.Amount) *kit.Bars {
	top := Costly(e.Top)
	top = top[:min(len(top), chartTop)]
	chart := &kit.Bars{
		Caption: v.T("exposure.chart", len(top), e.Outcomes), Series: []string{v.T("label.liability")}, Rows: make([]kit.Bar, len(top)),
		Values: v.Axis(e.Currency.Digits),
	}
	if kept > 0 {
		chart.Threshold, chart.ThresholdTitle = kept, v.T("exposure.threshold", currency.Text(v, kept, e.Currency))
	}
	for i := range top {
		o := &top[i]
		chart.Rows[i] = kit.Bar{
			Name: OutcomeText(o), Title: OutcomeText(o) + ": " + currency.Text(v, o.Liability, e.Currency),
			Lengths: []money.Amount{o.Liability},
		}
	}
	return chart.Draw()
}
