package reports

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

const (
	maxBars   = 12  // of a chart of shares; the table has all rows
	maxGames  = 20  // of a chart of games
	bandsHigh = 280 // pixels of two bands
)

// salesPage is the report of sales, grouped in one way.
type salesPage struct {
	base

	Asked   bool // false if the question has an error
	Total   rollup.Figures
	Accrued reports.Accrued // of the total
	Rows    kit.Rows
	Tabs    []kit.Choice

	group string
	list  []reports.SalesRow
	days  []reports.SalesRow // of a period of several days; none if the rows are games
}

func (p *pages) sales(r *kit.Request) error {
	q, err := p.ask(r)
	form, formErr := p.form(r, q, true, "by", "sort")
	if formErr != nil {
		return formErr
	}
	r.ShowFilter(form)
	if err != nil {
		return present(r, "sales", &salesPage{}, err)
	}
	page, err := p.loadSales(r, q)
	if err == nil && r.WantsFile() {
		r.TitleFile(page.Title)
		return kit.SendFile(r, "sales-"+page.group, page.columns(r), kit.OnePage(page.list))
	}
	return present(r, "sales", page, err)
}

// groupOf returns how the rows are grouped: as the address says, or by what is one level below.
func groupOf(r *kit.Request, q *question) string {
	leaf, game := q.entity.Self().Type == models.EntityTicketPoint, q.GameID != uuid.Nil
	switch by := r.Query("by"); {
	case by == reports.GroupDay, by == reports.GroupMeans && !ofGames(q), by == reports.GroupEntity && !leaf, by == reports.GroupGame && !game, by == reports.GroupDraw && game:
		return by
	case game:
		return reports.GroupDraw
	case leaf:
		return reports.GroupGame
	default:
		return reports.GroupEntity
	}
}

// ofGames reports whether the question is about some games, to which no payment belongs.
func ofGames(q *question) bool { return q.GameID != uuid.Nil || q.CategoryID != uuid.Nil }

func (p *pages) loadSales(r *kit.Request, q *question) (*salesPage, error) {
	page := &salesPage{Asked: true, group: groupOf(r, q)}
	report, err := p.Reports.Sales(r.Context(), r.Caller, &q.Filter, page.group)
	if err != nil {
		return nil, err
	}
	page.Head, page.Total, page.Accrued, page.list = report.Head, report.Total, report.Accrued, report.Rows
	page.Title, page.Crumbs = r.View().T("reports.sales.title", strings.ToLower(r.T("reports.by."+page.group)))+" · "+report.Entity.Name, q.above(salesPath, false)
	if q.GameID != uuid.Nil {
		game, err := p.Catalog.Game(r.Context(), q.GameID)
		if err != nil {
			return nil, err
		}
		page.Title, page.Crumbs = page.Title+" · "+game.Name, q.above(salesPath, true, "game", "", "by", "")
	}
	if q.From != q.To && !r.WantsFile() && page.group != reports.GroupGame {
		days := report
		if page.group != reports.GroupDay {
			if days, err = p.Reports.Sales(r.Context(), r.Caller, &q.Filter, reports.GroupDay); err != nil {
				return nil, err
			}
		}
		page.days = days.Rows
	}
	page.Tabs = groupings(r, q, page.group)
	columns, rows := kit.SortRows(r, page.columns(r), page.list)
	page.Rows = kit.RowsOf(columns, rows, page.linkOf(q), "reports.none")
	if len(page.list) > 0 {
		page.Rows = page.Rows.Sum(page.totals)
		r.OfferFile()
	}
	return page, nil
}

// groupings are the other ways to group the rows.
func groupings(r *kit.Request, q *question, group string) []kit.Choice {
	var list []kit.Choice
	for _, by := range []string{reports.GroupEntity, reports.GroupGame, reports.GroupDraw, reports.GroupDay, reports.GroupMeans} {
		leaf, game := q.entity.Self().Type == models.EntityTicketPoint, q.GameID != uuid.Nil
		if by == reports.GroupEntity && leaf || by == reports.GroupGame && game || by == reports.GroupDraw && !game || by == reports.GroupMeans && ofGames(q) {
			continue
		}
		list = append(list, kit.Choice{Text: r.T("reports.by." + by), Link: q.link(salesPath, "by", by), Current: by == group})
	}
	return list
}

// linkOf returns the address of the report behind a row, one level below.
func (p *salesPage) linkOf(q *question) func(*reports.SalesRow) string {
	return func(row *reports.SalesRow) string {
		switch p.group {
		case reports.GroupEntity:
			return q.link(salesPath, "entity", row.Code, "by", "")
		case reports.GroupGame:
			return q.link(salesPath, "game", row.ID.String(), "by", "")
		case reports.GroupDraw:
			return q.link(ticketsPath, "draw", row.ID.String())
		case reports.GroupMeans:
			return ""
		default:
			return q.link(salesPath, "from", row.Day.String(), "to", row.Day.String(), "by", "")
		}
	}
}

