package reports

import (
	"context"
	"iter"
	"slices"

	"banca/api/kit"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/reports"
	"banca/internal/rollup"
)

// maxFileBalances bounds the entities of a file of balances, of which a file has all.
const maxFileBalances = sheet.MaxRows

// rowsOf returns the cells of rows.
func rowsOf[R any](list []R, cells func(row *R) []sheet.Cell) iter.Seq2[[]sheet.Cell, error] {
	return sheet.Pages(func() ([]R, bool, error) { return list, false, nil }, cells)
}

// headed gives the file of a report the lines of its head.
func headed(ctx context.Context, table *sheet.Table, h *reports.Head) *sheet.Table {
	table.Lines = kit.HeadLines(ctx, h.Entity.Name, h.From, h.To, h.Currency.Code)
	return table
}

// levelName returns the name of a type of entity in the language of the request.
func levelName(ctx context.Context, entityType string) string {
	return kit.FileText(ctx, "level."+entityType)
}

// percentCell returns part in percent of whole; empty without a whole.
func percentCell(part, whole money.Amount) sheet.Cell {
	n, ok := reports.Hundredths(part, whole)
	if !ok {
		return sheet.Cell{}
	}
	return sheet.Money(n, 2)
}

// amountHeads are the columns of figures but the numbers of tickets.
func amountHeads() []string {
	return []string{
		"lines", "sold", "voided", "refunded", "net_sales", "prizes", "prizes_percent", "prizes_won", "commission_ticket_point", "commission_group", "commission_agency",
		"commission_super_agency", "commissions", "game_result", "net_balance", "currency",
	}
}

func amountCells(f *rollup.Figures, currency string, digits int) []sheet.Cell {
	amount := func(a money.Amount) sheet.Cell { return sheet.Money(a, digits) }
	c, net := &f.Commission, f.NetSales()
	return []sheet.Cell{
		sheet.Integer(f.Lines), amount(f.Sold), amount(f.Voided), amount(f.Refunded), amount(net), amount(f.Paid), percentCell(f.Paid, net), amount(f.Won),
		amount(c.TicketPoint), amount(c.Group), amount(c.Agency), amount(c.SuperAgency), amount(c.Total()), amount(f.GameResult()), amount(f.Cash()), sheet.Text(currency),
	}
}

func ticketCells(f *rollup.Figures) []sheet.Cell {
	return []sheet.Cell{sheet.Integer(f.Tickets), sheet.Integer(f.VoidedTickets)}
}

func (o *operations) summaryTable(ctx context.Context, by caller.Caller, in *summaryInput) (*sheet.Table, error) {
	list, err := o.reports.Summary(ctx, by, filterOf(&in.EntityParams, &in.PeriodParams, in.Currency))
	if err != nil {
		return nil, err
	}
	table := kit.FileTable(ctx, "sales-summary", "", append([]string{"tickets", "voided_tickets"}, amountHeads()...)...)
	table.Rows = rowsOf(list.Totals, func(t *reports.CurrencyTotal) []sheet.Cell {
		return append(ticketCells(&t.Figures), amountCells(&t.Figures, t.Currency.Code, t.Currency.Digits)...)
	})
	return table, nil
}

// salesHeads are the columns that name the rows of sales.
func salesHeads(group string) []string {
	switch group {
	case reports.GroupGame:
		return []string{"game", "code"}
	case reports.GroupDraw:
		return []string{"draw", "draw_time"}
	case reports.GroupDay:
		return []string{"date", "tickets", "voided_tickets"}
	default:
		return []string{"entity", "code", "level", "tickets", "voided_tickets"}
	}
}

func salesCells(ctx context.Context, group string, r *reports.SalesRow) []sheet.Cell {
	switch group {
	case reports.GroupGame:
		return []sheet.Cell{sheet.Text(r.Name), sheet.Text(r.Code)}
	case reports.GroupDraw:
		return []sheet.Cell{sheet.Text(r.Name), sheet.Time(r.DrawTime)}
	case reports.GroupDay:
		return append([]sheet.Cell{sheet.Day(r.Day)}, ticketCells(&r.Figures)...)
	default:
		return append([]sheet.Cell{sheet.Text(r.Name), sheet.Text(r.Code), sheet.Text(levelName(ctx, r.EntityType))}, ticketCells(&r.Figures)...)
	}
}

