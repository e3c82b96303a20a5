package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/money"
	"banca/internal/tickets"
)

// Difference is the effect of a correction on a settled draw, by currency.
type Difference struct {
	Currencies []CurrencyDifference
	changed    []tickets.Changed
}

// CurrencyDifference counts tickets and sums their prizes before and after the correction. Lowered tickets have a
// smaller prize than before, or none; raised tickets have a greater one. Overpaid is the sum that was paid and is no
// longer due. Underpaid is the sum due beyond what was paid.
type CurrencyDifference struct {
	CurrencyID       uuid.UUID
	Lowered          int
	Raised           int
	Before           money.Amount // of all tickets of the correction
	After            money.Amount
	OverpaidTickets  int
	Overpaid         money.Amount
	UnderpaidTickets int
	Underpaid        money.Amount
}

const sumDifference = `
	SELECT t.currency_id, count(*) FILTER (WHERE t.prize < c.prize), count(*) FILTER (WHERE t.prize > c.prize), sum(c.prize)::bigint, sum(t.prize)::bigint,
		count(*) FILTER (WHERE p.amount > t.prize), coalesce(sum(p.amount - t.prize) FILTER (WHERE p.amount > t.prize), 0)::bigint,
		count(*) FILTER (WHERE p.amount < t.prize), coalesce(sum(t.prize - p.amount) FILTER (WHERE p.amount < t.prize), 0)::bigint
	FROM corrected c JOIN tickets t ON t.id = c.ticket_id LEFT JOIN paid_prizes p ON p.ticket_id = t.id AND p.cancelled_at IS NULL
	GROUP BY t.currency_id ORDER BY t.currency_id`

// insertAdjustments stores each seller's prizes before and after the correction, for the business day of the draw. If
// that day is closed already, the difference is booked as an adjustment of the current day.
const insertAdjustments = `
	INSERT INTO result_adjustments (result_id, entity_id, currency_id, local_date, tickets, before, after, created_at)
	SELECT r.id, t.entity_id, t.currency_id, d.local_date, count(*), sum(c.prize), sum(t.prize), $2
	FROM results r JOIN draws d ON d.id = r.draw_id CROSS JOIN corrected c JOIN tickets t ON t.id = c.ticket_id
	WHERE r.id = $1 AND t.prize <> c.prize GROUP BY r.id, t.entity_id, t.currency_id, d.local_date`

// differenceOf returns the effect of a correction and stores it as adjustments.
func differenceOf(ctx context.Context, tx pgx.Tx, result uuid.UUID, now time.Time) (*Difference, error) {
	rows, err := tx.Query(ctx, sumDifference)
	if err != nil {
		return nil, fmt.Errorf("difference: %w", err)
	}
	difference := &Difference{}
	if difference.Currencies, err = pgx.CollectRows(rows, pgx.RowToStructByPos[CurrencyDifference]); err != nil {
		return nil, fmt.Errorf("difference: %w", err)
	}
	rows, err = tx.Query(ctx, `SELECT t.id, t.entity_id, t.status FROM corrected c JOIN tickets t ON t.id = c.ticket_id
		WHERE t.status <> c.status OR t.prize <> c.prize LIMIT $1`, maxPublished)
	if err != nil {
		return nil, fmt.Errorf("difference: %w", err)
	}
	if difference.changed, err = pgx.CollectRows(rows, pgx.RowToStructByPos[tickets.Changed]); err != nil {
		return nil, fmt.Errorf("difference: %w", err)
	}
	if _, err := tx.Exec(ctx, insertAdjustments, result, now); err != nil {
		return nil, fmt.Errorf("adjustments: %w", err)
	}
	return difference, nil
}
