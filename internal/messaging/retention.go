package messaging

import (
	"context"
	"fmt"
	"time"

	"banca/storage"
)

// trimBatch bounds the rows that one statement deletes, and so how long it holds locks.
const trimBatch = 2_000

// Trim deletes messages that were queued before the retention, with their attempts, what providers reported before
// it, and resends that were finished. A message that is still to be sent stays. It returns the number of deleted rows
// and is idempotent.
func (s *Service) Trim(ctx context.Context) (int64, error) {
	before := s.config.Clock.Now().Add(-s.config.Retention)
	var total int64
	for _, sql := range []string{trimMessages, trimReports, trimResends} {
		for {
			n, err := s.trim(ctx, sql, before)
			if total += n; err != nil {
				return total, err
			}
			if n < trimBatch {
				break
			}
		}
	}
	return total, nil
}

// Ids of version 7 grow with time, so the primary keys find old rows.
const (
	trimMessages = `DELETE FROM message_logs WHERE id = ANY (ARRAY (
		SELECT id FROM message_logs WHERE id < $1 AND created_at < $2 AND status NOT IN ('queued', 'sending') ORDER BY id LIMIT $3))`
	trimReports = `DELETE FROM message_reports WHERE id = ANY (ARRAY (SELECT id FROM message_reports WHERE id < $1 AND created_at < $2 ORDER BY id LIMIT $3))`
	trimResends = `DELETE FROM message_resends WHERE id = ANY (ARRAY (
		SELECT id FROM message_resends WHERE id < $1 AND created_at < $2 AND finished_at IS NOT NULL ORDER BY id LIMIT $3))`
)

func (s *Service) trim(ctx context.Context, sql string, before time.Time) (int64, error) {
	tag, err := s.config.Pool.Exec(ctx, sql, storage.FirstID(before.Add(skew)), before, trimBatch)
	if err != nil {
		return 0, fmt.Errorf("messaging: trim: %w", err)
	}
	return tag.RowsAffected(), nil
}
