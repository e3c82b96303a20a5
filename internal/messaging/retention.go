package messaging

import (
	"context"
	"fmt"

	"banca/storage"
)

// trimBatch bounds the rows that one statement deletes.
const trimBatch = 2_000

// Ids of version 7 grow with time, so the primary keys find old rows.
const (
	trimMessages = `DELETE FROM message_logs WHERE id = ANY (ARRAY (SELECT id FROM message_logs
		WHERE id < $1 AND created_at < $2 AND status NOT IN ('queued', 'sending') ORDER BY id LIMIT $3))`
	trimReports = `DELETE FROM message_reports WHERE id = ANY (ARRAY (SELECT id FROM message_reports
		WHERE id < $1 AND created_at < $2 ORDER BY id LIMIT $3))`
	trimResends = `DELETE FROM message_resends WHERE id = ANY (ARRAY (SELECT id FROM message_resends
		WHERE id < $1 AND created_at < $2 AND finished_at IS NOT NULL ORDER BY id LIMIT $3))`
)

// Trim deletes messages that were queued before the retention, with their attempts, reports of providers before it, and
// finished resends. A message that is still to be sent stays. It returns the number of deleted rows and is idempotent.
func (s *Service) Trim(ctx context.Context) (int64, error) {
	before := s.deps.Clock.Now().Add(-s.deps.Retention)
	old := []any{storage.FirstID(before.Add(skew)), before}
	n, err := storage.Batched(ctx, s.deps.Pool, trimBatch,
		storage.Statement{SQL: trimMessages, Args: old}, storage.Statement{SQL: trimReports, Args: old},
		storage.Statement{SQL: trimResends, Args: old})
	if err != nil {
		return n, fmt.Errorf("messaging: trim: %w", err)
	}
	return n, nil
}
