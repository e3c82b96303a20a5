package reports

import (
	"context"

	"banca/internal/caller"
	"banca/internal/rollup"
)

// Hours returns the net sales of the entity by hour; days of more than five weeks ago have none. Games are not distinguished: a game or category of the
// filter is ignored. Errors: those of ask.
func (s *Service) Hours(ctx context.Context, by caller.Caller, f *Filter) ([]rollup.Hour, error) {
	q, err := s.ask(ctx, by, f)
	if err != nil {
		return nil, err
	}
	return s.totals.Hours(ctx, &q.query)
}
