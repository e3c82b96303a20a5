package reports

import (
	"context"
	"iter"
	"time"

	"github.com/google/uuid"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/caller"
	"banca/internal/reports"
	"banca/internal/sheet"
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
				TicketID: p.TicketID, Serial: p.Serial, TicketPoint: entityBody(&p.TicketPoint), Prize: kit.DecimalOf(p.Prize, digits), SoldAt: p.SoldAt, ExpiredAt: p.ExpiredAt,
			}
		}),
	}), nil
}

// cellsOf returns the cells of rows that are read one by one.
func cellsOf[R any](rows iter.Seq2[R, error], cells func(*R) []sheet.Cell) iter.Seq2[[]sheet.Cell, error] {
	return func(yield func([]sheet.Cell, error) bool) {
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(cells(&row), nil) {
				return
			}
		}
	}
}

func (o *operations) expiredTable(ctx context.Context, by caller.Caller, in *ListInput) (*sheet.Table, error) {
	report, rows, err := o.reports.AllExpiredPrizes(ctx, by, in.filter())
	if err != nil {
		return nil, err
	}
	digits := report.Currency.Digits
	table := kit.FileTable(ctx, "expired-prizes", "serial", "ticket_point", "code", "prize", "currency", "sold_at", "expired_at")
	table.Total = report.Tickets
	table.Rows = cellsOf(rows, func(p *reports.ExpiredPrize) []sheet.Cell {
		return []sheet.Cell{
			sheet.Text(p.Serial), sheet.Text(p.TicketPoint.Name), sheet.Text(p.TicketPoint.Code), sheet.Money(p.Prize, digits), sheet.Text(report.Currency.Code),
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
	DrawID     uuid.UUID    `json:"draw_id"`
	DrawNumber string       `json:"draw_number"`
	DrawTime   time.Time    `json:"draw_time"`
	Game       string       `json:"game"`
	Tickets    int64        `json:"tickets" doc:"on all pages"`
	Lines      int64        `json:"lines" doc:"on the draw, of all pages"`
	Stake      kit.Decimal  `json:"stake" doc:"of these lines: what the report of sales has as sold"`
	Prizes     kit.Decimal  `json:"prizes" doc:"won by these lines"`
	Rows       []drawTicket `json:"rows" nullable:"false" doc:"of the page, the last sold first"`
}

type drawTicket struct {
	ID          uuid.UUID    `json:"id"`
	Serial      string       `json:"serial_code"`
	TicketPoint reportEntity `json:"ticket_point"`
	Status      string       `json:"status" enum:"pending,won,lost,paid,cancelled"`
	SoldAt      time.Time    `json:"sold_at"`
	Lines       int64        `json:"lines" doc:"on the draw"`
	Stake       kit.Decimal  `json:"stake" doc:"of these lines"`
	Prize       kit.Decimal  `json:"prize" doc:"won by these lines"`
}

func (o *operations) tickets(ctx context.Context, by caller.Caller, in *ticketsInput) (*kit.Data[ticketsReport], error) {
	report, err := o.reports.DrawTickets(ctx, by, in.filter(), kit.ID(in.DrawID), in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	digits := report.Currency.Digits
	return kit.DataOf(ticketsReport{
		Head: headBody(&report.Head), DrawID: report.Draw.ID, DrawNumber: report.Draw.Number, DrawTime: report.Draw.Time, Game: report.Game,
		Tickets: report.Tickets, Lines: report.Lines, Stake: kit.DecimalOf(report.Stake, digits), Prizes: kit.DecimalOf(report.Prize, digits),
		Rows: kit.Map(report.Rows, func(t reports.Ticket) drawTicket {
			return drawTicket{
				ID: t.ID, Serial: t.Serial, TicketPoint: entityBody(&t.TicketPoint), Status: t.Status, SoldAt: t.SoldAt, Lines: t.Lines,
				Stake: kit.DecimalOf(t.Stake, digits), Prize: kit.DecimalOf(t.Prize, digits),
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
	table := kit.FileTable(ctx, "tickets-"+report.Draw.Number, "serial", "ticket_point", "code", "status", "sold_at", "lines", "stake", "prize", "currency")
	table.Total = report.Tickets
	table.Rows = cellsOf(rows, func(t *reports.Ticket) []sheet.Cell {
		status := problem.Text(middleware.Language(ctx), "file.state."+t.Status, nil)
		return []sheet.Cell{
			sheet.Text(t.Serial), sheet.Text(t.TicketPoint.Name), sheet.Text(t.TicketPoint.Code), sheet.Text(status), sheet.Time(t.SoldAt), sheet.Integer(t.Lines),
			sheet.Money(t.Stake, digits), sheet.Money(t.Prize, digits), sheet.Text(report.Currency.Code),
		}
	})
	return table, nil
}
