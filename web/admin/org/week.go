package org

import (
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
		for j := range report.Rows {
			w.days[first.DaysUntil(report.Rows[j].Day)] = report.Rows[j].Figures
		}
		list = append(list, w)
	}
	return list, nil
}

// Title names the day, and the currency if the page shows several.
func (w *week) Title(v *kit.View) string {
	text := v.T("org.money.today", v.Day(w.of.today), v.AsOf(w.asOf))
	if len(w.of.Weeks) > 1 {
		text = w.Currency.Name + " · " + text
	}
	return text
}

// weekFigure is a figure of a week, with the report that explains it. Net sales less prizes won and commissions are the game result.
type weekFigure struct {
	label, page string
	of          func(f *rollup.Figures) money.Amount
	tone        func(c *kit.Change)
	hint        func(v *kit.View, f *rollup.Figures, digits int) string // of today; nil for none
}

func weekFigures() []weekFigure {
	return []weekFigure{
		{"reports.net", "/sales", (*rollup.Figures).NetSales, func(*kit.Change) {}, nil},
		{"reports.won", "/sales", func(f *rollup.Figures) money.Amount { return f.Won }, func(c *kit.Change) { c.InvertTones() }, paidHint},
		{"reports.commissions", "/levels", func(f *rollup.Figures) money.Amount { return f.Commission.Total() }, func(c *kit.Change) { c.Tone = kit.ToneOff }, nil},
		{"money.game_result", "/waterfall", (*rollup.Figures).GameResult, func(*kit.Change) {}, nil},
	}
}

// paidHint names the paid prizes, next to the prizes won.
func paidHint(v *kit.View, f *rollup.Figures, digits int) string {
	return v.T("reports.paid.of", v.Money(f.Paid, digits))
}

// Tiles are the figures of today, each with its line of the week on that of the week before.
func (w *week) Tiles(v *kit.View) []*kit.Stat {
	var tiles []*kit.Stat
	for _, f := range weekFigures() {
		now, before := w.amounts(f.of)
		digits := w.Currency.Digits
		tile := v.Stat(now[w.past], digits, v.T(f.label)).WithUnit(w.Currency.Unit()).To(w.link(f.page, w.of.today, w.of.today)).
			WithSpark(w.spark(v, now, before))
		if f.hint != nil {
			tile.Hint = f.hint(v, &w.days[daysOfWeek+w.past], digits)
		}
		if tile.Change = w.change(v, sum(now[:w.past]), sum(before[:w.past])); tile.Change != nil {
			f.tone(tile.Change)
		}
		tiles = append(tiles, tile)
	}
	return tiles
}

// change compares the whole days of this week with the same days of the week before; nil if one of them has nothing. Today is not over, so
// it is not compared.
func (w *week) change(v *kit.View, now, before money.Amount) *kit.Change {
	if now == 0 || before == 0 {
		return nil
	}
	return v.Change(now, before, v.T("org.money.change"))
}

// amounts returns a figure of the days of this week until today, and of all days of the week before.
func (w *week) amounts(of func(f *rollup.Figures) money.Amount) (now, before []money.Amount) {
	for i := range w.days[:daysOfWeek+w.past+1] {
		if i < daysOfWeek {
			before = append(before, of(&w.days[i]))
		} else {
			now = append(now, of(&w.days[i]))
		}
	}
	return now, before
}

func (w *week) spark(v *kit.View, now, before []money.Amount) *kit.Spark {
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

// Links lead to the sales of both weeks by day.
func (w *week) Links(v *kit.View) []kit.MenuLink {
	this := w.first.AddDays(daysOfWeek)
	return []kit.MenuLink{
		{Title: v.T("org.money.thisweek"), Path: w.link("/sales", this, w.of.today)},
		{Title: v.T("org.money.lastweek"), Path: w.link("/sales", w.first, this.AddDays(-1))},
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
	list, _, err := p.Weekly.List(r.Context(), r.Caller, &weekly.Filter{EntityID: m.entity.ID, Limit: maxSettlements})
	if err != nil {
		return err
	}
	for i := range list {
		if s := &list[i]; s.Week == list[0].Week {
			m.Facts = append(m.Facts, kit.Fact{Name: m.view.T("org.money.settlement"), Value: settlementCell(m.view, s)})
		}
	}
	return nil
}

// settlementCell says the amount that is left to pay.
func settlementCell(v *kit.View, s *weekly.Settlement) kit.Cell {
	left := s.Outstanding()
	text := "org.money.settlement.owes"
	if left < 0 {
		text = "org.money.settlement.owed"
	}
	amount := currency.Text(v, max(left, -left), s.Currency)
	return kit.Text(v.T(text, v.Day(s.Week), amount, v.T("state.settlement."+s.Status))).To(links.Weekly + "/" + s.ID.String())
}
