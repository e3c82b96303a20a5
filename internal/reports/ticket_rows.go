package reports

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// targets returns pointers to the figures in the order of ticketFigures, for scanning.
func (f *TicketFigures) targets() []any {
	return []any{&f.Lines, &f.Stake, &f.Undone, &f.Commission, &f.Prize, &f.Paid}
}

// ticketFigures returns the columns of figures of a table for a SELECT.
func ticketFigures(table string) string {
	return table + `.lines, ` + table + `.stake, ` + table + `.undone, ` + table + `.commission, ` + table + `.prize, ` + table + `.paid`
}

// foundTickets returns the statement of the tickets of a report, with its parameters. Each row has the rate of its
// participation, and divided_by: the number of the entity that has the share. The lines of the draw are read once,
// and aggregated with its prizes, so that a wrong estimate cannot join each ticket with each prize. Events count as
// in internal/rollup: a cancelled ticket without a refund was voided, and the commission of a line is the highest
// rate of its amount, rounded down.
func (s *Service) foundTickets(ctx context.Context, q *question, report *DrawTickets) (string, *storage.Where, error) {
	w := &storage.Where{}
	first, _ := q.From.Bounds(s.zone)
	_, end := q.To.Bounds(s.zone)
	from, before, draw := w.Arg(first), w.Arg(end), w.Arg(report.Draw.ID)
	during := func(column string) string {
		return `(` + column + ` >= ` + from + ` AND ` + column + ` < ` + before + `)`
	}
	places, err := s.places(ctx, q, w)
	if err != nil {
		return "", nil, err
	}
	within := func(column, amount string) string {
		return `CASE WHEN ` + during(column) + ` THEN ` + amount + ` ELSE 0 END`
	}
	return `SELECT id, serial_code, entity_id, status, created_at, rate, divided_by, lines * (sold - undone) AS lines, stake * sold AS stake, stake * undone AS undone,
			commission * (sold - undone) AS commission, prize, paid
		FROM (SELECT t.id, t.serial_code, t.entity_id, t.status, t.created_at, l.lines, l.stake, l.commission, l.prize, l.paid, l.won_or_paid, pl.rate, pl.divided_by,
				` + during("t.created_at") + `::int AS sold,
				coalesce(` + during("CASE WHEN r.draw_id IS NOT NULL THEN r.created_at WHEN t.refunds = 0 THEN t.cancelled_at END") + `, false)::int AS undone
			FROM (SELECT ticket_id, sum(lines)::bigint AS lines, sum(stake)::bigint AS stake, sum(commission)::bigint AS commission, sum(prize)::bigint AS prize, sum(paid)::bigint AS paid,
						bool_or(lines = 0) AS won_or_paid
					FROM (SELECT ticket_id, 1 AS lines, amount AS stake, amount * coalesce(commission_rates[1], 0) / 10000 AS commission, 0 AS prize, 0 AS paid
							FROM ticket_lines WHERE draw_id = ` + draw + `
						UNION ALL SELECT ticket_id, 0, 0, 0, ` + within("created_at", "prize") + ` - ` + within("annulled_at", "prize") + `, 0
							FROM winning_lines WHERE draw_id = ` + draw + ` AND (` + during("created_at") + ` OR ` + during("annulled_at") + `)
						UNION ALL SELECT d.ticket_id, 0, 0, 0, 0, ` + within("d.paid_at", "s.amount") + ` - ` + within("d.cancelled_at", "s.amount") + `
							FROM (SELECT DISTINCT ticket_id FROM winning_lines WHERE draw_id = ` + draw + `) o JOIN paid_prizes d ON d.ticket_id = o.ticket_id
								JOIN paid_prize_draws s ON s.paid_prize_id = d.id AND s.draw_id = ` + draw + `
							WHERE ` + during("d.paid_at") + ` OR ` + during("d.cancelled_at") + `
					) events GROUP BY ticket_id) l
				JOIN tickets t ON t.id = l.ticket_id JOIN entities e ON e.id = t.entity_id JOIN (` + places + `) pl ON pl.id = coalesce(t.path_id, e.path_id)
				LEFT JOIN draw_refunds r ON r.draw_id = ` + draw + ` AND r.ticket_id = t.id
			WHERE t.currency_id = ` + w.Arg(q.Currency.ID) + `
		) f WHERE sold = 1 OR undone = 1 OR won_or_paid`, w, nil
}

