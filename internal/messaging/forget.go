package messaging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/storage"
)

// forgetSet erases the recipient and text of a message. An unsent one fails.
const forgetSet = `UPDATE message_logs m SET recipient = NULL, body = '', template = NULL, waiting = false, send_after = NULL, updated_at = now(),
		status = CASE WHEN m.status = 'queued' THEN 'failed' ELSE m.status END,
		error_code = CASE WHEN m.status = 'queued' THEN 'RECIPIENT' ELSE m.error_code END `

// forgottenSQL reads the telephones of customers with the paths of their entities.
const forgottenSQL = `(SELECT k.phone, e.path FROM customers k JOIN entities e ON e.id = k.entity_id WHERE k.id = ANY($1) AND k.phone IS NOT NULL) k`

// ForgetTx erases deleted customers from messages about their tickets (found by telephone in the archive), from
// confirmations and test messages to their telephones, and from the filters of resends. It is called before their
// telephones are erased.
func (s *Service) ForgetTx(ctx context.Context, tx pgx.Tx, customers []uuid.UUID) error {
	ids := storage.UUIDs(customers)
	b := &pgx.Batch{}
	b.Queue(
		forgetSet+`FROM tickets t WHERE t.customer_id = ANY($1) AND m.ticket_id = t.id AND m.recipient IS NOT NULL`,
		ids,
	)
	b.Queue(forgetSet+`FROM `+forgottenSQL+` WHERE m.recipient = k.phone AND m.ticket_id < (SELECT archived_before()) AND k.path LIKE '%/' || m.entity_id || '/'`, ids)
	b.Queue(forgetSet+`FROM `+forgottenSQL+` WHERE m.recipient = k.phone AND m.kind = ANY($2) AND k.path LIKE '%/' || m.entity_id || '/%'`,
		ids, storage.Texts{models.MessageOptOut, models.MessageOptIn, KindTest})
	// The masked number matches no message, so an unfinished resend finds nothing more.
	b.Queue(`UPDATE message_resends r SET filter = jsonb_set(r.filter, '{recipient}', to_jsonb(left(k.phone, 3) || repeat('*', length(k.phone) - 5) || right(k.phone, 2)))
		FROM `+forgottenSQL+` WHERE r.filter ? 'recipient' AND r.filter ->> 'recipient' = k.phone AND starts_with(k.path, r.scope)`, ids)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("messaging: forget customers: %w", err)
	}
	return nil
}
