package assistant

import (
	"context"
	"fmt"

	"banca/internal/platform/businessday"
	"banca/storage"
)

// Bounds of retention.
const (
	trimBatch  = 1_000 // rows that one statement deletes
	usageYears = 2     // of counts of usage
)

const (
	trimConversations = `DELETE FROM assistant_conversations WHERE id = ANY (ARRAY (
		SELECT id FROM assistant_conversations WHERE updated_at < $1 LIMIT $2))`
	trimBudgets = `DELETE FROM assistant_budgets WHERE ctid IN (SELECT ctid FROM assistant_budgets WHERE day < $1 LIMIT $2)`
	trimUsage   = `DELETE FROM assistant_usage WHERE ctid IN (SELECT ctid FROM assistant_usage WHERE day < $1 LIMIT $2)`
)

// Trim deletes conversations whose newest question is older than the retention, with their messages, budgets of
// earlier days, and counts of usage after two years. It returns the number of deleted rows and is idempotent.
func (s *Service) Trim(ctx context.Context) (int64, error) {
	now := s.Clock.Now()
	n, err := storage.Batched(ctx, s.PG.Pool, trimBatch,
		storage.Statement{SQL: trimConversations, Args: []any{now.Add(-s.Retention)}},
		storage.Statement{SQL: trimBudgets, Args: []any{s.today().AddDays(-1)}},
		storage.Statement{SQL: trimUsage, Args: []any{businessday.Of(now.AddDate(-usageYears, 0, 0), s.Zone)}})
	if err != nil {
		return n, fmt.Errorf("trim conversations: %w", err)
	}
	return n, nil
}
