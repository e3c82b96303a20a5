package reports

import (
	"slices"

	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/web/admin/parts/percent"
	"banca/web/kit"
)

// counted reports whether the rows have numbers of tickets, which belong to no game.
func (p *salesPage) counted() bool {
	return p.group == reports.GroupEntity || p.group == reports.GroupDay
}

func (p *salesPage) columns(r *kit.Request) []kit.Column[reports.SalesRow] {
	digits := p.Head.Currency.Digits
	amount := func(title string, of func(f *rollup.Figures) money.Amount) kit.Column[reports.SalesRow] {
		return kit.AmountColumn(title, func(row *reports.SalesRow) (money.Amount, int) { return of(&row.Figures), digits }).Summed()
	}
	columns := p.nameColumns(r)
	if p.group == reports.GroupMeans {
		return append(columns, p.meansColumns()...)
	}
	if p.counted() {
		columns = append(columns, kit.CountColumn("reports.tickets", func(row *reports.SalesRow) int64 { return row.Tickets }).Summed())
	}
	columns = append(columns,
		amount("reports.sold", func(f *rollup.Figures) money.Amount { return f.Sold }).FileOnly(),
		amount("reports.voided", func(f *rollup.Figures) money.Amount { return f.Voided }).FileOnly(),
		amount("reports.refunded", func(f *rollup.Figures) money.Amount { return f.Refunded }).FileOnly(),
		p.netColumn(),
		p.prizesColumn(),
		amount("reports.prizes", func(f *rollup.Figures) money.Amount { return f.Paid }).FileOnly(),
		percent.Column("reports.percent", func(row *reports.SalesRow) (part, whole money.Amount) { return row.Paid, row.NetSales() }).FileOnly(),
		amount("reports.commissions", func(f *rollup.Figures) money.Amount { return f.Commission.Total() }),
		amount("money.game_result", (*rollup.Figures).GameResult),
		amount("money.cash", (*rollup.Figures).Cash),
		kit.AmountColumn("reports.participation", func(row *reports.SalesRow) (money.Amount, int) { return row.Participation, digits }).Summed().FileOnly(),
		afterColumn(p.shared(), func(row *reports.SalesRow) (*reports.Accrued, int) { return &row.Accrued, digits }),
		kit.Column[reports.SalesRow]{Title: "label.currency", Text: func(*reports.SalesRow) string { return p.Unit() }},
	)
	shorten(columns, p.group == reports.GroupEntity)
	return columns
}

// shorten leaves a few amounts of a row on a phone, and one line of each day, game or draw, of which a report has many.
func shorten(columns []kit.Column[reports.SalesRow], explained bool) {
	for i := range columns {
		c := &columns[i]
		if c.Cell != nil && !explained {
			*c = c.Below(func(*kit.View, *reports.SalesRow) string { return "" })
		}
		switch c.Title {
		case "reports.tickets", "reports.won", "reports.commissions", "money.cash":
			c.WideOnly = true
		case "reports.net.after":
			c.WideOnly = !explained
		}
	}
}

// meansColumns are the columns of rows by means, which have sales only.
func (p *salesPage) meansColumns() []kit.Column[reports.SalesRow] {
	digits := p.Head.Currency.Digits
	return []kit.Column[reports.SalesRow]{
		kit.AmountColumn("reports.means.amount", func(row *reports.SalesRow) (money.Amount, int) { return row.Amount, row.Currency.Digits }),
		{Title: "reports.means.currency", Text: func(row *reports.SalesRow) string { return row.Currency.Code }},
		p.netColumn(),
		percent.Column("reports.share", func(row *reports.SalesRow) (part, whole money.Amount) { return row.NetSales(), p.Total.NetSales() }),
		kit.AmountColumn("reports.sold", func(row *reports.SalesRow) (money.Amount, int) { return row.Sold, digits }).FileOnly(),
		kit.AmountColumn("reports.voided", func(row *reports.SalesRow) (money.Amount, int) { return row.Voided, digits }).FileOnly(),
		kit.AmountColumn("reports.refunded", func(row *reports.SalesRow) (money.Amount, int) { return row.Refunded, digits }).FileOnly(),
		{Title: "label.currency", Text: func(*reports.SalesRow) string { return p.Unit() }},
	}
}

// shared reports whether a part of the cash is a participation. Without one the column after it would repeat the cash.
func (p *salesPage) shared() bool {
	return p.Accrued.Participation != 0 || slices.ContainsFunc(p.list, func(row reports.SalesRow) bool { return row.Participation != 0 })
}

// withUndone shows net sales, with what was taken back of the sales below.
func withUndone(v *kit.View, net, undone money.Amount, digits int) kit.Cell {
	cell := kit.Text(v.Money(net, digits))
	if undone != 0 {
		cell = cell.WithSecondLine(v.T("reports.undone", v.Money(undone, digits)))
	}
	return cell
}

