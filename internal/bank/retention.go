package bank

import (
	"context"
	"fmt"
)

// trimBatch bounds the rows that one statement changes, and so how long it holds locks.
const trimBatch = 5_000

// Trim erases the contents of calls, and deletes events and alerts, that are older than their retention. Payments are
// kept. It returns the number of changed rows and is idempotent.
func (s *Service) Trim(ctx context.Context) (int64, error) {
	now := s.Clock.Now()
	var total int64
	for _, step := range []struct {
		sql    string
		before any
	}{
		{`UPDATE bank_events SET raw = NULL, fields = NULL, phone = NULL WHERE id IN (SELECT id FROM bank_events
			WHERE received_at < $1 AND (raw IS NOT NULL OR fields IS NOT NULL OR phone IS NOT NULL) LIMIT $2)`, now.Add(-s.Options.PayloadRetention)},
		{`DELETE FROM bank_events WHERE id IN (SELECT id FROM bank_events WHERE received_at < $1 LIMIT $2)`, now.Add(-s.Options.EventRetention)},
		{`DELETE FROM security_alerts WHERE id IN (SELECT id FROM security_alerts WHERE last_seen_at < $1 LIMIT $2)`, now.Add(-s.Options.EventRetention)},
	} {
		for {
			tag, err := s.PG.Pool.Exec(ctx, step.sql, step.before, trimBatch)
			if err != nil {
				return total, fmt.Errorf("trim bank events: %w", err)
			}
			total += tag.RowsAffected()
			if tag.RowsAffected() < trimBatch {
				break
			}
		}
	}
	return total, nil
}
