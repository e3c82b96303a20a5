package openrisk

import (
	"slices"
	"strings"

	"github.com/google/uuid"

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

// OutcomeText is an outcome with its name, such as 5 León or 042 LEO.
func OutcomeText(o *exposure.Outcome) string {
	value := strings.TrimSpace(o.Value + " " + o.Sign)
	if o.Name == "" || o.Name == o.Value || o.Name == value {
		return value
	}
	return o.Value + " " + o.Name
}

// WithDearest reads a draw in a currency, and the table of its dearest outcomes. Errors: catalog.ErrDrawNotFound, and see Read.
func (rd *Reader) WithDearest(r *kit.Request, in ledger.Currency, id uuid.UUID) (*Draw, kit.Rows, error) {
	e, err := rd.Exposure.RecentOf(r.Context(), r.Caller, &exposure.Request{DrawID: id, Currency: in.Code, Top: dearestTop})
	if err != nil {
		return nil, nil, err
	}
	draw, err := rd.Of(r, in, &e.Draw)
	return draw, dearest(e), err
}

func dearest(e *exposure.Exposure) kit.Rows {
	amount := func(title string, of func(o *exposure.Outcome) money.Amount) kit.Column[exposure.Outcome] {
		return kit.WordColumn(title, func(v *kit.View, o *exposure.Outcome) string { return currency.Text(v, of(o), e.Currency) }).Numeric()
	}
	return kit.RowsOf([]kit.Column[exposure.Outcome]{
		kit.TextColumn("exposure.outcome", OutcomeText).Strong(func(*exposure.Outcome) bool { return true }),
		amount("label.stake", func(o *exposure.Outcome) money.Amount { return o.Stake }),
		amount("label.liability", func(o *exposure.Outcome) money.Amount { return o.Liability }),
	}, Costly(e.Top), nil, "exposure.empty")
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
