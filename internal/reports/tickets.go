package reports

import (
	"context"
	"iter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/storage"
)

// TicketFigures are the events of tickets on one draw in a period, counted as the report of sales counts them.
type TicketFigures struct {
	Lines      int64        // sold, less those voided or refunded
	Stake      money.Amount // sold
	Undone     money.Amount // stakes of it that were voided or refunded
	Commission money.Amount // of all levels
	Prize      money.Amount // won, less what a correction annulled
	Paid       money.Amount // prizes paid, less payments that were cancelled
}

// NetSales returns what stays sold.
func (f *TicketFigures) NetSales() money.Amount { return f.Stake - f.Undone }

// GameResult returns net sales less all commissions and the prizes won.
func (f *TicketFigures) GameResult() money.Amount { return f.NetSales() - f.Commission - f.Prize }

// Cash returns net sales less all commissions and the prizes paid.
func (f *TicketFigures) Cash() money.Amount { return f.NetSales() - f.Commission - f.Paid }

func (f *TicketFigures) add(o *TicketFigures) {
	f.Lines += o.Lines
	f.Stake += o.Stake
	f.Undone += o.Undone
	f.Commission += o.Commission
	f.Prize += o.Prize
	f.Paid += o.Paid
}

// Ticket is a ticket with its part in one draw. Its participation is the share of its own result, rounded towards zero.
type Ticket struct {
	ID          uuid.UUID
	Serial      string
	TicketPoint Entity
	Status      string
	SoldAt      time.Time
	TicketFigures
	Accrued
}

// DrawTickets is a page of the tickets with events on a draw in a period, with the sums of all of them, which equal
// the figures of the draw in the report of sales. Rounding is the participation less the sum over the tickets.
type DrawTickets struct {
	Head
	TicketFigures
	Accrued

	Draw     *catalog.Draw
	Game     string
	Tickets  int64
	Rounding money.Amount
	Rows     []Ticket
}

// DrawTickets returns the tickets of a draw, the last one first. The games of the filter are ignored. Errors: errors
// of ask, catalog.ErrDrawNotFound.
func (s *Service) DrawTickets(
	ctx context.Context, by caller.Caller, f *Filter, draw uuid.UUID, limit, offset int,
) (*DrawTickets, error) {
	report, q, err := s.drawTickets(ctx, by, f, draw)
	if err != nil {
		return nil, err
	}
	return report, s.loadTickets(ctx, q, report, limit, offset)
}

// AllDrawTickets is DrawTickets with all rows, which are read one by one. A last row without an id has the rounding
// of the participations of the others, if it is not 0, so that the rows sum to the report of sales. Errors: see
// DrawTickets.
func (s *Service) AllDrawTickets(
	ctx context.Context, by caller.Caller, f *Filter, draw uuid.UUID,
) (*DrawTickets, iter.Seq2[Ticket, error], error) {
	report, q, err := s.drawTickets(ctx, by, f, draw)
	if err == nil {
		err = s.loadTickets(ctx, q, report, 0, 0)
	}
	if err != nil {
		return nil, nil, err
	}
	found, w, err := s.foundTickets(ctx, q, report)
	if err != nil {
		return nil, nil, err
	}
	sql := `SELECT f.id, f.serial_code, e.id, e.name, e.code, e.entity_type, f.status, f.created_at, ` + ticketFigures("f") + `, f.rate, f.divided_by
		FROM (` + found + `) f JOIN entities e ON e.id = f.entity_id ORDER BY f.created_at DESC, f.id DESC`
	round := &rounding{results: map[int32]*groupResult{}}
	rows := storage.Stream(ctx, s.pg, sql, w.Args(), func(row pgx.CollectableRow) (Ticket, error) {
		var t Ticket
		var rate money.BasisPoints
		var group int32
		e := &t.TicketPoint
		into := append([]any{&t.ID, &t.Serial, &e.ID, &e.Name, &e.Code, &e.Type, &t.Status, &t.SoldAt}, t.targets()...)
		err := row.Scan(append(into, &rate, &group)...)
		t.SoldAt, t.Accrued = t.SoldAt.UTC(), accruedOf(t.Cash(), rate)
		round.add(&t, rate, group)
		return t, err
	})
	return report, round.after(rows), nil
}

// drawTickets returns the report without sums and rows.
func (s *Service) drawTickets(
	ctx context.Context, by caller.Caller, f *Filter, draw uuid.UUID,
) (*DrawTickets, *question, error) {
	one := *f
	one.CategoryID, one.GameID = uuid.Nil, uuid.Nil
	q, err := s.ask(ctx, by, &one)
	if err != nil {
		return nil, nil, err
	}
	report := &DrawTickets{Head: q.Head}
	if report.Draw, err = s.catalog.Draw(ctx, draw); err != nil {
		return nil, nil, err
	}
	if err := months.RequireDrawListed(ctx, s.pg.Pool, report.Draw.Time); err != nil {
		return nil, nil, err
	}
	game, err := s.catalog.Game(ctx, report.Draw.GameID)
	if err != nil {
		return nil, nil, err
	}
	report.Game, report.AsOf = game.Name, s.clock.Now()
	return report, q, nil
}
