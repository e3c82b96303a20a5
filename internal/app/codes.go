package app

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/auth"
	"banca/models"
)

// hiddenCode stands where a message's text is kept; the text is computed when the message is sent.
const hiddenCode = "••••••"

// sendCode queues the message of a one-time code, unless the code was used or has expired meanwhile.
func (s *services) sendCode(ctx context.Context, id uuid.UUID) error {
	to, err := s.auth.CodeRecipient(ctx, id)
	if errors.Is(err, auth.ErrCodeGone) {
		return nil
	}
	if err != nil {
		return err
	}
	err = s.pg.InTx(ctx, func(tx pgx.Tx) error {
		_, err := s.messaging.QueueTextTx(ctx, tx, id, to.EntityID, models.MessageCode, to.Phone, hiddenCode)
		return err
	})
	if err == nil {
		s.notifier.Wake()
	}
	return err
}
