package messaging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/models"
)

// Codes of messages that are not sent.
const (
	codeTooOld   = "TOO_OLD"  // not sent in time
	codeReplaced = "REPLACED" // a newer version of its subject is queued or sent

	CodeTicketCancelled = "TICKET_CANCELLED" // the receipt of a ticket that was cancelled
)

// examine sets why queued messages must not be sent, and the errors of messages of which it cannot be decided now.
func (s *Service) examine(ctx context.Context, list []*queued) error {
	var open []Queued
	var places []*queued
	for _, q := range list {
		switch {
		case q.status != models.MessageQueued:
		case q.expired:
			q.obsolete = codeTooOld
		case q.replaced:
			q.obsolete = codeReplaced
		default:
			open, places = append(open, q.Queued), append(places, q)
		}
	}
	if s.deps.Obsolete == nil || len(open) == 0 {
		return nil
	}
	codes, err := s.deps.Obsolete(ctx, open)
	if err != nil {
		return undecided(err)
	}
	for i, q := range places {
		if q.obsolete = codes[i].Code; codes[i].Err != nil {
			q.err = undecided(codes[i].Err)
		}
	}
	return nil
}

func undecided(err error) error {
	return apperr.Wrap(err, apperr.Unavailable, "MESSAGE_UNDECIDED", "it cannot be decided now whether the message is to be sent")
}

// WithdrawReceiptTx fails the receipt of a cancelled ticket that is still queued, in the caller's transaction. left
// reports whether the receipt was sent, or may have been.
func (s *Service) WithdrawReceiptTx(ctx context.Context, tx pgx.Tx, ticket uuid.UUID) (left bool, err error) {
	_, err = tx.Exec(ctx, `UPDATE message_logs SET status = 'failed', waiting = false, error_code = $2, error_text = '', updated_at = now()
		WHERE ticket_id = $1 AND kind = 'receipt' AND status = 'queued'`, ticket, CodeTicketCancelled)
	if err == nil {
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM message_logs WHERE ticket_id = $1 AND kind = 'receipt' AND status <> 'failed')`, ticket).Scan(&left)
	}
	if err != nil {
		return false, fmt.Errorf("messaging: withdraw receipt: %w", err)
	}
	return left, nil
}

// drop fails a message without an attempt.
func (s *Service) drop(ctx context.Context, q *queued, code string) error {
	tag, err := s.deps.Pool.Exec(ctx, `UPDATE message_logs SET status = 'failed', waiting = false, error_code = $2, error_text = '', updated_at = now()
		WHERE id = $1 AND status = 'queued'`, q.ID, code)
	if err != nil {
		return fmt.Errorf("messaging: drop: %w", err)
	}
	if tag.RowsAffected() == 1 {
		s.moved(ctx, q.EntityID, q.ID, models.MessageFailed)
	}
	return nil
}
