package reports

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/caller"
	"banca/internal/catalog"
	"banca/internal/money"
	"banca/storage"
)

// Ticket is a ticket with its part in one draw.
type Ticket struct {
	ID          uuid.UUID
	Serial      string
	TicketPoint Entity
	Status      string
	SoldAt      time.Time
	Lines       int64        // on the draw
	Stake       money.Amount // of these lines
	Prize       money.Amount // won by these lines
}

// DrawTickets is a page of the tickets with lines on a draw that were sold in a period, also those that were cancelled later, with the sums of all
// of them. Stake is what the report of sales has as sold.
type DrawTickets struct {
	Head
	Draw    *catalog.Draw
	Game    string
	Tickets int64
	Lines   int64
	Stake   money.Amount
	Prize   money.Amount
	Rows    []Ticket
}

// DrawTickets returns the tickets of a draw, the last one first. The games of the filter are ignored. Errors: those of ask, catalog.ErrDrawNotFound.
func (s *Service) DrawTickets(ctx context.Context, by caller.Caller, f *Filter, draw uuid.UUID, limit, offset int) (*DrawTickets, error) {
	report, q, err := s.drawTickets(ctx, by, f, draw)
	if err != nil {
		return nil, err
	}
	return report, s.loadTickets(ctx, q, report, limit, offset)
}

// AllDrawTickets is DrawTickets with all rows, which are read one by one. Errors: those of DrawTickets.
func (s *Service) AllDrawTickets(ctx context.Context, by caller.Caller, f *Filter, draw uuid.UUID) (*DrawTickets, iter.Seq2[Ticket, error], error) {
	report, q, err := s.drawTickets(ctx, by, f, draw)
	if err == nil {
		err = s.loadTickets(ctx, q, report, 0, 0)
	}
	if err != nil {
		return nil, nil, err
	}
	found, w := s.foundTickets(q, report)
	sql := `SELECT f.id, f.serial_code, e.id, e.name, e.code, e.entity_type, f.status, f.created_at, f.lines, f.stake, f.prize
		FROM (` + found + `) f JOIN entities e ON e.id = f.entity_id ORDER BY f.created_at DESC, f.id DESC`
	return report, storage.Stream(ctx, s.pg, sql, w.Args(), scanTicket), nil
}

func scanTicket(row pgx.CollectableRow) (t Ticket, err error) {
	e := &t.TicketPoint
	err = row.Scan(&t.ID, &t.Serial, &e.ID, &e.Name, &e.Code, &e.Type, &t.Status, &t.SoldAt, &t.Lines, &t.Stake, &t.Prize)
	t.SoldAt = t.SoldAt.UTC()
	return t, err
}

// drawTickets returns the report without sums and rows.
func (s *Service) drawTickets(ctx context.Context, by caller.Caller, f *Filter, draw uuid.UUID) (*DrawTickets, *question, error) {
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
	game, err := s.catalog.Game(ctx, report.Draw.GameID)
	if err != nil {
		return nil, nil, err
	}
	report.Game, report.AsOf = game.Name, s.clock.Now()
	return report, q, nil
}

// foundTickets returns the statement of the tickets of a report, with its parameters. It reads the lines of the draw once.
func (s *Service) foundTickets(q *question, report *DrawTickets) (string, *storage.Where) {
	w := &storage.Where{}
	first, _ := q.From.Bounds(s.zone)
	_, end := q.To.Bounds(s.zone)
	id := w.Arg(report.Draw.ID)
	w.And(`t.created_at >= ` + w.Arg(first) + ` AND t.created_at < ` + w.Arg(end))
	w.And(`t.currency_id = ` + w.Arg(q.Currency.ID))
	w.And(soldBelow(w, q.path))
	return `SELECT t.id, t.serial_code, t.entity_id, t.status, t.created_at, l.lines, l.stake, l.prize
		FROM (SELECT ticket_id, sum(lines)::bigint AS lines, sum(stake)::bigint AS stake, sum(prize)::bigint AS prize FROM (
				SELECT ticket_id, 1 AS lines, amount AS stake, 0 AS prize FROM ticket_lines WHERE draw_id = ` + id + `
				UNION ALL SELECT ticket_id, 0, 0, prize FROM winning_lines WHERE draw_id = ` + id + ` AND annulled_at IS NULL
			) all_lines GROUP BY ticket_id) l
		JOIN tickets t ON t.id = l.ticket_id JOIN entities e ON e.id = t.entity_id` + w.SQL(), w
}

// loadTickets reads the sums and the page in one statement.
func (s *Service) loadTickets(ctx context.Context, q *question, report *DrawTickets, limit, offset int) error {
	found, w := s.foundTickets(q, report)
	rows, err := s.pg.Pool.Query(ctx, `WITH found AS MATERIALIZED (`+found+`),
			page AS (SELECT * FROM found ORDER BY created_at DESC, id DESC LIMIT `+w.Arg(limit)+` OFFSET `+w.Arg(offset)+`)
		SELECT s.*, p.id, coalesce(p.serial_code, ''), e.id, coalesce(e.name, ''), coalesce(e.code, ''), coalesce(e.entity_type, ''), coalesce(p.status, ''), p.created_at,
			coalesce(p.lines, 0), coalesce(p.stake, 0), coalesce(p.prize, 0)
		FROM (SELECT count(*), coalesce(sum(lines), 0)::bigint, coalesce(sum(stake), 0)::bigint, coalesce(sum(prize), 0)::bigint FROM found) s
			LEFT JOIN page p ON true LEFT JOIN entities e ON e.id = p.entity_id ORDER BY p.created_at DESC, p.id DESC`, w.Args()...)
	if err != nil {
		return fmt.Errorf("list tickets of a draw: %w", err)
	}
	var t Ticket
	var ticket, point uuid.NullUUID // NULL on an empty page
	var soldAt *time.Time
	e := &t.TicketPoint
	into := []any{&report.Tickets, &report.Lines, &report.Stake, &report.Prize, &ticket, &t.Serial, &point, &e.Name, &e.Code, &e.Type, &t.Status, &soldAt, &t.Lines, &t.Stake, &t.Prize}
	_, err = pgx.ForEachRow(rows, into, func() error {
		if ticket.Valid {
			t.ID, e.ID, t.SoldAt = ticket.UUID, point.UUID, storage.Instant(soldAt)
			report.Rows = append(report.Rows, t)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list tickets of a draw: %w", err)
	}
	return nil
}
