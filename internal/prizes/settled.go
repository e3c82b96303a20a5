package prizes

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/storage"
)

// Period is a period of business days in a currency, both days included.
type Period struct {
	CurrencyID uuid.UUID
	From, To   businessday.Day
}

// SettledDifference sums the differences that were settled in a period, by the place of the seller and the day of the payment.
type SettledDifference struct {
	Entities []uuid.UUID     // the operator first, the seller last, as they were when the tickets were sold
	PaidOn   businessday.Day // of the first payment, if an earlier difference replaced that by another one
	Amount   money.Amount    // that the prizes paid change by; negative for prizes that were paid in excess
}

// firstPaid is the time of the first payment of the ticket of the payment p: of those before p, after any that a
// person took back. A settled difference replaces a payment by one of the prize due. If nothing was due, a later
// payment replaces it only if another settled difference made that one.
const firstPaid = `(SELECT coalesce(min(f.paid_at), p.paid_at) AS at FROM paid_prizes f WHERE f.ticket_id = p.ticket_id AND f.paid_at <= p.paid_at AND NOT EXISTS (
	SELECT 1 FROM paid_prizes g WHERE g.ticket_id = p.ticket_id AND g.id <> p.id AND g.paid_at >= f.paid_at AND g.cancelled_at <= p.paid_at AND NOT EXISTS (
		SELECT 1 FROM prize_differences x WHERE x.ticket_id = g.ticket_id AND x.paid_prize_id = g.id
			AND x.status = 'settled' AND x.closed_at = g.cancelled_at
			AND (x.due > 0 OR EXISTS (SELECT 1 FROM prize_differences y WHERE y.ticket_id = g.ticket_id
				AND y.status = 'settled' AND y.paid = 0
				AND y.closed_at = (SELECT min(n.paid_at) FROM paid_prizes n WHERE n.ticket_id = g.ticket_id
					AND n.paid_at > g.cancelled_at))))))`

// SettledDifferences returns the differences settled in a period whose payment was made before it.
func (s *Service) SettledDifferences(ctx context.Context, p *Period) ([]SettledDifference, error) {
	from, _ := p.From.Bounds(s.Zone)
	_, to := p.To.Bounds(s.Zone)
	return storage.Collect(ctx, s.PG.Pool, "settled differences", func(row pgx.CollectableRow) (d SettledDifference, err error) {
		var path string
		if err := row.Scan(&path, &d.PaidOn, &d.Amount); err != nil {
			return d, err
		}
		for text := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
			id, err := uuid.Parse(text)
			if err != nil {
				return d, fmt.Errorf("path %s: %w", path, err)
			}
			d.Entities = append(d.Entities, id)
		}
		return d, nil
	}, `SELECT coalesce(h.path, e.path), (first.at AT TIME ZONE $4)::date, sum(d.due - d.paid)::bigint
		FROM prize_differences d JOIN paid_prizes p ON p.id = d.paid_prize_id JOIN tickets t ON t.id = d.ticket_id JOIN entities e ON e.id = t.entity_id
		LEFT JOIN entity_paths h ON h.id = t.path_id JOIN LATERAL `+firstPaid+` first ON true
		WHERE d.status = $5 AND d.closed_at >= $1 AND d.closed_at < $2 AND first.at < $1 AND d.currency_id = $3 GROUP BY 1, 2`,
		from, to, p.CurrencyID, s.Zone.String(), DifferenceSettled)
}
