package reports

import (
	"context"
	"fmt"
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
	one := *f
	one.CategoryID, one.GameID = uuid.Nil, uuid.Nil
	q, err := s.ask(ctx, by, &one)
	if err != nil {
		return nil, err
	}
	report := &DrawTickets{Head: q.Head}
	if report.Draw, err = s.catalog.Draw(ctx, draw); err != nil {
		return nil, err
	}
	game, err := s.catalog.Game(ctx, report.Draw.GameID)
	if err != nil {
		return nil, err
	}
	report.Game, report.AsOf = game.Name, s.clock.Now()
	return report, s.loadTickets(ctx, q, report, limit, offset)
}

func (s *Service) loadTickets(ctx context.Context, q *question, report *DrawTickets, limit, offset int) error {
	w := &storage.Where{}
	first, _ := q.From.Bounds(s.zone)
	_, end := q.To.Bounds(s.zone)
	id := w.Arg(report.Draw.ID)
	from := ` FROM (SELECT ticket_id, count(*) AS lines, sum(amount)::bigint AS stake FROM ticket_lines WHERE draw_id = ` + id + ` GROUP BY ticket_id) l
		JOIN tickets t ON t.id = l.ticket_id JOIN entities e ON e.id = t.entity_id
		LEFT JOIN (SELECT ticket_id, sum(prize)::bigint AS prize FROM winning_lines WHERE draw_id = ` + id + ` AND annulled_at IS NULL GROUP BY ticket_id) x ON x.ticket_id = t.id`
	w.And(`t.created_at >= ` + w.Arg(first) + ` AND t.created_at < ` + w.Arg(end))
	w.And(`t.currency_id = ` + w.Arg(q.Currency.ID))
	w.And(soldBelow(w, q.path))
	sums := `SELECT count(*), coalesce(sum(l.lines), 0)::bigint, coalesce(sum(l.stake), 0)::bigint, coalesce(sum(x.prize), 0)::bigint` + from + w.SQL()
	if err := s.pg.Pool.QueryRow(ctx, sums, w.Args()...).Scan(&report.Tickets, &report.Lines, &report.Stake, &report.Prize); err != nil {
		return fmt.Errorf("sum tickets of a draw: %w", err)
	}
	rows, err := s.pg.Pool.Query(ctx, `SELECT t.id, t.serial_code, e.id, e.name, e.code, e.entity_type, t.status, t.created_at, l.lines, l.stake, coalesce(x.prize, 0)`+from+w.SQL()+
		` ORDER BY t.created_at DESC, t.id DESC LIMIT `+w.Arg(limit)+` OFFSET `+w.Arg(offset), w.Args()...)
	if err != nil {
		return fmt.Errorf("list tickets of a draw: %w", err)
	}
	if report.Rows, err = pgx.CollectRows(rows, scanTicket); err != nil {
		return fmt.Errorf("list tickets of a draw: %w", err)
	}
	return nil
}

func scanTicket(row pgx.CollectableRow) (t Ticket, err error) {
	e := &t.TicketPoint
	err = row.Scan(&t.ID, &t.Serial, &e.ID, &e.Name, &e.Code, &e.Type, &t.Status, &t.SoldAt, &t.Lines, &t.Stake, &t.Prize)
	t.SoldAt = t.SoldAt.UTC()
	return t, err
}
