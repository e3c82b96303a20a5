package start

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/prizes"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

const (
	daysOfWeek  = 7
	periodParam = "period"
	byParam     = "by"
	shownRows   = 5   // of a list
	hoursHigh   = 152 // pixels of the chart of the hours, at least
	besideHigh  = 120 // pixels of the chart beside shownRows closings of one line each
	lineHigh    = 18  // pixels of a second line
)

// dayMoney are the figures of today and of the days before in a currency.
type dayMoney struct {
	Currency ledger.Currency
	AsOf     time.Time
	Total    rollup.Figures
	Pace     *reports.Pace
	Split    []kit.Choice       // how the rows of the sales are grouped
	Rows     []reports.SalesRow // of the entities below, or of the games
	Due      prizes.Sum         // to be paid

	by      string                       // the chosen group
	wallets map[uuid.UUID]*ledger.Wallet // of the shown entities; nil for games, and for users who may not read them

	today businessday.Day
	lines int // closings of two lines in the table beside the chart of the hours
}

func (p *pages) moneyIn(r *kit.Request, currency string) (*dayMoney, error) {
	m := &dayMoney{today: r.Today()}
	m.by, m.Split = r.Choose(byParam, r.Options("start.by.", reports.GroupEntity, reports.GroupGame))
	var due []prizes.Sum
	var parts kit.Parts
	parts.Go(func() error { return p.salesIn(r, m, currency) })
	if r.MayOpen(links.Prizes) {
		parts.Go(func() (err error) {
			due, err = p.Prizes.Summary(r.Context(), r.Caller, &prizes.Filter{State: models.TicketWon})
			return err
		})
	}
	if err := parts.Wait(); err != nil {
		return nil, err
	}
	for i := range due {
		if due[i].Currency.ID == m.Currency.ID {
			m.Due = due[i]
		}
	}
	if m.by == reports.GroupEntity && r.MayOpen(links.Wallets) {
		return m, p.walletsOf(r, m)
	}
	return m, nil
}

// salesIn reads the sales of today.
func (p *pages) salesIn(r *kit.Request, m *dayMoney, currency string) error {
	ctx, f := r.Context(), &reports.Filter{From: m.today, To: m.today, Currency: currency}
	sold, err := p.Reports.Sales(ctx, r.Caller, f, m.by)
	if err != nil {
		return err
	}
	m.Currency, m.AsOf, m.Total, m.Rows = sold.Currency, sold.AsOf, sold.Total, sold.Rows[:min(len(sold.Rows), shownRows)]
	m.Pace, err = p.Reports.Pace(ctx, r.Caller, f)
	return err
}

// walletsOf reads the main wallets of the shown entities.
func (p *pages) walletsOf(r *kit.Request, m *dayMoney) error {
	if len(m.Rows) == 0 {
		return nil
	}
	ids := kit.Map(m.Rows, func(row *reports.SalesRow) uuid.UUID { return row.ID })
	list, _, err := p.Ledger.Wallets(r.Context(), r.Caller, &ledger.WalletFilter{Entities: ids, Currency: m.Currency.Code, Kind: models.WalletMain, Limit: len(ids)})
	m.wallets = make(map[uuid.UUID]*ledger.Wallet, len(list))
	for i := range list {
		m.wallets[list[i].EntityID] = &list[i]
	}
	return err
}

// credited is the wallet of an entity with a credit; nil for none.
func (m *dayMoney) credited(row *reports.SalesRow) *ledger.Wallet {
	if w := m.wallets[row.ID]; w != nil && !w.Unlimited && w.CreditLimit > 0 {
		return w
	}
	return nil
}

// credit is the used part of the credit of an entity.
func (m *dayMoney) credit(v *kit.View, row *reports.SalesRow) kit.Cell {
	w := m.credited(row)
	if w == nil {
		return kit.Text("")
	}
	return v.MeterCell(v.CreditMeter(w.Balance, w.CreditLimit))
}

// Tiles are the six figures of the day, each with a link to what is behind it.
func (m *dayMoney) Tiles(v *kit.View) []*kit.Stat {
	digits, sales, f := m.Currency.Digits, m.Total.NetSales(), &m.Total
	amount := func(a money.Amount, label, link string) *kit.Stat {
		return v.Stat(a, digits, v.T(label)).WithUnit(m.Currency.Unit()).To(link + m.query())
	}
	sold := amount(sales, "start.sold", links.Reports+"/sales")
	sold.Change = sinceLastWeek(v, sales, m.Pace, m.today)
	won := amount(f.Won, "start.prizes", links.Reports+"/sales").WithHint(share(v, f.Won, sales))
	fees := amount(f.Commission.Total(), "start.commissions", links.Reports+"/levels").WithHint(share(v, f.Commission.Total(), sales))
	due := amount(m.Due.Won, "start.due", links.Prizes)
	due.Link = links.Prizes + "?status=" + models.TicketWon
	due.Hint = v.N("start.due.tickets", m.Due.WonTickets)
	void := amount(f.Voided+f.Refunded, "start.voided", links.Reports+"/sales")
	void.Hint = v.N("start.voided.tickets", f.VoidedTickets)
	return kit.Evenly(sold, won, fees, gameResult(v, amount, f, digits), due, void)
}

