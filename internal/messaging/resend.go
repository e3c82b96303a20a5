package messaging

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
)

// requeueSet requeues a message.
const requeueSet = `status = 'queued', retry_count = retry_count + 1, failures = 0, paced = 0, send_after = NULL, error_code = NULL, error_text = NULL,
	queued_at = now(), resent_at = now(), updated_at = now()`

// resendSQL is one guarded UPDATE, so that the second of two clicks is a no-op.
const resendSQL = `UPDATE message_logs m SET ` + requeueSet + `
	FROM entities e WHERE e.id = m.entity_id AND e.path LIKE $2 AND m.id = $1 AND m.status IN ('failed', 'unknown')
	RETURNING m.entity_id`

// Resend requeues a failed or unknown message for a user; an unknown one may arrive twice.
// Errors: ErrNotFound, ErrNotResendable for a message in any other state.
func (s *Service) Resend(ctx context.Context, by caller.Caller, id uuid.UUID) error {
	if _, err := s.Get(ctx, by, id); err != nil {
		return err // not found or out of scope
	}
	var entity uuid.UUID
	err := pgx.BeginFunc(ctx, s.deps.Pool, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, resendSQL, id, by.Scope.Pattern()).Scan(&entity); err != nil {
			return err
		}
		if err := enqueueSends(ctx, tx, []uuid.UUID{id}, nil); err != nil {
			return err
		}
		return activity.RecordPgxTx(ctx, tx, activity.Entry{
			Action: activity.MessagingResend, EntityID: entity, Target: id.String(),
		})
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrNotResendable
	}
	if err != nil {
		return fmt.Errorf("messaging: resend: %w", err)
	}
	s.deps.Wake()
	s.moved(ctx, entity, id, models.MessageQueued)
	return nil
}
