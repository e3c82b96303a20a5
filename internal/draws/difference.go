package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/money"
	"banca/internal/tickets"
)

// Difference is the effect of a correction on a settled draw, by currency.
type Difference struct {
	Currencies []CurrencyDifference
	changed    []tickets.Changed
}

// CurrencyDifference is the effect in one currency, with its parts by ticket point, ordered by the ids of the entities.
type CurrencyDifference struct {
	CurrencyID uuid.UUID
	Change
	Points []PointDifference
}

// PointDifference is the effect on the tickets of one ticket point.
type PointDifference struct {
	EntityID uuid.UUID
	Change
}

// Change counts tickets and sums the prizes of their lines that win on the draw before and after a correction, whether
// their other draws are decided or not. Window bets that the correction changes count with the lines. Lowered tickets
// win less on the draw than before, or nothing; raised tickets win more. Undecided is the part of After that waits for
// other draws of its tickets. Overpaid is the paid sum that is no longer due, and Underpaid the unpaid sum
// due, both of whole tickets.
type Change struct {
	Lowered          int
	Raised           int
	WinnersBefore    int // tickets that win on the draw
	WinnersAfter     int
	Before           money.Amount
	After            money.Amount
	UndecidedTickets int
	Undecided        money.Amount
	OverpaidTickets  int
	Overpaid         money.Amount
	UnderpaidTickets int
	Underpaid        money.Amount
}

// Moved is the largest of the sums that change hands or would: prizes that fall or rise, and payments that are wrong.
func (c *Change) Moved() money.Amount {
	return max(c.Before-c.After, c.After-c.Before, c.Overpaid, c.Underpaid)
}

func (c *Change) add(o *Change) {
	c.Lowered, c.Raised = c.Lowered+o.Lowered, c.Raised+o.Raised
	c.WinnersBefore, c.WinnersAfter = c.WinnersBefore+o.WinnersBefore, c.WinnersAfter+o.WinnersAfter
	c.Before, c.After = c.Before+o.Before, c.After+o.After
	c.UndecidedTickets, c.Undecided = c.UndecidedTickets+o.UndecidedTickets, c.Undecided+o.Undecided
	c.OverpaidTickets, c.Overpaid = c.OverpaidTickets+o.OverpaidTickets, c.Overpaid+o.Overpaid
	c.UnderpaidTickets, c.Underpaid = c.UnderpaidTickets+o.UnderpaidTickets, c.Underpaid+o.Underpaid
}

const (
	// sumChanges sums the rows of touched: a ticket with its prizes on the draw before and after, whether it waits for
	// other draws, and its whole prize after.
	sumChanges = `
		SELECT t.currency_id, t.entity_id, count(*) FILTER (WHERE c.after < c.before), count(*) FILTER (WHERE c.after > c.before),
			count(*) FILTER (WHERE c.before > 0), count(*) FILTER (WHERE c.after > 0), sum(c.before)::bigint, sum(c.after)::bigint,
			count(*) FILTER (WHERE c.undecided AND c.after > 0), coalesce(sum(c.after) FILTER (WHERE c.undecided), 0)::bigint,
			count(*) FILTER (WHERE p.amount > c.due), coalesce(sum(p.amount - c.due) FILTER (WHERE p.amount > c.due), 0)::bigint,
			count(*) FILTER (WHERE p.amount < c.due), coalesce(sum(c.due - p.amount) FILTER (WHERE p.amount < c.due), 0)::bigint
		FROM touched c JOIN tickets t ON t.id = c.ticket_id AND t.status <> 'cancelled'
		LEFT JOIN paid_prizes p ON p.ticket_id = t.id AND p.cancelled_at IS NULL
		GROUP BY t.currency_id, t.entity_id ORDER BY t.currency_id, t.entity_id`

	// sumDifference sums the changes of a correction that has been made by the result $2 at $3. An index has
	// the instant of an annulment, and none the result that annulled a line.
	sumDifference = `
		WITH lines AS (
			SELECT ticket_id, prize AS before, 0 AS after FROM winning_lines WHERE annulled_at = $3 AND annulled_by = $2
			UNION ALL SELECT ticket_id, 0, prize FROM winning_lines WHERE draw_id = $1 AND result_id = $2 AND annulled_at IS NULL
			UNION ALL SELECT ticket_id, prize, prize FROM winning_lines WHERE draw_id = $1 AND result_id <> $2 AND annulled_at IS NULL
		), touched AS (
			SELECT l.ticket_id, l.before, l.after, t.status = 'pending' AS undecided, t.prize AS due
			FROM (SELECT ticket_id, sum(before) AS before, sum(after) AS after FROM lines GROUP BY ticket_id) l JOIN tickets t ON t.id = l.ticket_id
		)` + sumChanges
)

// differenceBy runs a statement that ends in sumChanges.
func differenceBy(ctx context.Context, tx pgx.Tx, sql string, args ...any) (*Difference, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("difference: %w", err)
	}
	difference := &Difference{}
	var currency uuid.UUID
	var p PointDifference
	_, err = pgx.ForEachRow(rows, []any{
		&currency, &p.EntityID, &p.Lowered, &p.Raised, &p.WinnersBefore, &p.WinnersAfter, &p.Before, &p.After,
		&p.UndecidedTickets, &p.Undecided, &p.OverpaidTickets, &p.Overpaid, &p.UnderpaidTickets, &p.Underpaid,
	}, func() error {
		list := difference.Currencies
		if len(list) == 0 || list[len(list)-1].CurrencyID != currency {
			list = append(list, CurrencyDifference{CurrencyID: currency})
		}
		last := &list[len(list)-1]
		last.add(&p.Change)
		last.Points = append(last.Points, p)
		difference.Currencies = list
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("difference: %w", err)
	}
	return difference, nil
}

// insertAdjustments stores each seller's prizes before and after the correction, for the business day of the draw. If
// that day is closed already, the difference is booked as an adjustment of the current day.
const insertAdjustments = `
	INSERT INTO result_adjustments (result_id, entity_id, currency_id, local_date, tickets, before, after, created_at)
	SELECT r.id, t.entity_id, t.currency_id, d.local_date, count(*), sum(c.prize), sum(t.prize), $2
	FROM results r JOIN draws d ON d.id = r.draw_id CROSS JOIN corrected c JOIN tickets t ON t.id = c.ticket_id
	WHERE r.id = $1 AND t.prize <> c.prize GROUP BY r.id, t.entity_id, t.currency_id, d.local_date`

// differenceOf returns the effect of a correction and stores it as adjustments.
func differenceOf(ctx context.Context, tx pgx.Tx, r *Result, now time.Time) (*Difference, error) {
	difference, err := differenceBy(ctx, tx, sumDifference, r.DrawID, r.ID, now)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `SELECT t.id, t.entity_id, t.status FROM corrected c JOIN tickets t ON t.id = c.ticket_id
		WHERE t.status <> c.status OR t.prize <> c.prize LIMIT $1`, maxPublished)
	if err != nil {
		return nil, fmt.Errorf("difference: %w", err)
	}
	if difference.changed, err = pgx.CollectRows(rows, pgx.RowToStructByPos[tickets.Changed]); err != nil {
		return nil, fmt.Errorf("difference: %w", err)
	}
	if _, err := tx.Exec(ctx, insertAdjustments, r.ID, now); err != nil {
		return nil, fmt.Errorf("adjustments: %w", err)
	}
	return difference, nil
}
