package messaging

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/tasks"
	"banca/tasks/outbox"
)

// Bounds of a message. WhatsApp takes captions of up to 1,024 characters.
const (
	maxBody = 1024 // characters
	maxURL  = 2048 // bytes
)

const insertReceiptSQL = `INSERT INTO message_logs (id, entity_id, ticket_id, kind, recipient, body, image_url)
	VALUES ($1, $2, $3, 'receipt', $4, $5, nullif($6, ''))
	ON CONFLICT (ticket_id) WHERE kind = 'receipt' AND ticket_id IS NOT NULL DO NOTHING`

const receiptIDSQL = `SELECT id FROM message_logs WHERE ticket_id = $1 AND kind = 'receipt'`

// QueueReceiptTx writes the receipt message of a ticket and its task in the caller's transaction. A ticket
// that has one keeps it: created is false then, the id is that of the first, and nothing is written. The
// caller wakes the outbox after the commit. recipient is E.164; imageURL may be empty for a text.
func (s *Service) QueueReceiptTx(ctx context.Context, tx pgx.Tx, entityID, ticketID uuid.UUID, recipient, body, imageURL string) (messageID uuid.UUID, created bool, err error) {
	if err := validate(recipient, body, imageURL); err != nil {
		return uuid.Nil, false, err
	}
	messageID, err = uuid.NewV7()
	if err != nil {
		return uuid.Nil, false, fmt.Errorf("messaging: id: %w", err)
	}
	tag, err := tx.Exec(ctx, insertReceiptSQL, messageID, entityID, ticketID, recipient, body, imageURL)
	if err != nil {
		return uuid.Nil, false, fmt.Errorf("messaging: queue receipt: %w", err)
	}
	if tag.RowsAffected() == 0 {
		err := tx.QueryRow(ctx, receiptIDSQL, ticketID).Scan(&messageID)
		if err != nil {
			return uuid.Nil, false, fmt.Errorf("messaging: find receipt: %w", err)
		}
		return messageID, false, nil
	}
	if err := enqueueSends(ctx, tx, []uuid.UUID{messageID}); err != nil {
		return uuid.Nil, false, err
	}
	return messageID, true, nil
}

// enqueueSends writes the send task of each message.
func enqueueSends(ctx context.Context, tx pgx.Tx, ids []uuid.UUID) error {
	rows := make([]outbox.Row, len(ids))
	for i, id := range ids {
		row, err := outbox.NewRow(tasks.MessageSend{MessageID: id.String()})
		if err != nil {
			return err
		}
		rows[i] = row
	}
	return outbox.EnqueueTx(ctx, tx, rows...)
}

// validate checks a message before it is written, while its sender can still be answered.
func validate(recipient, body, imageURL string) error {
	if !regexp.MustCompile(`^\+[1-9][0-9]{7,14}$`).MatchString(recipient) {
		return ErrInvalidRecipient
	}
	switch {
	case body == "" && imageURL == "":
		return ErrInvalidMessage.WithCause(errors.New("neither text nor picture"))
	case utf8.RuneCountInString(body) > maxBody:
		return ErrInvalidMessage.WithCause(errors.New("text too long"))
	case imageURL != "" && !strings.HasPrefix(imageURL, "https://") && !strings.HasPrefix(imageURL, "http://"), len(imageURL) > maxURL:
		return ErrInvalidMessage.WithCause(errors.New("unusable picture address"))
	}
	return nil
}