// places returns the statement of the places at and below an entity with their rates of participation: the rate of the
// entity, for the operator the rate of the entity directly below it.
func (s *Service) places(ctx context.Context, q *question, w *storage.Where) (string, error) {
	if q.Entity.Type != models.EntityOperator {
		rate, err := s.rateOf(ctx, q.Entity.ID)
		return `SELECT id, ` + w.Arg(int64(rate)) + `::bigint AS rate, 0 AS divided_by FROM entity_paths WHERE starts_with(path, ` + w.Arg(q.path) + `)`, err
	}
	below, err := storage.Collect(ctx, s.pg.Pool, "entities below the operator", pgx.RowTo[uuid.UUID],
		`SELECT e.id FROM (SELECT DISTINCT split_part(path, '/', 3) AS id FROM entity_paths WHERE starts_with(path, $1)) p
		JOIN entities e ON e.id::text = p.id ORDER BY e.id`, q.path)
	if err != nil {
		return "", err
	}
	rates := make([]int64, len(below))
	for i, id := range below {
		rate, err := s.rateOf(ctx, id)
		if err != nil {
			return "", err
		}
		rates[i] = int64(rate)
	}
	return `SELECT p.id, coalesce(k.rate, 0) AS rate, coalesce(k.divided_by, 0)::int AS divided_by FROM entity_paths p
		LEFT JOIN unnest(` + w.Arg(storage.UUIDs(below)) + `::uuid[], ` + w.Arg(rates) + `::bigint[]) WITH ORDINALITY k (id, rate, divided_by) ON k.id::text = split_part(p.path, '/', 3)
		WHERE starts_with(p.path, ` + w.Arg(q.path) + `)`, nil
}

// loadTickets reads the sums, one for each entity with a share, and the page in one statement.
func (s *Service) loadTickets(ctx context.Context, q *question, report *DrawTickets, limit, offset int) error {
	found, w, err := s.foundTickets(ctx, q, report)
	if err != nil {
		return err
	}
	rows, err := s.pg.Pool.Query(ctx, `WITH found AS MATERIALIZED (`+found+`),
			page AS (SELECT * FROM found ORDER BY created_at DESC, id DESC LIMIT `+w.Arg(limit)+` OFFSET `+w.Arg(offset)+`)
		SELECT NULL AS id, '' AS serial_code, NULL AS point, '' AS name, '' AS code, '' AS entity_type, '' AS status, NULL AS created_at, rate,
			count(*) AS tickets, sum((stake - undone - commission - paid) * rate / 10000)::bigint AS shares,
			sum(lines)::bigint, sum(stake)::bigint, sum(undone)::bigint, sum(commission)::bigint, sum(prize)::bigint, sum(paid)::bigint
		FROM found GROUP BY rate, divided_by
		UNION ALL SELECT p.id, p.serial_code, e.id, e.name, e.code, e.entity_type, p.status, p.created_at, p.rate, 0, 0, `+ticketFigures("p")+`
		FROM page p JOIN entities e ON e.id = p.entity_id ORDER BY created_at DESC, id DESC`, w.Args()...)
	if err != nil {
		return fmt.Errorf("list tickets of a draw: %w", err)
	}
	var t Ticket
	var ticket, point uuid.NullUUID // NULL in a sum
	var soldAt *time.Time
	var rate money.BasisPoints
	var tickets int64
	var shares money.Amount
	e := &t.TicketPoint
	into := append(
		[]any{&ticket, &t.Serial, &point, &e.Name, &e.Code, &e.Type, &t.Status, &soldAt, &rate, &tickets, &shares},
		t.targets()...,
	)
	_, err = pgx.ForEachRow(rows, into, func() error {
		t.Accrued = accruedOf(t.Cash(), rate)
		if ticket.Valid {
			t.ID, e.ID, t.SoldAt = ticket.UUID, point.UUID, models.Instant(soldAt)
			report.Rows = append(report.Rows, t)
			return nil
		}
		report.Tickets += tickets
		report.add(&t.TicketFigures)
		report.Participation += t.Participation
		report.Rounding += t.Participation - shares
		return nil
	})
	if err != nil {
		return fmt.Errorf("list tickets of a draw: %w", err)
	}
	report.Net = report.Cash() - report.Participation
	return nil
}

// groupResult is what the tickets of the entities with one share sum to.
type groupResult struct {
	rate   money.BasisPoints
	cash   money.Amount
	shares money.Amount
}

// rounding sums tickets while they are read.
type rounding struct{ results map[int32]*groupResult }

func (r *rounding) add(t *Ticket, rate money.BasisPoints, group int32) {
	if r.results[group] == nil {
		r.results[group] = &groupResult{rate: rate}
	}
	g := r.results[group]
	g.cash += t.Cash()
	g.shares += t.Participation
}

// after returns the rows with a last one that has the rounding.
func (r *rounding) after(rows iter.Seq2[Ticket, error]) iter.Seq2[Ticket, error] {
	return func(yield func(Ticket, error) bool) {
		for t, err := range rows {
			if !yield(t, err) || err != nil {
				return
			}
		}
		var rest money.Amount
		for _, g := range r.results {
			rest += accruedOf(g.cash, g.rate).Participation - g.shares
		}
		if rest != 0 {
			yield(Ticket{Accrued: Accrued{Participation: rest, Net: -rest}}, nil)
		}
	}
}
