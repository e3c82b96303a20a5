package rollup

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/models"
)

// SilentQuery selects active ticket points that sold by an hour of an earlier day and have sold nothing on a later one.
type SilentQuery struct {
	Pattern    string // of their paths
	CurrencyID uuid.UUID
	Day        businessday.Day
	Before     businessday.Day // the earlier day, at most 35 days ago
	Hour       int             // of the earlier day, exclusive: 0 to 24
	Limit      int
	Offset     int
}

// SilentPoint is a ticket point without sales.
type SilentPoint struct {
	EntityID uuid.UUID
	Name     string
	Usual    money.Amount // its net sales by the hour of the earlier day
}

// Silent returns a page of the selected ticket points, those with the largest usual sales first, and the number of all, 0 beyond the last one.
func (s *Service) Silent(ctx context.Context, q *SilentQuery) ([]SilentPoint, int64, error) {
	rows, err := s.pg.Pool.Query(ctx, `SELECT e.id, e.name, u.sold, count(*) OVER ()
		FROM entities e JOIN LATERAL (SELECT sum(h.sold)::bigint AS sold FROM hourly_sales h
			WHERE h.entity_id = e.id AND h.day = $3 AND h.currency_id = $2 AND h.hour < $5) u ON u.sold > 0
		WHERE e.path LIKE $1 AND e.entity_type = '`+models.EntityTicketPoint+`' AND e.status = '`+models.StatusActive+`'
			AND NOT EXISTS (SELECT 1 FROM hourly_sales h WHERE h.entity_id = e.id AND h.day = $4 AND h.currency_id = $2)
		ORDER BY u.sold DESC, e.id LIMIT $6 OFFSET $7`, q.Pattern, q.CurrencyID, q.Before, q.Day, q.Hour, q.Limit, q.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("ticket points without sales: %w", err)
	}
	var total int64
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p SilentPoint, err error) {
		return p, row.Scan(&p.EntityID, &p.Name, &p.Usual, &total)
	})
	if err != nil {
		return nil, 0, fmt.Errorf("ticket points without sales: %w", err)
	}
	return list, total, nil
}
