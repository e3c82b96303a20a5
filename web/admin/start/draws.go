package start

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/draws"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/drawstate"
	"banca/web/kit"
)

const (
	maxDraws   = 500 // of a day
	shownTimes = 3   // at which draws close, of a list without amounts
)

// dayDraws are the draws of today that are next and that have passed.
type dayDraws struct {
	Next    []draws.View // on sale, the next to close first
	Results []draws.View // drawn, with a result, the last first
	Waiting int64        // drawn, without a verified result for which tickets wait

	risk   *dayRisk       // nil for users who may not read the exposure
	totals *reports.Draws // of the results, for users who may read reports; else nil

	state func(view *draws.View) string
}

// loadDraws loads the draws of today. risk is nil for pages that do not show what draws may cost. currency is that of the totals of the results,
// "" for none.
func (p *pages) loadDraws(r *kit.Request, risk *dayRisk, currency string) (*dayDraws, error) {
	now := r.Now()
	list, _, err := p.Draws.Views(r.Context(), &draws.ViewFilter{Date: r.Today(), Now: now, Limit: maxDraws})
	if err != nil {
		return nil, err
	}
	d := &dayDraws{risk: risk, state: func(view *draws.View) string { return drawstate.Of(view, now, r.Caller.IsOperator()) }}
	for i := range list {
		view := &list[i]
		switch {
		case view.Status == models.DrawOpen && view.SaleStopAt.After(now):
			d.Next = append(d.Next, *view)
		case view.Time.After(now) || view.Status == models.DrawSuspended:
		default:
			if view.Result != "" {
				d.Results = append(d.Results, *view)
			}
			if view.Value == "" && d.state(view) != drawstate.Unsold {
				d.Waiting++
			}
		}
	}
	slices.SortStableFunc(d.Next, func(a, b draws.View) int { return a.SaleStopAt.Compare(b.SaleStopAt) })
	slices.SortStableFunc(d.Results, func(a, b draws.View) int {
		return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Game.Name, b.Game.Name))
	})
	d.Results = d.Results[:min(len(d.Results), shownRows)]
	if currency != "" {
		ids := kit.Map(d.Results, func(view *draws.View) uuid.UUID { return view.ID })
		d.totals, err = p.Reports.Draws(r.Context(), r.Caller, currency, ids)
	}
	return d, err
}

// closing is a time at which draws close.
type closing struct {
	Time, Stop time.Time
	Games      []string
}

// closings are the next times at which draws close.
func (d *dayDraws) closings() (list []closing) {
	for i := range d.Next {
		view := &d.Next[i]
		last := len(list) - 1
		if last < 0 || !list[last].Time.Equal(view.Time) || !list[last].Stop.Equal(view.SaleStopAt) {
			if last++; last == shownTimes {
				break
			}
			list = append(list, closing{Time: view.Time, Stop: view.SaleStopAt})
		}
		list[last].Games = append(list[last].Games, view.Game.Name)
	}
	return list
}

// Closings is the table of the draws that close next; without their amounts, of the times at which they close.
func (d *dayDraws) Closings() kit.Rows {
	if d.risk == nil {
		return kit.RowsOf([]kit.Column[closing]{
			kit.WordColumn("label.draw", func(v *kit.View, c *closing) string { return v.Clock(c.Time) }).
				Below(func(_ *kit.View, c *closing) string { return strings.Join(c.Games, ", ") }),
			{Title: "start.closes", Lead: true, Cell: func(v *kit.View, c *closing) kit.Cell { return v.CountdownCell(c.Stop) }},
		}, d.closings(), nil, "start.none.open")
	}
	columns := []kit.Column[draws.View]{
		drawColumn(),
		{Title: "start.closes", Lead: true, Cell: func(v *kit.View, view *draws.View) kit.Cell { return v.CountdownCell(view.SaleStopAt) }},
		{Title: "start.sold", Number: true, Cell: func(v *kit.View, view *draws.View) kit.Cell { return d.risk.sold(v, view.ID) }},
		{Title: "risk.worst", Cell: func(v *kit.View, view *draws.View) kit.Cell { return d.risk.worst(v, view.ID) }},
	}
	return kit.RowsOf(columns, d.Next[:min(len(d.Next), shownRows)], func(view *draws.View) string { return links.Exposure + "/" + view.ID.String() }, "start.none.open")
}

const leastResults = 2

// standBeside limits the results to the number of rows of the closings, at least to leastResults.
func (d *dayDraws) standBeside(rows int) {
	d.Results = d.Results[:min(len(d.Results), max(rows, leastResults))]
}

// secondLines is the number of closings with a second line.
func (d *dayDraws) secondLines() (lines int) {
	for i := range d.Next[:min(len(d.Next), shownRows)] {
		if d.risk != nil && d.risk.draws[d.Next[i].ID] != nil && d.risk.draws[d.Next[i].ID].Due() > 0 {
			lines++
		}
	}
	return lines
}

// Drawn is the table of the last results.
func (d *dayDraws) Drawn() kit.Rows {
	columns := []kit.Column[draws.View]{
		drawColumn(),
		kit.TextColumn("label.result", func(view *draws.View) string { return view.Result }).Leading(),
	}
	if d.totals != nil {
		columns = append(columns,
			d.amount("start.sold", func(f *rollup.Figures) money.Amount { return f.NetSales() }),
			d.amount("start.prizes", func(f *rollup.Figures) money.Amount { return f.Won }))
	}
	return kit.RowsOf(columns, d.Results, func(view *draws.View) string { return links.Draws + "/" + view.ID.String() }, "start.none.drawn")
}

// drawColumn names a draw by its game and its time.
func drawColumn() kit.Column[draws.View] {
	return kit.WordColumn("label.draw", func(v *kit.View, view *draws.View) string { return view.Game.Name + " " + v.Clock(view.Time) })
}

// amount is a column of the totals of the draws.
func (d *dayDraws) amount(title string, of func(f *rollup.Figures) money.Amount) kit.Column[draws.View] {
	amount := func(view *draws.View) (money.Amount, int) {
		f := d.totals.ByDraw[view.ID]
		return of(&f), d.totals.Currency.Digits
	}
	return kit.AmountColumn(title, amount).If(func(view *draws.View) bool { a, _ := amount(view); return a != 0 })
}
