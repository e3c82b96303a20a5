package messaging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/tasks/outbox"
)

// useTemplateTx queues a message again that failed because the provider takes only a template from it, if it has one
// that was not tried, and reports whether it did. Such a message was certainly not delivered.
func useTemplateTx(ctx context.Context, tx pgx.Tx, id uuid.UUID, trace string) (bool, error) {
	tag, err := tx.Exec(ctx, `UPDATE message_logs SET status = 'queued', use_template = true, paced = 0, send_after = NULL, queued_at = now(), updated_at = now()
		WHERE id = $1 AND status = 'failed' AND error_code = 'NEEDS_TEMPLATE' AND template IS NOT NULL AND NOT use_template`, id)
	if err != nil {
		return false, fmt.Errorf("use template: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return false, nil
	}
	row, err := sendRow(id, trace)
	if err != nil {
		return false, err
	}
	return true, outbox.EnqueueTx(ctx, tx, row)
}
