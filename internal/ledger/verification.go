package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"banca/tasks"
	"banca/tasks/outbox"
)

// VerifyOutcome is the outcome of a run of all checks.
type VerifyOutcome struct {
	Took                     time.Duration
	Checks, Broken, Warnings int
}

// verifyEvery is the least time between two verifications that people start: a verification reads every table whole.
const verifyEvery = 15 * time.Minute

// StartVerification queues a verification of the books. Within the same quarter of an hour it is queued once.
func (s *Service) StartVerification(ctx context.Context, now time.Time) error {
	id := uuid.NewSHA1(uuid.Nil, []byte("ledger.verify@"+now.UTC().Truncate(verifyEvery).Format(time.RFC3339)))
	row, err := outbox.NewRow(tasks.LedgerVerify{}, outbox.WithID(id))
	if err != nil {
		return err
	}
	_, err = outbox.EnqueueOnce(ctx, s.pg.Pool, row)
	return err
}

// RecordVerification stores when the books were verified, and with what outcome.
func (s *Service) RecordVerification(ctx context.Context, v VerifyOutcome) error {
	_, err := s.pg.Pool.Exec(ctx, `INSERT INTO ledger_verifications (took, checks, broken, warnings) VALUES ($1, $2, $3, $4)`, v.Took, v.Checks, v.Broken, v.Warnings)
	if err != nil {
		return fmt.Errorf("ledger: record verification: %w", err)
	}
	return nil
}
