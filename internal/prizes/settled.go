package prizes

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/businessday"
	"banca/internal/money"
)

// Period is a period of business days in a currency, both days included.
type Period struct {
	CurrencyID uuid.UUID
	From, To   businessday.Day
}

// SettledDifference sums the differences that were settled in a period, by the place of the seller and the day of the payment.
type SettledDifference struct {
	Entities []uuid.UUID // the operator first, the seller last, as they were when the tickets were sold
	PaidOn   businessday.Day
	Amount   money.Amount // that the prizes paid change by; negative for prizes that were paid in excess
}

// SettledDifferences returns the differences settled in a period whose payment was made before it.
func (s *Service) SettledDifferences(ctx context.Context, p *Period) ([]SettledDifference, error) {
	from, _ := p.From.Bounds(s.Zone)
	_, to := p.To.Bounds(s.Zone)
	rows, err := s.PG.Pool.Query(ctx, `SELECT coalesce(h.path, e.path), (p.paid_at AT TIME ZONE $4)::date, sum(d.due - d.paid)::bigint
		FROM prize_differences d JOIN paid_prizes p ON p.id = d.paid_prize_id JOIN tickets t ON t.id = d.ticket_id JOIN entities e ON e.id = t.entity_id
		LEFT JOIN entity_paths h ON h.id = t.path_id
		WHERE d.status = $5 AND d.closed_at >= $1 AND d.closed_at < $2 AND p.paid_at < $1 AND d.currency_id = $3 GROUP BY 1, 2`,
		from, to, p.CurrencyID, s.Zone.String(), DifferenceSettled)
	if err != nil {
		return nil, fmt.Errorf("settled differences: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d SettledDifference, err error) {
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
	})
	if err != nil {
		return nil, fmt.Errorf("settled differences: %w", err)
	}
	return list, nil
}
