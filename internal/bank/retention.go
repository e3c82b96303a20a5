package bank

import (
	"context"
	"fmt"

	"banca/storage"
)

// trimBatch bounds the rows that one statement changes.
const trimBatch = 5_000

const (
	trimPayloads = `UPDATE bank_events SET raw = NULL, fields = NULL, phone = NULL WHERE id IN (SELECT id FROM bank_events
		WHERE received_at < $1 AND (raw IS NOT NULL OR fields IS NOT NULL OR phone IS NOT NULL) LIMIT $2)`
	trimEvents = `DELETE FROM bank_events WHERE id IN (SELECT id FROM bank_events WHERE received_at < $1 LIMIT $2)`
)

// Trim erases the contents of calls and deletes events that are older than their retention. Payments are kept. It returns the number of changed rows and is idempotent.
func (s *Service) Trim(ctx context.Context) (int64, error) {
	now := s.Clock.Now()
	n, err := storage.Batched(ctx, s.PG.Pool, trimBatch,
		storage.Statement{SQL: trimPayloads, Args: []any{now.Add(-s.Options.PayloadRetention)}},
		storage.Statement{SQL: trimEvents, Args: []any{now.Add(-s.Options.EventRetention)}})
	if err != nil {
		return n, fmt.Errorf("trim bank events: %w", err)
	}
	return n, nil
}
