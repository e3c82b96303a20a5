package catalog

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/platform/businessday"
	"banca/storage"
)

// PlannedDay is a local date of a game with its draws by status.
type PlannedDay struct {
	Date   businessday.Day
	Counts map[string]int
	ByHand bool // the schedule does not decide about it
}

// Calendar lists the local dates from one to another that have draws or were planned by hand, in order.
func (s *Service) Calendar(ctx context.Context, game uuid.UUID, from, to businessday.Day) ([]PlannedDay, error) {
	var days []PlannedDay
	var date businessday.Day
	var status string
	var count int
	var byHand bool
	err := storage.Each(ctx, s.pg.Pool, "read calendar", []any{&date, &status, &count, &byHand}, func() error {
		if len(days) == 0 || days[len(days)-1].Date != date {
			days = append(days, PlannedDay{Date: date, Counts: map[string]int{}})
		}
		day := &days[len(days)-1]
		if byHand {
			day.ByHand = true
			return nil
		}
		day.Counts[status] = count
		return nil
	}, `SELECT local_date, status, count(*)::int, false FROM draws WHERE game_id = $1 AND local_date BETWEEN $2 AND $3 GROUP BY 1, 2
		UNION ALL SELECT local_date, '', 0, true FROM planned_days WHERE game_id = $1 AND local_date BETWEEN $2 AND $3 ORDER BY 1`, game, from, to)
	if err != nil {
		return nil, err
	}
	return days, nil
}
