package reports

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/rollup"
	"banca/storage"
)

// SoldBy returns the net sales of each of some entities with everything below it, in two statements. Entities outside
// of the filter's entity, and those that sold nothing, are missing. Errors: see ask.
func (s *Service) SoldBy(
	ctx context.Context, by caller.Caller, f *Filter, entities []uuid.UUID,
) (map[uuid.UUID]money.Amount, error) {
	q, err := s.ask(ctx, by, f)
	if err != nil {
		return nil, err
	}
	q.query.Entities, err = storage.Collect(ctx, s.pg.Pool, "entities of a report", pgx.RowTo[uuid.UUID],
		`SELECT id FROM entities WHERE id = ANY ($1) AND path LIKE $2`, storage.UUIDs(entities), q.path+"%")
	if err != nil {
		return nil, err
	}
	sums, err := s.totals.Sum(ctx, &q.query, rollup.ByEntity)
	if err != nil {
		return nil, err
	}
	sold := make(map[uuid.UUID]money.Amount, len(sums))
	for i := range sums {
		sold[sums[i].EntityID] = sums[i].Sold - sums[i].Voided - sums[i].Refunded
	}
	return sold, nil
}
