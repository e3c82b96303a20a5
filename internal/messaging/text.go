package messaging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// QueueTextTx writes a text message and its task in the caller's transaction. The caller chooses the id, and a
// message of this id that exists already is left alone: created is false then. The caller wakes the outbox
// after the commit. recipient is E.164.
func (s *Service) QueueTextTx(ctx context.Context, tx pgx.Tx, id, entityID uuid.UUID, kind, recipient, body string) (created bool, err error) {
	if err := validate(recipient, body, ""); err != nil {
		return false, err
	}
	tag, err := tx.Exec(ctx, `INSERT INTO message_logs (id, entity_id, kind, recipient, body) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`,
		id, entityID, kind, recipient, body)
	if err != nil {
		return false, fmt.Errorf("messaging: queue text: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return false, nil
	}
	return true, enqueueSends(ctx, tx, []uuid.UUID{id})
}
