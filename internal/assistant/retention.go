package assistant

import (
	"context"
	"fmt"

	"banca/internal/platform/businessday"
)

// Bounds of retention.
const (
	trimBatch  = 1_000 // rows that one statement deletes
	usageYears = 2     // of counts of usage
)

// Trim deletes conversations whose newest question is older than the retention, with their messages, budgets of
// earlier days, and counts of usage after two years. It returns the number of deleted rows and is idempotent.
func (s *Service) Trim(ctx context.Context) (int64, error) {
	now := s.Clock.Now()
	var total int64
	for _, step := range []struct {
		sql    string
		before any
	}{
		{`DELETE FROM assistant_conversations WHERE id = ANY (ARRAY (SELECT id FROM assistant_conversations WHERE updated_at < $1 LIMIT $2))`, now.Add(-s.Retention)},
		{`DELETE FROM assistant_budgets WHERE ctid IN (SELECT ctid FROM assistant_budgets WHERE day < $1 LIMIT $2)`, s.today().AddDays(-1)},
		{`DELETE FROM assistant_usage WHERE ctid IN (SELECT ctid FROM assistant_usage WHERE day < $1 LIMIT $2)`, businessday.Of(now.AddDate(-usageYears, 0, 0), s.Zone)},
	} {
		for {
			tag, err := s.PG.Pool.Exec(ctx, step.sql, step.before, trimBatch)
			if err != nil {
				return total, fmt.Errorf("trim conversations: %w", err)
			}
			total += tag.RowsAffected()
			if tag.RowsAffected() < trimBatch {
				break
			}
		}
	}
	return total, nil
}
