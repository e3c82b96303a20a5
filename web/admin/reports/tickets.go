package reports

import (
	"slices"
	"time"

	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/web/admin/links"
	"banca/web/admin/parts/percent"
	"banca/web/kit"
)

// linkTo returns the address of a ticket, or "" if the caller may not open it.
func linkTo(r *kit.Request, id string) string {
	if !r.MayOpen(links.Tickets + "/" + id) {
		return ""
	}
	return links.Tickets + "/" + id
}

// ticketRow is a ticket of a draw, with the report that it is a row of.
type ticketRow struct {
	reports.Ticket

	report *reports.DrawTickets
	link   string
}

type ticketsPage struct {
	base
	*reports.DrawTickets

	Prepare *kit.Prepared // of a long list
}

func (p *pages) drawTickets(r *kit.Request, limit, offset int) (*reports.DrawTickets, error) {
	q, err := p.ask(r)
	if err != nil {
		return nil, err
	}
	return p.Reports.DrawTickets(r.Context(), r.Caller, &q.Filter, r.QueryID("draw"), limit, offset)
}

func (p *pages) ticketRows(r *kit.Request, w kit.Window) ([]ticketRow, int64, error) {
	report, err := p.drawTickets(r, w.Limit, w.Offset)
	if err != nil {
		return nil, 0, err
	}
	return kit.Map(report.Rows, func(t *reports.Ticket) ticketRow {
		return ticketRow{Ticket: *t, report: report, link: linkTo(r, t.ID.String())}
	}), report.Tickets, nil
}

func (p *pages) ticketFilter(r *kit.Request) (*kit.Filter, error) {
	q, err := p.ask(r)
	if err != nil {
		return nil, err
	}
	f, err := p.form(r, q, false, "draw", "game", "category")
	if err == nil {
		f.Clear = ticketsPath + "?draw=" + r.QueryID("draw").String()
	}
	return f, err
}

func (p *pages) ticketsPage(r *kit.Request, rows []ticketRow) (*ticketsPage, error) {
	q, err := p.ask(r)
	if err != nil {
		return nil, err
	}
	var report *reports.DrawTickets
	if len(rows) > 0 {
		report = rows[0].report
	} else if report, err = p.drawTickets(r, 0, 0); err != nil {
		return nil, err
	}
	page := &ticketsPage{DrawTickets: report}
	page.base = base{Head: report.Head, Crumbs: q.above(salesPath, true, "game", "", "by", "", "draw", "")}
	page.Prepare = prepared(r, "tickets", &page.base, kit.Parameter{Name: "draw", Value: report.Draw.ID.String()})
	page.Crumbs = append(page.Crumbs, kit.MenuLink{Title: report.Game, Path: q.link(salesPath, "game", report.Draw.GameID.String(), "by", "", "draw", "")})
	return page, nil
}

// Heading names the draw.
func (p *ticketsPage) Heading(v *kit.View) string {
	return v.T("reports.tickets.of", p.Game+" "+v.Clock(p.Draw.Time), p.Entity.Name)
}

// ShareHint is the participation in the tickets, with what the rounding of each of them leaves of it.
func (p *ticketsPage) ShareHint(v *kit.View) string {
	text := v.T("reports.participation.of", v.Money(p.Participation, p.Currency.Digits))
	if p.Rounding != 0 {
		text += ", " + v.T("reports.rounding", v.Money(p.Rounding, p.Currency.Digits))
	}
	return text
}

// columnsOf are the columns of rows: without a participation the column after it would repeat the cash.
func columnsOf(rows []ticketRow) []kit.Column[ticketRow] { return ticketColumns(shared(rows)) }

// shared reports whether a part of the cash is a participation.
func shared(rows []ticketRow) bool {
	return len(rows) > 0 && (rows[0].report.Participation != 0 || slices.ContainsFunc(rows, func(t ticketRow) bool { return t.Participation != 0 }))
}

func ticketColumns(shared bool) []kit.Column[ticketRow] {
	amount := func(title string, of func(t *ticketRow) money.Amount) kit.Column[ticketRow] {
		return kit.AmountColumn(title, func(t *ticketRow) (money.Amount, int) { return of(t), t.report.Currency.Digits }).Summed()
	}
	return []kit.Column[ticketRow]{
		kit.MonoColumn("label.serial", func(t *ticketRow) string { return t.Serial }).
			Below(func(_ *kit.View, t *ticketRow) string { return t.TicketPoint.Name }),
		kit.WrapColumn("label.ticket_point", func(t *ticketRow) string { return t.TicketPoint.Name }).FileOnly(),
		kit.StateColumn("prize", func(t *ticketRow) string { return t.Status }),
		kit.TimeColumn("reports.sold_at", func(t *ticketRow) time.Time { return t.SoldAt }),
		kit.CountColumn("reports.lines", func(t *ticketRow) int64 { return t.Lines }).Summed().FileOnly(),
		amount("reports.sold", func(t *ticketRow) money.Amount { return t.Stake }).FileOnly(),
		stakeColumn(),
		paidColumn(),
		percent.Column("reports.percent", func(t *ticketRow) (part, whole money.Amount) { return t.Paid, t.NetSales() }).FileOnly(),
		amount("reports.won", func(t *ticketRow) money.Amount { return t.Prize }).FileOnly(),
		amount("reports.commissions", func(t *ticketRow) money.Amount { return t.Commission }),
		amount("money.game_result", func(t *ticketRow) money.Amount { return t.GameResult() }).FileOnly(),
		amount("money.cash", func(t *ticketRow) money.Amount { return t.Cash() }),
		amount("reports.participation", func(t *ticketRow) money.Amount { return t.Participation }).FileOnly(),
		afterColumn(shared, func(t *ticketRow) (*reports.Accrued, int) { return &t.Accrued, t.report.Currency.Digits }),
		{Title: "label.currency", Text: func(t *ticketRow) string { return t.report.Currency.Unit() }},
	}
}

