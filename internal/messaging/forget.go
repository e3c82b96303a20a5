package messaging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// ForgetTx erases the recipients of the messages about tickets of deleted customers. One that is not sent yet fails.
func (s *Service) ForgetTx(ctx context.Context, tx pgx.Tx, customers []uuid.UUID) error {
	_, err := tx.Exec(ctx, `UPDATE message_logs m SET recipient = NULL, waiting = false, send_after = NULL, updated_at = now(),
			status = CASE WHEN m.status = 'queued' THEN 'failed' ELSE m.status END,
			error_code = CASE WHEN m.status = 'queued' THEN 'RECIPIENT' ELSE m.error_code END
		FROM tickets t WHERE t.customer_id = ANY($1) AND m.ticket_id = t.id AND m.recipient IS NOT NULL`, storage.UUIDs(customers))
	if err != nil {
		return fmt.Errorf("messaging: forget recipients: %w", err)
	}
	return nil
}
