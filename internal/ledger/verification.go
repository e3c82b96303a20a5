package ledger

import (
	"context"
	"fmt"
	"time"
)

// VerifyOutcome is the outcome of a run of all checks.
type VerifyOutcome struct {
	Took                     time.Duration
	Checks, Broken, Warnings int
}

// RecordVerification stores when the books were verified, and with what outcome.
func (s *Service) RecordVerification(ctx context.Context, v VerifyOutcome) error {
	_, err := s.pg.Pool.Exec(ctx, `INSERT INTO ledger_verifications (took, checks, broken, warnings) VALUES ($1, $2, $3, $4)`, v.Took, v.Checks, v.Broken, v.Warnings)
	if err != nil {
		return fmt.Errorf("ledger: record verification: %w", err)
	}
	return nil
}
