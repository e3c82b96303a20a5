package messaging

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging/channel"
	"banca/models"
	"banca/tasks"
	"banca/tasks/outbox"
)

// Bounds of a message, in characters, as WhatsApp has them.
const (
	maxCaption = 1024 // of a picture
	maxBody    = 4096
	maxURL     = 2048 // bytes
)

// Outgoing is a message to queue. A ticket has one receipt. A recipient gets one message of a kind about a subject, or
// one per version of the subject.
type Outgoing struct {
	ID        uuid.UUID // chosen by the caller; zero for a new one
	EntityID  uuid.UUID
	TicketID  uuid.UUID // zero without one; its customer's deletion erases the recipient
	About     uuid.UUID // zero for a message that may be repeated
	Version   int64     // of the subject, an instant in microseconds; zero for a subject that does not change
	Content   string    // of the version, compared with later versions; empty without a version
	Kind      string
	Recipient string // E.164
	Body      string
	ImageURL  string            // empty for a text
	Template  *channel.Template // sent where the provider refuses a free text; nil without one
}

const insertSQL = `INSERT INTO message_logs (id, entity_id, ticket_id, about, kind, recipient, body, image_url, template, version, told)
	VALUES ($1, $2, $3, $4, $5, $6, $7, nullif($8, ''), $9, $10, $11) ON CONFLICT DO NOTHING`

// QueueTx writes a message and its task in the caller's transaction. For an existing message it is a no-op:
// created is false then. The caller wakes the outbox after the commit. Errors: ErrInvalidRecipient,
// ErrInvalidMessage.
func (s *Service) QueueTx(ctx context.Context, tx pgx.Tx, m *Outgoing) (created bool, err error) {
	if err := m.validate(); err != nil {
		return false, err
	}
	id := m.ID
	if id == uuid.Nil {
		if id, err = uuid.NewV7(); err != nil {
			return false, fmt.Errorf("messaging: id: %w", err)
		}
	}
	var template []byte
	if m.Template != nil {
		if template, err = json.Marshal(m.Template); err != nil {
			return false, fmt.Errorf("messaging: template: %w", err)
		}
	}
	tag, err := tx.Exec(
		ctx, insertSQL, id, m.EntityID, models.Optional(m.TicketID), models.Optional(m.About), m.Kind, m.Recipient,
		m.Body, m.ImageURL, template, m.Version, m.Content,
	)
	if err != nil {
		return false, fmt.Errorf("messaging: queue: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return false, nil
	}
	return true, enqueueSends(ctx, tx, []uuid.UUID{id})
}

// enqueueSends writes the send task of each message.
func enqueueSends(ctx context.Context, tx pgx.Tx, ids []uuid.UUID, options ...outbox.Option) error {
	rows := make([]outbox.Row, len(ids))
	for i, id := range ids {
		row, err := outbox.NewRow(tasks.MessageSend{MessageID: id}, options...)
		if err != nil {
			return err
		}
		rows[i] = row
	}
	return outbox.EnqueueTx(ctx, tx, rows...)
}

// validate checks a message before it is written.
func (m *Outgoing) validate() error {
	if !regexp.MustCompile(`^\+[1-9][0-9]{7,14}$`).MatchString(m.Recipient) {
		return ErrInvalidRecipient
	}
	limit := maxBody
	if m.ImageURL != "" {
		limit = maxCaption
	}
	switch {
	case m.Body == "" && m.ImageURL == "":
		return ErrInvalidMessage.WithCause(errors.New("neither text nor picture"))
	case utf8.RuneCountInString(m.Body) > limit:
		return ErrInvalidMessage.WithCause(errors.New("text too long"))
	case m.ImageURL != "" && !strings.HasPrefix(m.ImageURL, "https://") && !strings.HasPrefix(m.ImageURL, "http://"), len(m.ImageURL) > maxURL:
		return ErrInvalidMessage.WithCause(errors.New("unusable picture address"))
	}
	return nil
}