// name is what a row is called.
func (p *salesPage) name(v *kit.View, row *reports.SalesRow) string {
	switch p.group {
	case reports.GroupDay:
		return v.Weekday(row.Day) + " " + v.ShortDay(row.Day) // of one or two years, in their order
	case reports.GroupDraw:
		return v.Clock(row.DrawTime)
	case reports.GroupMeans:
		return v.T("closes.means."+row.Means) + " " + row.Currency.Unit()
	default:
		return row.Name
	}
}

// Chart returns the net sales and the result by game if the rows are games, otherwise by day; the result shows what has a loss. One day has none.
func (p *salesPage) Chart(v *kit.View) *kit.StepBars {
	if p.Head.From == p.Head.To {
		return nil
	}
	net, result := kit.StepSeries{Title: v.T("reports.net"), Hue: kit.HueSales}, kit.StepSeries{Title: v.T("money.game_result"), Hue: kit.HueResult}
	chart := &kit.StepBars{Caption: v.T("reports.sales.days", p.Unit()), Digits: p.Head.Currency.Digits, Height: bandsHigh, Apart: true}
	if p.group == reports.GroupGame {
		chart.Caption = v.T("reports.sales.games", p.Unit())
		for _, row := range p.greatest(maxGames) {
			chart.Steps, net.Values, result.Values = append(chart.Steps, row.Name), append(net.Values, row.NetSales()), append(result.Values, row.GameResult())
		}
		chart.Series = []kit.StepSeries{net, result}
		return chart.DrawRows()
	}
	count := chart.Days(v, p.Head.From, p.Head.To)
	net.Values, result.Values = make([]money.Amount, count), make([]money.Amount, count)
	for i := range p.days {
		at := p.Head.From.DaysUntil(p.days[i].Day)
		net.Values[at], result.Values[at] = p.days[i].NetSales(), p.days[i].GameResult()
	}
	chart.Series = []kit.StepSeries{net, result}
	return chart.Draw()
}

// greatest returns the rows with the highest net sales, in their order.
func (p *salesPage) greatest(most int) []reports.SalesRow {
	rows := slices.Clone(p.list)
	slices.SortStableFunc(rows, func(a, b reports.SalesRow) int { return cmp.Compare(b.NetSales(), a.NetSales()) })
	return rows[:min(most, len(rows))]
}

// Shares returns what became of the net sales of the rows with the highest ones. Payments have no prizes.
func (p *salesPage) Shares(v *kit.View) *kit.Stack {
	chart := &kit.Stack{Caption: v.T("reports.sales.shares", p.Unit()), Whole: v.T("reports.net"), Digits: p.Head.Currency.Digits, Series: []kit.StackSeries{
		{Title: v.T("reports.won"), Hue: kit.HuePrizes}, {Title: v.T("reports.commissions"), Hue: kit.HueFees}, {Title: v.T("money.game_result"), Hue: kit.HueResult},
	}}
	shown := p.greatest(maxBars)
	for i := range shown {
		if f := &shown[i].Figures; f.NetSales() > 0 && p.group != reports.GroupMeans {
			amounts := []money.Amount{f.Won, f.Commission.Total(), f.GameResult()}
			chart.Rows = append(chart.Rows, kit.StackRow{Name: p.name(v, &shown[i]), Whole: f.NetSales(), Amounts: amounts})
		}
	}
	return chart.Draw()
}

// PrizesHint is the share of prizes in net sales.
func (p *salesPage) PrizesHint(v *kit.View) string {
	if text := v.ShareOf(p.Total.Won, p.Total.NetSales()); text != "" {
		return v.T("reports.prizes.hint", text)
	}
	return ""
}

// CashHint says which prizes the cash has.
func (p *salesPage) CashHint(v *kit.View) string {
	f, digits := &p.Total, p.Head.Currency.Digits
	return v.T("money.cash.why", v.Money(f.Paid, digits)) + currency.Unpaid(v, f.Uncollected(), digits)
}

// silentRow is a ticket point that usually sells and has sold nothing today.
type silentRow struct {
	rollup.SilentPoint

	currency ledger.Currency
}

func (p *pages) silentRows(r *kit.Request, w kit.Window) ([]silentRow, int64, error) {
	q, err := p.ask(r)
	if err != nil {
		return nil, 0, err
	}
	currency, err := p.Ledger.AnyCurrency(r.Context(), q.Currency)
	if err != nil {
		return nil, 0, err
	}
	list, total, err := p.Reports.Silent(r.Context(), r.Caller, &q.Filter, w.Limit, w.Offset)
	return kit.Map(list, func(s *rollup.SilentPoint) silentRow { return silentRow{*s, currency} }), total, err
}

func (p *pages) silentFilter(r *kit.Request) (*kit.Filter, error) {
	field, err := currency.Field(r, p.Ledger)
	return &kit.Filter{Fields: []kit.FilterField{kit.EntityField("entity", "label.entity"), field}}, err
}

func silentColumns() []kit.Column[silentRow] {
	return []kit.Column[silentRow]{
		kit.WrapColumn("label.ticket_point", func(row *silentRow) string { return row.Name }),
		kit.AmountColumn("silent.usual", func(row *silentRow) (money.Amount, int) { return row.Usual, row.currency.Digits }),
	}
}
