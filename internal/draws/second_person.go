package draws

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// requireSecondPerson returns ErrSamePerson if the second user is the first one, or if a common user controls both
// accounts. The controllers of an account are its user and the users who created it, reset its password or changed its
// phone within SecondPersonWait, because they may still know its credentials; and the controllers of their accounts in
// turn.
func (s *Service) requireSecondPerson(ctx context.Context, tx pgx.Tx, first, second uuid.UUID) error {
	if second == uuid.Nil { // a preview
		return nil
	}
	if first == second {
		return ErrSamePerson
	}
	if s.SecondPersonWait <= 0 || first == uuid.Nil {
		return nil
	}
	now, err := storage.DecisionTime(ctx, tx, s.Clock)
	if err != nil {
		return err
	}
	since := now.Add(-s.SecondPersonWait)
	var shared bool
	err = tx.QueryRow(ctx, `
		WITH RECURSIVE controllers (account, controller) AS (
			VALUES ($1::uuid, $1::uuid), ($2::uuid, $2::uuid)
			UNION
			SELECT k.account, c.given_by FROM controllers k JOIN account_credentials c ON c.user_id = k.controller
			WHERE c.given_at > $3)
		SELECT EXISTS (SELECT 1 FROM controllers a JOIN controllers b USING (controller) WHERE a.account = $1 AND b.account = $2)`, first, second, since).Scan(&shared)
	if err != nil {
		return fmt.Errorf("second person: %w", err)
	}
	if shared {
		return ErrSamePerson
	}
	return nil
}
