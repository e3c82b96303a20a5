package bank

import (
	"context"
	"fmt"
)

// trimBatch bounds what one statement erases or deletes, and so how long it holds locks.
const trimBatch = 5_000

// Trim erases bodies and deletes events and alerts that are older than their retention; payments stay. It
// returns how many rows it touched and is safe to repeat.
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
				return total, fmt.Errorf("trim the bank's records: %w", err)
			}
			total += tag.RowsAffected()
			if tag.RowsAffected() < trimBatch {
				break
			}
		}
	}
	return total, nil
}
