package assistant

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
)

// Usage is what a model was used for by the users of an entity in a period.
type Usage struct {
	EntityID uuid.UUID
	Entity   string // name
	Model    string
	Attempts int64
	Failed   int64
	Input    int64 // tokens
	Output   int64
	Cost     int64 // millionths of a US dollar
	// LatencyMS and FirstMS are means, in milliseconds; FirstMS to the first text.
	LatencyMS, FirstMS int64
}

// UsageFilter selects the usage of a period, today without one. A missing day is the other one.
type UsageFilter struct {
	From, To      businessday.Day
	Limit, Offset int
}

// usageOf are the columns of sums of assistant_usage u.
const usageOf = `coalesce(sum(u.attempts), 0)::bigint, coalesce(sum(u.failed), 0)::bigint, coalesce(sum(u.input_tokens), 0)::bigint, coalesce(sum(u.output_tokens), 0)::bigint,
	coalesce(sum(u.cost), 0)::bigint, (coalesce(sum(u.latency_ms), 0) / greatest(sum(u.attempts), 1))::bigint, (coalesce(sum(u.first_ms), 0) / greatest(sum(u.first_count), 1))::bigint`

func (u *Usage) sums() []any {
	return []any{&u.Attempts, &u.Failed, &u.Input, &u.Output, &u.Cost, &u.LatencyMS, &u.FirstMS}
}

// Spent returns the usage of the entities in the caller's scope in a period by entity and model, the most expensive
// first, the sum of all, and the number of rows.
func (s *Service) Spent(
	ctx context.Context, by caller.Caller, f *UsageFilter,
) (list []Usage, all *Usage, total int64, err error) {
	const from = ` FROM assistant_usage u JOIN entities e ON e.id = u.entity_id WHERE e.path LIKE $1 AND u.day BETWEEN $2 AND $3`
	first, last := f.From, f.To
	if first.IsZero() {
		first = last
	}
	if first.IsZero() {
		first = s.today()
	}
	if last.IsZero() {
		last = first
	}
	err = s.PG.Snapshot(ctx, func(tx pgx.Tx) error {
		all = &Usage{}
		err := tx.QueryRow(ctx, `SELECT count(DISTINCT (u.entity_id, u.model)), `+usageOf+from, by.Scope.Pattern(), first, last).Scan(append([]any{&total}, all.sums()...)...)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT u.entity_id, e.name, u.model, `+usageOf+from+` GROUP BY u.entity_id, e.name, u.model
			ORDER BY sum(u.cost) DESC, sum(u.input_tokens + u.output_tokens) DESC, u.entity_id, u.model LIMIT $4 OFFSET $5`, by.Scope.Pattern(), first, last, f.Limit, f.Offset)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (u Usage, err error) {
			return u, row.Scan(append([]any{&u.EntityID, &u.Entity, &u.Model}, u.sums()...)...)
		})
		return err
	})
	if err != nil {
		return nil, nil, 0, fmt.Errorf("read usage: %w", err)
	}
	return list, all, total, nil
}