// sinceLastWeek compares the sales of today with those of the same weekday of last week by this time.
func sinceLastWeek(v *kit.View, sales money.Amount, pace *reports.Pace, today businessday.Day) *kit.Change {
	weekday := v.T("weekday." + today.Weekday().String())
	change := v.Change(sales, pace.ByNow(), v.T("start.lastweek", weekday))
	change.Title = v.T("start.lastweek.title", weekday)
	return change
}

// gameResult is the game result, with the cash below.
func gameResult(v *kit.View, amount func(money.Amount, string, string) *kit.Stat, f *rollup.Figures, digits int) *kit.Stat {
	stat := amount(f.GameResult(), "money.game_result", links.Reports+"/waterfall")
	stat.Hint = v.T("money.cash.of", v.Figure(f.Cash(), digits))
	return stat
}

// query returns the parameters of a report about today in the currency.
func (m *dayMoney) query() string { return reportQuery(m.today, m.today, m.Currency.Code) }

// reportQuery returns the parameters of a report.
func reportQuery(from, to businessday.Day, code string) string {
	return "?" + url.Values{"from": {from.String()}, "to": {to.String()}, currency.Param: {code}}.Encode()
}

// share returns a text with a part of a whole in percent; "" without a whole.
func share(v *kit.View, part, whole money.Amount) string {
	text := v.ShareOf(part, whole)
	if text == "" {
		return ""
	}
	return v.T("start.of.sales", text)
}

// Report is the address of the report with all rows.
func (m *dayMoney) Report() string { return links.Reports + "/sales" + m.query() + "&by=" + m.by }

// Table is the table of the entities below, or of the games, by sales.
func (m *dayMoney) Table() kit.Rows {
	title, report := "label."+m.by, links.Reports+"/sales"+m.query()
	link := func(row *reports.SalesRow) string {
		if m.by == reports.GroupGame {
			return report + "&game=" + row.ID.String()
		}
		return report + "&entity=" + url.QueryEscape(row.Code)
	}
	columns := salesColumns(title, m.Currency.Digits)
	if slices.ContainsFunc(m.Rows, func(row reports.SalesRow) bool { return m.credited(&row) != nil }) {
		columns = append(columns, kit.Column[reports.SalesRow]{Title: "wallet.used", Cell: m.credit})
	}
	return kit.RowsOf(columns, m.Rows, link, "start.nothing.sold")
}

// salesColumns are the columns of rows of sales.
func salesColumns(title string, digits int) []kit.Column[reports.SalesRow] {
	amount := kit.AmountsOf(func(*reports.SalesRow) int { return digits })
	return []kit.Column[reports.SalesRow]{
		kit.TextColumn(title, func(row *reports.SalesRow) string { return row.Name }),
		amount("start.sold", func(row *reports.SalesRow) money.Amount { return row.NetSales() }),
		amount("start.prizes", func(row *reports.SalesRow) money.Amount { return row.Won }),
		amount("money.game_result", func(row *reports.SalesRow) money.Amount { return row.GameResult() }),
	}
}

// Hours of a day on the chart, unless there are sales before the first one.
const (
	firstHour = 7
	lastHour  = 23
	noon      = 12
)

// Hours is the chart of sales by hour, today and on the same weekday of last week.
func (m *dayMoney) Hours(v *kit.View) *kit.StepBars {
	first := firstHour
	for _, list := range [][]rollup.Hour{m.Pace.Today, m.Pace.Before} {
		if len(list) > 0 {
			first = min(first, list[0].Hour)
		}
	}
	l := &kit.StepBars{Caption: v.T("start.hours"), Digits: m.Currency.Digits, Growing: true, Height: max(hoursHigh, besideHigh+lineHigh*m.lines)}
	for hour := first; hour <= lastHour; hour++ {
		l.Steps = append(l.Steps, hourText(hour))
	}
	weekday := v.T("weekday." + m.today.Weekday().String())
	l.Series = []kit.StepSeries{
		{Title: v.T("nav.today"), Hue: kit.HueSales, Values: hourly(m.Pace.Today, first, m.Pace.Hour())},
		{Title: v.T("start.hours.before", weekday), Hue: kit.HuePast, Values: hourly(m.Pace.Before, first, lastHour)},
	}
	return l.Draw()
}

// hourly returns the sales of the hours from first to last.
func hourly(list []rollup.Hour, first, last int) []money.Amount {
	values := make([]money.Amount, max(0, last-first+1))
	for i := range list {
		if at := list[i].Hour - first; at >= 0 && at < len(values) {
			values[at] = list[i].Sold
		}
	}
	return values
}

// hourText formats an hour of a day as receipts have it: 8 pm.
func hourText(hour int) string {
	half := "am"
	if hour >= noon {
		half = "pm"
	}
	return fmt.Sprintf("%d %s", (hour+noon-1)%noon+1, half)
}
