package reports

import (
	"context"
	"time"

	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/reports"
)

// ListInput are the parameters of a report that lists tickets.
type ListInput struct {
	EntityParams
	PeriodParams
	kit.FileParams
	kit.PageParams

	Currency string `query:"currency" required:"true" maxLength:"36" example:"VES" doc:"code or id"`
}

func (in *ListInput) filter() *reports.Filter {
	return filterOf(&in.EntityParams, &in.PeriodParams, in.Currency)
}

type expiredReport struct {
	Head
	Tickets int64          `json:"tickets" doc:"on all pages"`
	Prizes  kit.Decimal    `json:"prizes" doc:"sum of all pages"`
	Rows    []expiredPrize `json:"rows" nullable:"false" doc:"of the page, the last expired first"`
}

type expiredPrize struct {
	TicketID    uuid.UUID    `json:"ticket_id"`
	Serial      string       `json:"serial_code"`
	TicketPoint reportEntity `json:"ticket_point"`
	Prize       kit.Decimal  `json:"prize"`
	SoldAt      time.Time    `json:"sold_at"`
	ExpiredAt   time.Time    `json:"expired_at"`
}

func (o *operations) expired(ctx context.Context, by caller.Caller, in *ListInput) (*kit.Data[expiredReport], error) {
	report, err := o.reports.ExpiredPrizes(ctx, by, in.filter(), in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	digits := report.Currency.Digits
	return kit.DataOf(expiredReport{
		Head: headBody(&report.Head), Tickets: report.Tickets, Prizes: kit.DecimalOf(report.Prizes, digits),
		Rows: kit.Map(report.Rows, func(p reports.ExpiredPrize) expiredPrize {
			return expiredPrize{
				TicketID: p.TicketID, Serial: p.Serial, TicketPoint: entityBody(&p.TicketPoint),
				Prize: kit.DecimalOf(p.Prize, digits), SoldAt: p.SoldAt, ExpiredAt: p.ExpiredAt,
			}
		}),
	}), nil
}

func (o *operations) expiredTable(ctx context.Context, by caller.Caller, in *ListInput) (*sheet.Table, error) {
	report, rows, err := o.reports.AllExpiredPrizes(ctx, by, in.filter())
	if err != nil {
		return nil, err
	}
	digits := report.Currency.Digits
	table := headed(ctx, kit.SumTable(
		ctx, "expired-prizes", "", "serial", "ticket_point", "code", "prize", "currency", "sold_at", "expired_at",
	), &report.Head)
	table.Total = report.Tickets
	table.Rows = sheet.Rows(rows, func(p *reports.ExpiredPrize) []sheet.Cell {
		return []sheet.Cell{
			sheet.Text(p.Serial), sheet.Text(p.TicketPoint.Name), sheet.Text(p.TicketPoint.Code),
			sheet.Money(p.Prize, digits), sheet.Text(report.Currency.Code),
			sheet.Time(p.SoldAt), sheet.Time(p.ExpiredAt),
		}
	})
	return table, nil
}

type ticketsInput struct {
	ListInput

	DrawID string `query:"draw_id" required:"true" format:"uuid"`
}

type ticketsReport struct {
	Head
	DrawID     uuid.UUID `json:"draw_id"`
	DrawNumber string    `json:"draw_number"`
	DrawTime   time.Time `json:"draw_time"`
	Game       string    `json:"game"`
	Tickets    int64     `json:"tickets" doc:"on all pages"`
	DrawFigures
	Prizes   kit.Decimal  `json:"prizes" doc:"won, less what a correction annulled"`
	Rounding kit.Decimal  `json:"rounding" doc:"the participation less the sum over the tickets"`
	Rows     []drawTicket `json:"rows" nullable:"false" doc:"of the page, the last sold first"`
}

// DrawFigures are the events of the period on the draw.
type DrawFigures struct {
	Lines         int64       `json:"lines" doc:"sold on the draw, less those voided or refunded"`
	Stake         kit.Decimal `json:"stake" doc:"sold: what the report of sales has as sold"`
	NetSales      kit.Decimal `json:"net_sales" doc:"stake less voids and refunds"`
	Paid          kit.Decimal `json:"paid" doc:"prizes paid, less payments that were cancelled"`
	Commissions   kit.Decimal `json:"commissions" doc:"of all levels"`
	GameResult    kit.Decimal `json:"game_result" doc:"net sales less prizes won and commissions"`
	NetBalance    kit.Decimal `json:"net_balance" doc:"cash: net sales less prizes paid and commissions"`
	Participation kit.Decimal `json:"participation" doc:"share of the report's entity in the net balance, for the operator the share of the entity below it; rounded towards zero"`
	Net           kit.Decimal `json:"net" doc:"net balance less participation"`
}

func drawFiguresBody(f *reports.TicketFigures, a reports.Accrued, digits int) DrawFigures {
	decimal := func(amount money.Amount) kit.Decimal { return kit.DecimalOf(amount, digits) }
	return DrawFigures{
		Lines: f.Lines, Stake: decimal(f.Stake), NetSales: decimal(f.NetSales()), Paid: decimal(f.Paid),
		Commissions: decimal(f.Commission),
		GameResult:  decimal(f.GameResult()), NetBalance: decimal(f.Cash()), Participation: decimal(a.Participation),
		Net: decimal(a.Net),
	}
}

type drawTicket struct {
	ID          uuid.UUID    `json:"id"`
	Serial      string       `json:"serial_code"`
	TicketPoint reportEntity `json:"ticket_point"`
	Status      string       `json:"status" enum:"pending,won,lost,paid,cancelled"`
	SoldAt      time.Time    `json:"sold_at"`
	DrawFigures
	Prize kit.Decimal `json:"prize" doc:"won, less what a correction annulled"`
}

func (o *operations) tickets(
	ctx context.Context, by caller.Caller, in *ticketsInput,
) (*kit.Data[ticketsReport], error) {
	report, err := o.reports.DrawTickets(ctx, by, in.filter(), kit.ID(in.DrawID), in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	digits := report.Currency.Digits
	return kit.DataOf(ticketsReport{
		Head: headBody(&report.Head), DrawID: report.Draw.ID, DrawNumber: report.Draw.Number,
		DrawTime: report.Draw.Time, Game: report.Game,
		Tickets: report.Tickets, DrawFigures: drawFiguresBody(&report.TicketFigures, report.Accrued, digits),
		Prizes:   kit.DecimalOf(report.Prize, digits),
		Rounding: kit.DecimalOf(report.Rounding, digits),
		Rows: kit.Map(report.Rows, func(t reports.Ticket) drawTicket {
			return drawTicket{
				ID: t.ID, Serial: t.Serial, TicketPoint: entityBody(&t.TicketPoint), Status: t.Status, SoldAt: t.SoldAt,
				DrawFigures: drawFiguresBody(&t.TicketFigures, t.Accrued, digits),
				Prize:       kit.DecimalOf(t.Prize, digits),
			}
		}),
	}), nil
}

func (o *operations) ticketsTable(ctx context.Context, by caller.Caller, in *ticketsInput) (*sheet.Table, error) {
	report, rows, err := o.reports.AllDrawTickets(ctx, by, in.filter(), kit.ID(in.DrawID))
	if err != nil {
		return nil, err
	}
	digits := report.Currency.Digits
	table := headed(ctx, kit.SumTable(ctx, "tickets", report.Draw.Number, "serial", "ticket_point", "code", "status", "sold_at", "lines", "stake", "net_sales", "prizes", "prizes_percent", "prizes_won",
		"commissions", "game_result", "net_balance", "participation", "net_after", "currency"), &report.Head)
	table.Total = report.Tickets
	table.Rows = sheet.Rows(rows, func(t *reports.Ticket) []sheet.Cell {
		cells := []sheet.Cell{sheet.Text(kit.FileText(ctx, "rounding")), {}, {}, {}, {}}
		if t.ID != uuid.Nil {
			status := sheet.Text(kit.FileText(ctx, "state."+t.Status))
			cells = []sheet.Cell{
				sheet.Text(t.Serial), sheet.Text(t.TicketPoint.Name), sheet.Text(t.TicketPoint.Code), status,
				sheet.Time(t.SoldAt),
			}
		}
		amount := func(a money.Amount) sheet.Cell { return sheet.Money(a, digits) }
		return append(cells, sheet.Integer(t.Lines), amount(t.Stake), amount(t.NetSales()), amount(t.Paid), percentCell(t.Paid, t.NetSales()), amount(t.Prize),
			amount(t.Commission), amount(t.GameResult()), amount(t.Cash()), amount(t.Participation), amount(t.Net), sheet.Text(report.Currency.Code))
	})
	return table, nil
}