func (o *operations) salesTable(ctx context.Context, by caller.Caller, in *salesInput) (*sheet.Table, error) {
	report, err := o.reports.Sales(ctx, by, in.filter(), in.GroupBy)
	if err != nil {
		return nil, err
	}
	if in.GroupBy == reports.GroupMeans {
		return meansTable(ctx, report), nil
	}
	heads := append(append(salesHeads(in.GroupBy), amountHeads()...), "participation", "net_after")
	table := headed(ctx, kit.SumTable(ctx, "sales", in.GroupBy, heads...), &report.Head)
	table.Rows = rowsOf(report.Rows, func(r *reports.SalesRow) []sheet.Cell {
		cells := append(salesCells(ctx, in.GroupBy, r), amountCells(&r.Figures, report.Currency.Code, report.Currency.Digits)...)
		return append(cells, sheet.Money(r.Participation, report.Currency.Digits), sheet.Money(r.Net, report.Currency.Digits))
	})
	return table, nil
}

// meansTable has the sales by means, which have no other figures.
func meansTable(ctx context.Context, report *reports.Sales) *sheet.Table {
	digits := report.Currency.Digits
	heads := []string{"means", "means_currency", "means_amount", "sold", "voided", "refunded", "net_sales", "currency"}
	table := headed(ctx, kit.SumTable(ctx, "sales", reports.GroupMeans, heads...), &report.Head)
	table.Rows = rowsOf(report.Rows, func(r *reports.SalesRow) []sheet.Cell {
		return []sheet.Cell{
			sheet.Text(kit.FileText(ctx, "means."+r.Means)), sheet.Text(r.Currency.Code), sheet.Money(r.Amount, r.Currency.Digits),
			sheet.Money(r.Sold, digits), sheet.Money(r.Voided, digits), sheet.Money(r.Refunded, digits), sheet.Money(r.NetSales(), digits), sheet.Text(report.Currency.Code),
		}
	})
	return table
}

func (o *operations) levelsTable(ctx context.Context, by caller.Caller, in *ReportInput) (*sheet.Table, error) {
	report, err := o.reports.LevelAudit(ctx, by, in.filter())
	if err != nil {
		return nil, err
	}
	digits, net := report.Currency.Digits, report.Total.NetSales()
	heads := []string{"level", "received", "prizes", "commission", "passed_up", "kept", "kept_percent", "currency"}
	table := headed(ctx, kit.SumTable(ctx, "audit-by-level", "", heads...), &report.Head)
	table.Rows = rowsOf(report.Levels, func(l *reports.Level) []sheet.Cell {
		return []sheet.Cell{
			sheet.Text(levelName(ctx, l.Type)), sheet.Money(l.Received, digits), sheet.Money(l.Prizes, digits), sheet.Money(l.Commission, digits),
			sheet.Money(l.PassedUp, digits), sheet.Money(l.Kept, digits), percentCell(l.Kept, net), sheet.Text(report.Currency.Code),
		}
	})
	return table, nil
}

func (o *operations) waterfallTable(ctx context.Context, by caller.Caller, in *ReportInput) (*sheet.Table, error) {
	report, err := o.reports.Waterfall(ctx, by, in.filter())
	if err != nil {
		return nil, err
	}
	digits := report.Currency.Digits
	table := headed(ctx, kit.FileTable(ctx, "waterfall", "", "step", "change", "running", "currency"), &report.Head)
	table.Rows = rowsOf(report.Steps, func(s *reports.Step) []sheet.Cell {
		change := sheet.Money(s.Amount, digits)
		if s.Subtotal {
			change = sheet.Cell{} // so that the column sums to the result
		}
		name := kit.FileText(ctx, "step."+s.Name)
		return []sheet.Cell{sheet.Text(name), change, sheet.Money(s.Running, digits), sheet.Text(report.Currency.Code)}
	})
	return table, nil
}

func (o *operations) balancesTable(ctx context.Context, by caller.Caller, in *balancesInput) (*sheet.Table, error) {
	report, err := o.reports.Balances(ctx, by, filterOf(&in.EntityParams, &in.PeriodParams, in.Currency), maxFileBalances)
	if err != nil {
		return nil, err
	}
	if report.More {
		return nil, sheet.ErrTooLarge
	}
	list := report.Children
	if report.Own != nil {
		list = slices.Concat([]reports.Balance{*report.Own}, list)
	}
	heads := []string{"entity", "code", "level", "opening", "sales", "prizes", "commissions", "deposits", "withdrawals", "closing", "currency"}
	table := headed(ctx, kit.FileTable(ctx, "entity-balance", "", heads...), &report.Head)
	table.Rows = rowsOf(list, func(b *reports.Balance) []sheet.Cell {
		amount := func(a money.Amount) sheet.Cell { return sheet.Money(a, report.Currency.Digits) }
		return []sheet.Cell{
			sheet.Text(b.Entity.Name), sheet.Text(b.Entity.Code), sheet.Text(levelName(ctx, b.Entity.Type)), amount(b.Opening), amount(b.Sale), amount(b.Prize),
			amount(b.Commission), amount(b.Deposit), amount(b.Withdrawal), amount(b.Closing), sheet.Text(report.Currency.Code),
		}
	})
	return table, nil
}
