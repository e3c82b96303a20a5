package volume

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/models"
)

// closePoints inserts the closes of the days ($1 is the zone, $2 today) of the ticket points. A drawer opens with some change
// and what the ticket point owes; some cashiers count a little less or more than must be in it.
const closePoints = `INSERT INTO daily_closes (id, entity_id, currency_id, wallet_id, day, status, opening_cash, sales, voids, prizes, commissions, deposits, withdrawals,
		tickets, voided, paid, counted_cash, previous_id, seen, ends_at, opened_by, opened_at, closed_by, closed_at)
	WITH sums AS MATERIALIZED (
		SELECT gen_random_uuid() AS id, p.wallet_id, (p.created_at AT TIME ZONE $1)::date AS day, min(p.created_at) AS first, max(p.created_at) AS last,
			coalesce(-sum(p.amount) FILTER (WHERE t.type = 'sale' AND t.reverses_id IS NULL), 0)::bigint AS sales,
			coalesce(sum(p.amount) FILTER (WHERE t.type = 'sale' AND t.reverses_id IS NOT NULL), 0)::bigint AS voids,
			coalesce(sum(p.amount) FILTER (WHERE t.type = 'prize'), 0)::bigint AS prizes, coalesce(sum(p.amount) FILTER (WHERE t.type = 'commission'), 0)::bigint AS commissions,
			coalesce(sum(p.amount) FILTER (WHERE t.type = 'deposit'), 0)::bigint AS deposits, coalesce(-sum(p.amount) FILTER (WHERE t.type = 'withdrawal'), 0)::bigint AS withdrawals,
			count(*) FILTER (WHERE t.type = 'sale' AND t.reverses_id IS NULL) AS tickets, count(*) FILTER (WHERE t.type = 'sale' AND t.reverses_id IS NOT NULL) AS voided,
			count(*) FILTER (WHERE t.type = 'prize') AS paid
		FROM wallet_postings p JOIN transactions t ON t.id = p.transaction_id WHERE p.direct AND (p.created_at AT TIME ZONE $1)::date < $2 GROUP BY p.wallet_id, 3
	), opened AS (
		SELECT *, 500000 + greatest(0, coalesce(sum(sales - voids - prizes - commissions - deposits + withdrawals)
			OVER (PARTITION BY wallet_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::bigint AS opening FROM sums
	), counted AS (
		SELECT *, opening + sales - voids - prizes - deposits + withdrawals + CASE hashtext(id::text) % 20 WHEN 0 THEN -2000 WHEN 1 THEN -500 WHEN -1 THEN 1000 ELSE 0 END AS cash FROM opened
	)
	SELECT c.id, w.entity_id, w.currency_id, c.wallet_id, c.day, 'closed', c.opening, c.sales, c.voids, c.prizes, c.commissions, c.deposits, c.withdrawals,
		c.tickets, c.voided, c.paid, CASE WHEN c.cash >= 0 THEN c.cash END, lag(c.id) OVER (PARTITION BY c.wallet_id ORDER BY c.day), pg_current_snapshot(),
		((c.day + 1)::timestamp AT TIME ZONE $1), u.id, c.first, u.id, greatest(c.last + interval '12 minutes', (c.day + interval '20 hours 20 minutes') AT TIME ZONE $1)
	FROM counted c JOIN wallets w ON w.id = c.wallet_id JOIN users u ON u.entity_id = w.entity_id`

// closeAbove inserts the closes of the entities of a kind ($1), which sum those of their children, and their parts.
const closeAbove = `WITH added AS (
		INSERT INTO daily_closes (id, entity_id, currency_id, day, status, opening_cash, sales, voids, prizes, commissions, deposits, withdrawals,
			tickets, voided, paid, counted_cash, previous_id, opened_at, closed_at)
		SELECT id, parent_id, currency_id, day, 'closed', opening_cash, sales, voids, prizes, commissions, deposits, withdrawals, tickets, voided, paid, counted_cash,
			lag(id) OVER (PARTITION BY parent_id ORDER BY day), closed_at, closed_at
		FROM (SELECT gen_random_uuid() AS id, e.parent_id, c.currency_id, c.day, sum(c.opening_cash) AS opening_cash, sum(c.sales) AS sales, sum(c.voids) AS voids,
				sum(c.prizes) AS prizes, sum(c.commissions) AS commissions, sum(c.deposits) AS deposits, sum(c.withdrawals) AS withdrawals, sum(c.tickets) AS tickets,
				sum(c.voided) AS voided, sum(c.paid) AS paid, CASE WHEN bool_and(c.counted_cash IS NOT NULL) THEN sum(c.counted_cash) END AS counted_cash,
				max(greatest(c.closed_at, c.ends_at)) + interval '5 minutes' AS closed_at
			FROM daily_closes c JOIN entities e ON e.id = c.entity_id JOIN entities p ON p.id = e.parent_id WHERE p.entity_type = $1 GROUP BY e.parent_id, c.currency_id, c.day) s
		RETURNING id, entity_id, currency_id, day)
	INSERT INTO daily_close_parts (part_id, close_id) SELECT c.id, a.id FROM added a JOIN entities e ON e.parent_id = a.entity_id
		JOIN daily_closes c ON c.entity_id = e.id AND c.currency_id = a.currency_id AND c.day = a.day`

// closeDays closes the days of the history at all entities, as cashiers and the task would have done.
func (w *Writer) closeDays(ctx context.Context) error {
	return w.pg.InTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, closePoints, w.Zone.String(), businessday.Of(w.Now, w.Zone)); err != nil {
			return fmt.Errorf("closes of ticket points: %w", err)
		}
		for _, kind := range []string{models.EntityGroup, models.EntityAgency, models.EntitySuperAgency, models.EntityOperator} {
			if _, err := tx.Exec(ctx, closeAbove, kind); err != nil {
				return fmt.Errorf("closes of %s: %w", kind, err)
			}
		}
		return nil
	})
}
