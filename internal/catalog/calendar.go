package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// PlannedDay is a local date of a game with its draws by status.
type PlannedDay struct {
	Date   time.Time
	Counts map[string]int
	ByHand bool // the schedule does not decide about it
}

// Calendar lists the local dates from one to another that have draws or were planned by hand, in order.
func (s *Service) Calendar(ctx context.Context, game uuid.UUID, from, to time.Time) ([]PlannedDay, error) {
	rows, err := s.pg.Pool.Query(ctx, `SELECT local_date, status, count(*)::int, false FROM draws WHERE game_id = $1 AND local_date BETWEEN $2 AND $3 GROUP BY 1, 2
		UNION ALL SELECT local_date, '', 0, true FROM planned_days WHERE game_id = $1 AND local_date BETWEEN $2 AND $3 ORDER BY 1`, game, from, to)
	if err != nil {
		return nil, fmt.Errorf("read calendar: %w", err)
	}
	var days []PlannedDay
	var date time.Time
	var status string
	var count int
	var byHand bool
	_, err = pgx.ForEachRow(rows, []any{&date, &status, &count, &byHand}, func() error {
		if len(days) == 0 || !days[len(days)-1].Date.Equal(date) {
			days = append(days, PlannedDay{Date: date, Counts: map[string]int{}})
		}
		day := &days[len(days)-1]
		if byHand {
			day.ByHand = true
			return nil
		}
		day.Counts[status] = count
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read calendar: %w", err)
	}
	return days, nil
}
