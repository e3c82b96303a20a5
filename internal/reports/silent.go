package reports

import (
	"context"

	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/rollup"
)

const daysOfWeek = 7

// Silent returns a page of the active ticket points of the entity that sold by this hour on the same weekday of last
// week and have sold nothing today, those with the largest usual sales first, and the number of all. The period of
// the filter is ignored. Errors: see ask.
func (s *Service) Silent(
	ctx context.Context, by caller.Caller, f *Filter, limit, offset int,
) ([]rollup.SilentPoint, int64, error) {
	today := *f
	now := s.clock.Now().In(s.zone)
	today.From = businessday.Of(now, s.zone)
	today.To = today.From
	q, err := s.ask(ctx, by, &today)
	if err != nil {
		return nil, 0, err
	}
	return s.totals.Silent(ctx, &rollup.SilentQuery{
		Pattern: q.path + "%", CurrencyID: q.Currency.ID, Day: q.From, Before: q.From.AddDays(-daysOfWeek),
		Hour: now.Hour(), Limit: limit, Offset: offset,
	})
}
