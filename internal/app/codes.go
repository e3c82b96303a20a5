package app

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/auth"
	"banca/internal/messaging"
	"banca/internal/messaging/templates"
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
	text, err := s.codeText(ctx, auth.SentCode{CodeRecipient: to, Digits: hiddenCode})
	if err != nil {
		return err
	}
	err = s.pg.InTx(ctx, func(tx pgx.Tx) error {
		_, err := s.messaging.QueueTx(ctx, tx, &messaging.Outgoing{
			ID: id, EntityID: to.EntityID, Kind: models.MessageCode, Recipient: to.Phone, Body: hiddenCode, Template: text.Template,
		})
		return err
	})
	if err == nil {
		s.notifier.Wake()
	}
	return err
}

// codeMessage writes the text of a one-time code when it is sent.
func (s *services) codeMessage(ctx context.Context, id uuid.UUID) (messaging.CodeMessage, error) {
	code, err := s.auth.SentCode(ctx, id)
	if err != nil {
		return messaging.CodeMessage{}, err
	}
	text, err := s.codeText(ctx, code)
	if err != nil {
		return messaging.CodeMessage{}, err
	}
	return messaging.CodeMessage{Body: text.Body, Template: text.Template}, nil
}

func (s *services) codeText(ctx context.Context, code auth.SentCode) (*templates.Message, error) {
	return s.templates.Compose(ctx, &templates.Request{EntityID: code.EntityID, Purpose: templates.Code, Values: func(templates.Language) templates.Values {
		return templates.Values{templates.FieldCode: code.Digits, templates.FieldMinutes: strconv.Itoa(code.Minutes)}
	}})
}
