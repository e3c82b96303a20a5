package start

import (
	"cmp"
	"net/url"
	"time"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/internal/weekly"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// Periods of the page of a partner; the first one is the default.
const (
	periodDay   = "day"
	periodWeek  = "week"
	periodMonth = "month"

	chartDays = 30
	daysHigh  = 220 // pixels of their chart
)

// partnerPage is the result of a partner's part of the organisation over a period.
type partnerPage struct {
	Currencies []kit.Choice
	Periods    []kit.Choice
	Money      *partnerMoney      // nil for users who may not read reports
	Week       *weekly.Settlement // of the running week, so far; nil with nothing to settle, and for users who may not read it
	Unsettled  bool               // the week before is not confirmed
	Draws      *dayDraws
}

// partnerMoney are the figures of the period.
type partnerMoney struct {
	*reports.Sales

	Pace        *reports.Pace // of today; nil for a longer period
	Silent      []rollup.SilentPoint
	SilentTotal int64

	days  []reports.SalesRow // of the thirty days before today
	today businessday.Day
}

func (p *pages) loadPartner(r *kit.Request) (*partnerPage, error) {
	page := &partnerPage{}
	shown, currencies, err := currency.Choose(r, p.Ledger)
	if err != nil {
		return nil, err
	}
	page.Currencies = currencies
	var period string
	period, page.Periods = r.Choose(periodParam, r.Options("partner.", periodDay, periodWeek, periodMonth))
	if r.MayOpen(links.Reports+"/sales") && currencies != nil {
		if page.Money, err = p.partnerMoney(r, shown.Code, period); err != nil {
			return nil, err
		}
	}
	if r.MayOpen(links.Weekly) && currencies != nil {
		if err := p.loadWeek(r, page, shown.Code); err != nil {
			return nil, err
		}
	}
	page.Draws, err = p.drawsIn(r, shown, page.Money != nil, currencies != nil)
	if page.Money != nil && page.Draws != nil {
		page.Draws.standBeside(len(page.Money.Rows))
	}
	return page, err
}

// loadWeek loads the running week, and whether the week before is confirmed.
func (p *pages) loadWeek(r *kit.Request, page *partnerPage, currency string) error {
	running, err := p.Weekly.Running(r.Context(), r.Caller, currency, r.Caller.EntityID)
	if err != nil || running == nil || running.Own == nil {
		return err
	}
	page.Week = running.Own
	before := &weekly.Filter{EntityID: r.Caller.EntityID, Week: running.Week.AddDays(-daysOfWeek), Currency: currency, Status: weekly.Draft, Limit: 1}
	drafts, _, err := p.Weekly.List(r.Context(), r.Caller, before)
	page.Unsettled = len(drafts) > 0
	return err
}

// firstDay returns the first day of a period that ends today; weeks begin on Monday.
func firstDay(today businessday.Day, period string) businessday.Day {
	switch period {
	case periodWeek:
		return today.AddDays(-(int(today.Weekday()+daysOfWeek-time.Monday) % daysOfWeek))
	case periodMonth:
		return today.FirstOfMonth()
	default:
		return today
	}
}

func (p *pages) partnerMoney(r *kit.Request, currency, period string) (*partnerMoney, error) {
	ctx, m := r.Context(), &partnerMoney{today: r.Today()}
	f := &reports.Filter{From: firstDay(m.today, period), To: m.today, Currency: currency}
	var err error
	if m.Sales, err = p.Reports.Sales(ctx, r.Caller, f, reports.GroupEntity); err != nil {
		return nil, err
	}
	if period == periodDay {
		if m.Pace, err = p.Reports.Pace(ctx, r.Caller, f); err != nil {
			return nil, err
		}
	}
	days, err := p.Reports.Sales(ctx, r.Caller, &reports.Filter{From: m.today.AddDays(-chartDays), To: m.today.AddDays(-1), Currency: currency}, reports.GroupDay)
	if err != nil {
		return nil, err
	}
	m.days = days.Rows
	m.Silent, m.SilentTotal, err = p.Reports.Silent(ctx, r.Caller, f, shownRows, 0)
	return m, err
}

// Owes says what the partner and the operator owe each other with the running week.
func (p *partnerPage) Owes(v *kit.View) string {
	left := p.Week.Outstanding()
	key := map[int]string{-1: "partner.owed", 0: "partner.even", 1: "partner.owe"}[cmp.Compare(left, 0)]
	return v.T(key, v.Money(max(left, -left), p.Week.Currency.Digits)+"\u00a0"+p.Week.Currency.Unit())
}

// Sum is the running week as an addition: each amount has its sign as its unit, and sums say who owes them.
func (p *partnerPage) Sum(v *kit.View) (list []*kit.Stat) {
	w := p.Week
	text := func(a money.Amount) string { return v.Money(a, w.Currency.Digits) }
	for _, part := range []struct {
		title  string
		amount money.Amount
		sum    bool // of the amounts before it
	}{
		{"weekly.sales", w.Sales, false}, {"weekly.prizes", -w.Prizes, false}, {"weekly.commissions", -w.Commissions, false},
		{"weekly.participation", -w.Participation, false}, {"weekly.adjustments", w.Adjustments, false}, {"weekly.due", w.BeforePayments(), true},
		{"weekly.previous", w.Outstanding() - w.Due, false}, {"weekly.paid", -w.Payments, false}, {"weekly.left", w.Outstanding(), true},
	} {
		stat := (&kit.Stat{Figure: text(max(part.amount, -part.amount)), Label: v.T(part.title)}).WithUnit("+")
		switch {
		case part.sum:
			stat.Unit, stat.Figure = "=", currency.Owed(v, part.amount, text)
		case part.amount < 0:
			stat.Unit = "−"
		case part.amount == 0 && part.title == "weekly.adjustments":
			continue
		}
		list = append(list, stat)
	}
	return list
}

// WeekLink is the list of the running week.
func (p *partnerPage) WeekLink() string {
	return links.Weekly + "?" + url.Values{"week": {p.Week.Week.String()}, currency.Param: {p.Week.Currency.Code}}.Encode()
}

// Tiles are the figures of the period: the sales less the prizes and the commissions of all levels are the result.
func (p *partnerPage) Tiles(v *kit.View) []*kit.Stat {
	m := p.Money
	unit, digits, f := m.Currency.Unit(), m.Currency.Digits, &m.Total
	amount := func(a money.Amount, label, link string) *kit.Stat {
		return v.Stat(a, digits, v.T(label)).WithUnit(unit).To(link + m.query())
	}
	sales := f.NetSales()
	sold := amount(sales, "start.sold", links.Reports+"/sales")
	if m.Pace != nil {
		sold.Change = sinceLastWeek(v, sales, m.Pace, m.today)
	}
	won := amount(f.Won, "start.prizes", links.Reports+"/sales").WithHint(share(v, f.Won, sales))
	if f.Paid != f.Won {
		won.AndHint(v.T("reports.paid.of", v.Figure(f.Paid, digits)))
	}
	all, own := f.Commission.Total(), f.Commission.Of(m.Entity.Type)+f.Commission.Below(m.Entity.Type) // the own ones as the running week has them
	fees := amount(all, "weekly.commissions", links.Reports+"/levels").WithHint(share(v, all, sales))
	if all != own {
		fees.AndHint(v.T("partner.own", v.Figure(own, digits)))
	}
	part := amount(m.Participation, "partner.share", links.Reports+"/waterfall").WithHint(v.T("partner.share.hint"))
	return kit.Evenly(sold, won, fees, gameResult(v, amount, f, digits), part)
}

func (m *partnerMoney) query() string { return reportQuery(m.From, m.To, m.Currency.Code) }

// Days is the chart of the thirty days before today, which is not whole: sales and result.
func (m *partnerMoney) Days(v *kit.View) *kit.StepBars {
	l := &kit.StepBars{Caption: v.T("partner.days"), Digits: m.Currency.Digits, Height: daysHigh, Apart: true}
	sold, result := make([]money.Amount, chartDays), make([]money.Amount, chartDays)
	l.Days(v, m.today.AddDays(-chartDays), m.today.AddDays(-1))
	for i := range m.days {
		row := &m.days[i]
		at := chartDays - row.Day.DaysUntil(m.today)
		sold[at], result[at] = row.NetSales(), row.GameResult()
	}
	l.Series = []kit.StepSeries{{Title: v.T("start.sold"), Hue: kit.HueSales, Values: sold}, {Title: v.T("money.game_result"), Hue: kit.HueResult, Values: result}}
	return l.Draw()
}

// Branches is the table of the entities below, by sales.
func (m *partnerMoney) Branches() kit.Rows {
	link := func(row *reports.SalesRow) string {
		return links.Reports + "/sales" + m.query() + "&entity=" + row.Code
	}
	return kit.RowsOf(salesColumns("label.entity", m.Currency.Digits), m.Rows, link, "start.nothing.sold")
}

// SilentPoints is the table of ticket points that usually sell and have sold nothing today.
func (m *partnerMoney) SilentPoints() kit.Rows {
	digits := m.Currency.Digits
	return kit.RowsOf([]kit.Column[rollup.SilentPoint]{
		kit.TextColumn("label.ticket_point", func(s *rollup.SilentPoint) string { return s.Name }),
		kit.AmountColumn("silent.usual", func(s *rollup.SilentPoint) (money.Amount, int) { return s.Usual, digits }),
	}, m.Silent, func(s *rollup.SilentPoint) string { return links.Organisation + "/" + s.EntityID.String() }, "")
}