// stakeColumn has net sales, in the table with what was taken back below.
func stakeColumn() kit.Column[ticketRow] {
	return kit.AmountColumn("reports.net", func(t *ticketRow) (money.Amount, int) { return t.NetSales(), t.report.Currency.Digits }).Summed().
		WithCell(func(v *kit.View, t *ticketRow) kit.Cell {
			return withUndone(v, t.NetSales(), t.Undone, t.report.Currency.Digits)
		})
}

// paidColumn has the prizes paid, in the table with what was won below if it is another amount.
func paidColumn() kit.Column[ticketRow] {
	column := kit.AmountColumn("reports.prizes", func(t *ticketRow) (money.Amount, int) { return t.Paid, t.report.Currency.Digits }).Summed()
	column.Cell = func(v *kit.View, t *ticketRow) kit.Cell {
		cell := kit.Text(v.Money(t.Paid, t.report.Currency.Digits))
		if t.Prize != t.Paid {
			cell = cell.WithSecondLine(v.T("reports.won.of", v.Money(t.Prize, t.report.Currency.Digits)))
		}
		return cell
	}
	return column
}

// ticketTotals are the sums of all pages. The participation is that of the sum.
func ticketTotals(v *kit.View, rows []ticketRow) []kit.Cell {
	if len(rows) == 0 {
		return nil
	}
	report := rows[0].report
	digits := report.Currency.Digits
	amount := func(a money.Amount) kit.Cell { return kit.Text(v.Money(a, digits)) }
	cells := []kit.Cell{
		kit.Text(v.T("reports.total.all")), kit.None(), kit.None(), amount(report.NetSales()), amount(report.Paid), amount(report.Commission), amount(report.Cash()),
	}
	if shared(rows) {
		cells = append(cells, amount(report.Net))
	}
	return cells
}

// expiredRow is an expired prize, with the report that it is a row of.
type expiredRow struct {
	reports.ExpiredPrize

	report *reports.ExpiredPrizes
	link   string
}

type expiredPage struct {
	base
	*reports.ExpiredPrizes

	Prepare *kit.Prepared // of a long list
}

func (p *pages) expiredRows(r *kit.Request, w kit.Window) ([]expiredRow, int64, error) {
	q, err := p.ask(r)
	if err != nil {
		return nil, 0, err
	}
	report, err := p.Reports.ExpiredPrizes(r.Context(), r.Caller, &q.Filter, w.Limit, w.Offset)
	if err != nil {
		return nil, 0, err
	}
	return kit.Map(report.Rows, func(e *reports.ExpiredPrize) expiredRow {
		return expiredRow{ExpiredPrize: *e, report: report, link: linkTo(r, e.TicketID.String())}
	}), report.Tickets, nil
}

func (p *pages) expiredFilter(r *kit.Request) (*kit.Filter, error) {
	q, err := p.ask(r)
	if err != nil {
		return nil, err
	}
	return p.form(r, q, false)
}

func (p *pages) expiredPage(r *kit.Request, rows []expiredRow) (*expiredPage, error) {
	q, err := p.ask(r)
	if err != nil {
		return nil, err
	}
	var report *reports.ExpiredPrizes
	if len(rows) > 0 {
		report = rows[0].report
	} else if report, err = p.Reports.ExpiredPrizes(r.Context(), r.Caller, &q.Filter, 0, 0); err != nil {
		return nil, err
	}
	page := &expiredPage{ExpiredPrizes: report}
	page.base = base{Head: report.Head, Title: r.T("reports.expired") + " · " + report.Entity.Name, Crumbs: q.above(expiredPath, false)}
	page.Prepare = prepared(r, "expired-prizes", &page.base)
	return page, nil
}

func expiredColumns() []kit.Column[expiredRow] {
	return []kit.Column[expiredRow]{
		kit.MonoColumn("label.serial", func(e *expiredRow) string { return e.Serial }),
		kit.WrapColumn("label.ticket_point", func(e *expiredRow) string { return e.TicketPoint.Name }),
		kit.AmountColumn("label.prize", func(e *expiredRow) (money.Amount, int) { return e.Prize, e.report.Currency.Digits }).Summed(),
		{Title: "label.currency", Text: func(e *expiredRow) string { return e.report.Currency.Unit() }},
		kit.TimeColumn("reports.sold_at", func(e *expiredRow) time.Time { return e.SoldAt }),
		kit.TimeColumn("reports.expired_at", func(e *expiredRow) time.Time { return e.ExpiredAt }),
	}
}

// expiredTotals are the sums of all pages.
func expiredTotals(v *kit.View, rows []expiredRow) []kit.Cell {
	if len(rows) == 0 {
		return nil
	}
	report := rows[0].report
	return []kit.Cell{kit.Text(v.T("reports.total.all")), kit.None(), kit.Text(v.Money(report.Prizes, report.Currency.Digits)), kit.None(), kit.None()}
}
