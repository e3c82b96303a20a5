package org

import (
	"net/url"
	"slices"
	"time"

	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/internal/weekly"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

const daysOfWeek = 7

// week is what an entity sold and paid in a currency this week and the week before. Weeks begin on Monday.
type week struct {
	Currency ledger.Currency

	of    *entityMoney
	asOf  time.Time                      // of the figures
	byNow money.Amount                   // net sales of the same weekday of the week before, until this time of day
	first businessday.Day                // the Monday of the week before
	days  [2 * daysOfWeek]rollup.Figures // of both weeks
	past  int                            // whole days of this week
}

// weeks returns the figures of each currency in which the entity sold or paid this week or the week before.
func (p *pages) weeks(r *kit.Request, m *entityMoney) ([]*week, error) {
	currencies, err := p.Ledger.Currencies(r.Context())
	if err != nil {
		return nil, err
	}
	slices.SortFunc(currencies, func(a, b ledger.Currency) int { return a.Order(&b) })
	first := weekly.Monday(m.today).AddDays(-daysOfWeek)
	var list []*week
	for i := range currencies {
		report, err := p.Reports.Sales(r.Context(), r.Caller, &reports.Filter{EntityID: m.entity.ID, From: first, To: m.today, Currency: currencies[i].ID.String()}, reports.GroupDay)
		if err != nil {
			return nil, err
		}
		if len(report.Rows) == 0 {
			continue
		}
		w := &week{Currency: report.Currency, of: m, asOf: report.AsOf, first: first, past: first.AddDays(daysOfWeek).DaysUntil(m.today)}
		pace, err := p.Reports.Pace(r.Context(), r.Caller, &reports.Filter{EntityID: m.entity.ID, From: m.today, To: m.today, Currency: w.Currency.Code})
		if err != nil {
			return nil, err
		}
		w.byNow = pace.ByNow()
		for j := range report.Rows {
			w.days[first.DaysUntil(report.Rows[j].Day)] = report.Rows[j].Figures
		}
		list = append(list, w)
	}
	return list, nil
}

// Title names the day, and the currency if the page shows several.
func (w *week) Title(v *kit.View) string {
	text := v.T("org.money.today", v.Day(w.of.today), v.Clock(w.asOf))
	if len(w.of.Weeks) > 1 {
		text = w.Currency.Name + " · " + text
	}
	return text
}

// weekFigure is a figure of a week, with the report that explains it. Net sales less prizes won and commissions are the game result.
type weekFigure struct {
	label, page string
	of          func(f *rollup.Figures) money.Amount
	hint        func(v *kit.View, f *rollup.Figures, digits int) string // of today; nil for none
}

func weekFigures() []weekFigure {
	return []weekFigure{
		{"reports.net", "/sales", (*rollup.Figures).NetSales, nil},
		{"reports.won", "/sales", func(f *rollup.Figures) money.Amount { return f.Won }, paidHint},
		{"reports.commissions", "/levels", func(f *rollup.Figures) money.Amount { return f.Commission.Total() }, nil},
		{"money.game_result", "/waterfall", (*rollup.Figures).GameResult, nil},
	}
}

// paidHint names the paid prizes, next to the prizes won.
func paidHint(v *kit.View, f *rollup.Figures, digits int) string {
	return v.T("reports.paid.of", v.Money(f.Paid, digits))
}

// Tiles are the figures of today. The first figure has its change, and the line of the week on the line of the week before.
func (w *week) Tiles(v *kit.View) []*kit.Stat {
	today, digits := &w.days[daysOfWeek+w.past], w.Currency.Digits
	var tiles []*kit.Stat
	for _, f := range weekFigures() {
		tile := v.Stat(f.of(today), digits, v.T(f.label)).WithUnit(w.Currency.Unit()).To(w.link(f.page, w.of.today, w.of.today))
		if f.hint != nil {
			tile.Hint = f.hint(v, today, digits)
		}
		tiles = append(tiles, tile)
	}
	if w.byNow != 0 {
		tiles[0].Change = v.Change(today.NetSales(), w.byNow, v.T("start.lastweek", v.T("weekday."+w.of.today.Weekday().String())))
	}
	if w.past > 1 { // a line has two days
		tiles[0].Spark = w.spark(v)
	}
	return tiles
}

// sales returns the net sales of the days of this week until today, and of all days of the week before.
func (w *week) sales() (now, before []money.Amount) {
	all := kit.Map(w.days[:daysOfWeek+w.past+1], (*rollup.Figures).NetSales)
	return all[daysOfWeek:], all[:daysOfWeek]
}

func (w *week) spark(v *kit.View) *kit.Spark {
	now, before := w.sales()
	now = now[:w.past] // without today
	steps := make([]string, daysOfWeek)
	for i := range steps {
		steps[i] = v.T("weekday." + w.first.AddDays(i).Weekday().String())
	}
	return v.SparkAgainst(v.T("org.money.thisweek"), steps, now, v.T("org.money.lastweek"), before, w.Currency.Digits)
}

func sum(amounts []money.Amount) (total money.Amount) {
	for _, a := range amounts {
		total += a
	}
	return total
}

// Links lead to the sales of both weeks by day, each with its sum.
func (w *week) Links(v *kit.View) []kit.MenuLink {
	this := w.first.AddDays(daysOfWeek)
	now, before := w.sales()
	return []kit.MenuLink{
		{Title: v.T("org.money.thisweek") + ": " + currency.Text(v, sum(now), w.Currency), Path: w.link("/sales", this, w.of.today)},
		{Title: v.T("org.money.lastweek") + ": " + currency.Text(v, sum(before), w.Currency), Path: w.link("/sales", w.first, this.AddDays(-1))},
	}
}

// link returns the address of a report of the entity over days.
func (w *week) link(report string, from, to businessday.Day) string {
	return w.of.link(links.Reports+report, "from", from.String(), "to", to.String(), "currency", w.Currency.Code)
}

// maxSettlements bounds the settlements of one week that the page of an entity shows: one in each currency.
const maxSettlements = 5

// loadSettlements adds the newest weekly settlement in each currency. The operator has none.
func (p *pages) loadSettlements(r *kit.Request, m *entityMoney) error {
	if m.entity.Type == models.EntityOperator {
		return nil
	}
	if err := p.addRunning(r, m); err != nil {
		return err
	}
	list, _, err := p.Weekly.List(r.Context(), r.Caller, &weekly.Filter{EntityID: m.entity.ID, Limit: maxSettlements})
	if err != nil {
		return err
	}
	m.Settles = len(list) > 0
	for i := range list {
		if s := &list[i]; s.Week == list[0].Week {
			m.Facts = append(m.Facts, kit.Fact{Name: m.view.T("org.money.settlement"), Value: settlementCell(m.view, s)})
		}
	}
	return nil
}

// addRunning adds the running week in the chosen currency, so far.
func (p *pages) addRunning(r *kit.Request, m *entityMoney) error {
	chosen, choices, err := currency.Choose(r, p.Ledger)
	if err != nil || choices == nil {
		return err
	}
	running, err := p.Weekly.Running(r.Context(), r.Caller, chosen.Code, m.entity.ID)
	if err != nil || running == nil || running.Own == nil {
		return err
	}
	cell := settlementCell(m.view, running.Own)
	query := url.Values{"week": {running.Week.String()}, currency.Param: {chosen.Code}, "below": {"all"}}
	m.Facts = append(m.Facts, kit.Fact{Name: m.view.T("org.money.running"), Value: cell.To(links.Weekly + "?" + query.Encode())})
	return nil
}

// settlementCell says the amount that is left to pay.
func settlementCell(v *kit.View, s *weekly.Settlement) kit.Cell {
	text := v.T("org.money.week", v.Day(s.Week), owed(v, s.Outstanding(), s.Currency), v.T("state.settlement."+s.Status))
	return kit.Text(text).To(links.Weekly + "/" + s.ID.String())
}