// netColumn has the net sales, in the table with what was taken back below.
func (p *salesPage) netColumn() kit.Column[reports.SalesRow] {
	digits := p.Head.Currency.Digits
	return kit.AmountColumn("reports.net", func(row *reports.SalesRow) (money.Amount, int) { return row.NetSales(), digits }).Summed().
		WithCell(func(v *kit.View, row *reports.SalesRow) kit.Cell {
			return withUndone(v, row.NetSales(), row.Voided+row.Refunded, digits)
		})
}

// afterColumn has the cash after the participation, in the table with the participation below, so that a row fits a screen. The table has it
// only if a part is shared.
func afterColumn[R any](shared bool, of func(row *R) (*reports.Accrued, int)) kit.Column[R] {
	column := kit.AmountColumn("reports.net.after", func(row *R) (money.Amount, int) {
		a, digits := of(row)
		return a.Net, digits
	}).Summed()
	if !shared {
		return column.FileOnly()
	}
	column.Cell = func(v *kit.View, row *R) kit.Cell {
		a, digits := of(row)
		cell := kit.Text(v.Money(a.Net, digits))
		if a.Participation != 0 {
			cell = cell.WithSecondLine(v.T("reports.participation.of", v.Money(a.Participation, digits)))
		}
		return cell
	}
	return column
}

// prizesColumn has the prizes won, in the table with the prizes paid below if they differ.
func (p *salesPage) prizesColumn() kit.Column[reports.SalesRow] {
	digits := p.Head.Currency.Digits
	column := kit.AmountColumn("reports.won", func(row *reports.SalesRow) (money.Amount, int) { return row.Won, digits }).Summed()
	column.Cell = func(v *kit.View, row *reports.SalesRow) kit.Cell {
		cell := kit.Text(v.Money(row.Won, digits))
		if row.Uncollected() != 0 {
			return cell.WithSecondLine(v.T("reports.paid.of", v.Money(row.Paid, digits)))
		}
		return cell
	}
	return column
}

// nameColumns are the columns that name a row: one in the table, in the file with the code and the level.
func (p *salesPage) nameColumns(r *kit.Request) []kit.Column[reports.SalesRow] {
	title := "label." + map[string]string{reports.GroupGame: "game", reports.GroupDay: "date", reports.GroupDraw: "draw"}[p.group]
	shown := func(v *kit.View, row *reports.SalesRow) kit.Cell { return kit.Wrap(p.name(v, row)) }
	name := func(row *reports.SalesRow) string { return row.Name }
	switch p.group {
	case reports.GroupDay:
		return []kit.Column[reports.SalesRow]{{Title: title, Cell: shown, File: func(row *reports.SalesRow) sheet.Cell { return sheet.Day(row.Day) }}}
	case reports.GroupDraw:
		return []kit.Column[reports.SalesRow]{
			{Title: title, Text: name, Cell: shown}, {Title: "label.time", File: func(row *reports.SalesRow) sheet.Cell { return sheet.Time(row.DrawTime) }},
		}
	case reports.GroupGame:
		return []kit.Column[reports.SalesRow]{{Title: title, Text: name, Cell: shown}}
	case reports.GroupMeans:
		return []kit.Column[reports.SalesRow]{{Title: "closes.means", Text: func(row *reports.SalesRow) string { return r.T("closes.means." + row.Means) }, Cell: shown}}
	default:
		return []kit.Column[reports.SalesRow]{
			kit.WrapColumn("label.entity", name).
				Below(func(v *kit.View, row *reports.SalesRow) string { return v.T("type." + row.EntityType) }),
			{Title: "label.code", Text: func(row *reports.SalesRow) string { return row.Code }},
			{Title: "reports.level", Text: func(row *reports.SalesRow) string { return r.T("type." + row.EntityType) }},
		}
	}
}

// totals is the row of the sums, which are those of the report.
func (p *salesPage) totals(v *kit.View) []kit.Cell {
	f := &p.Total
	cells := []kit.Cell{kit.Text(v.T("label.total"))}
	if p.counted() {
		cells = append(cells, kit.Text(v.Count(f.Tickets)))
	}
	digits := p.Head.Currency.Digits
	if p.group == reports.GroupMeans {
		return append(cells, kit.Text(""), kit.Text(v.Money(f.NetSales(), digits)), kit.Text(""))
	}
	for _, a := range []money.Amount{f.NetSales(), f.Won, f.Commission.Total(), f.GameResult(), f.Cash()} {
		cells = append(cells, v.Amount(a, digits))
	}
	if p.shared() {
		after := v.Amount(p.Accrued.Net, digits)
		if p.group == reports.GroupDay { // the rows have no second line
			after.SecondLine = v.T("reports.participation.of", v.Money(p.Accrued.Participation, digits))
		}
		cells = append(cells, after)
	}
	return cells
}
