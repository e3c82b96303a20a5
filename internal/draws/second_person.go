package draws

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/clock"
	"banca/storage"
)

// secondPerson refuses a second person who is the first one, or whose account is in the same hands. The hands of an
// account are all the persons who created it, reset its password or changed its phone within SecondPersonWait, those
// of their own accounts, and so on: each may still know the credentials. Two accounts that share a person count as
// one. Errors: ErrSamePerson.
func (s *Service) secondPerson(ctx context.Context, tx pgx.Tx, first, second uuid.UUID) error {
	if second == uuid.Nil { // a preview
		return nil
	}
	if first == second {
		return ErrSamePerson
	}
	if s.SecondPersonWait <= 0 || first == uuid.Nil {
		return nil
	}
	databaseNow, err := storage.Now(ctx, tx)
	if err != nil {
		return err
	}
	since := clock.Decide(s.Clock, databaseNow).Add(-s.SecondPersonWait)
	var shared bool
	err = tx.QueryRow(ctx, `
		WITH RECURSIVE hands (person, hand) AS (
			VALUES ($1::uuid, $1::uuid), ($2::uuid, $2::uuid)
			UNION
			SELECT h.person, c.given_by FROM hands h JOIN account_credentials c ON c.user_id = h.hand
			WHERE c.given_at > $3)
		SELECT EXISTS (SELECT 1 FROM hands a JOIN hands b USING (hand) WHERE a.person = $1 AND b.person = $2)`, first, second, since).Scan(&shared)
	if err != nil {
		return fmt.Errorf("second person: %w", err)
	}
	if shared {
		return ErrSamePerson
	}
	return nil
}
