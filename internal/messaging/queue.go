package messaging

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging/channel"
	"banca/storage"
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
	Trace     string            // telemetry.TraceOf the request or task that queues it; empty for the trace of QueueTx
}

const insertSQL = `INSERT INTO message_logs (id, entity_id, ticket_id, about, kind, recipient, body, image_url, template, version, told)
	SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::uuid[]), unnest($5::text[]), unnest($6::text[]), unnest($7::text[]),
		nullif(unnest($8::text[]), ''), nullif(unnest($9::text[]), '')::jsonb, unnest($10::bigint[]), unnest($11::text[])
	ON CONFLICT DO NOTHING RETURNING id`

// QueueTx writes messages and their tasks in the caller's transaction. An existing message is left out; created is the
// number of the others. The caller wakes the outbox after the commit. Errors: ErrInvalidRecipient, ErrInvalidMessage.
func (s *Service) QueueTx(ctx context.Context, tx pgx.Tx, list ...*Outgoing) (created int, err error) {
	if len(list) == 0 {
		return 0, nil
	}
	ids, columns, err := columnsOf(list)
	if err != nil {
		return 0, err
	}
	rows, err := tx.Query(ctx, insertSQL, columns...)
	if err != nil {
		return 0, fmt.Errorf("messaging: queue: %w", err)
	}
	inserted, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return 0, fmt.Errorf("messaging: queue: %w", err)
	}
	traces := make(map[uuid.UUID]string, len(list))
	for i, m := range list {
		traces[ids[i]] = m.Trace
	}
	return len(inserted), enqueueSends(ctx, tx, inserted, traces)
}

// columnsOf validates messages, gives ids to new ones and returns the columns of their rows.
func columnsOf(list []*Outgoing) (ids storage.UUIDs, columns []any, err error) {
	n := len(list)
	ids = make(storage.UUIDs, n)
	entities, ticketIDs, abouts := make(storage.UUIDs, n), make(storage.MaybeUUIDs, n), make(storage.MaybeUUIDs, n)
	kinds, recipients, bodies, pictures := make(storage.Texts, n), make(storage.Texts, n), make(storage.Texts, n), make(storage.Texts, n)
	templates, versions, contents := make(storage.Texts, n), make(storage.Bigints, n), make(storage.Texts, n)
	for i, m := range list {
		if err := m.Validate(); err != nil {
			return nil, nil, err
		}
		if ids[i] = m.ID; m.ID == uuid.Nil {
			ids[i] = uuid.Must(uuid.NewV7())
		}
		if m.Template != nil {
			raw, err := json.Marshal(m.Template)
			if err != nil {
				return nil, nil, fmt.Errorf("messaging: template: %w", err)
			}
			templates[i] = string(raw)
		}
		entities[i], ticketIDs[i], abouts[i], kinds[i], recipients[i] = m.EntityID, m.TicketID, m.About, m.Kind, m.Recipient
		bodies[i], pictures[i], versions[i], contents[i] = m.Body, m.ImageURL, m.Version, m.Content
	}
	columns = []any{ids, entities, ticketIDs, abouts, kinds, recipients, bodies, pictures, templates, versions, contents}
	return ids, columns, nil
}

// enqueueSends writes the send task of each message, in the traces of the messages that have one of their own.
func enqueueSends(ctx context.Context, tx pgx.Tx, ids []uuid.UUID, traces map[uuid.UUID]string) error {
	rows := make([]outbox.Row, len(ids))
	for i, id := range ids {
		row, err := sendRow(id, traces[id])
		if err != nil {
			return err
		}
		rows[i] = row
	}
	return outbox.EnqueueTx(ctx, tx, rows...)
}

// sendRow returns the send task of a message, in a trace, "" for the trace of the transaction that writes it.
func sendRow(id uuid.UUID, trace string, options ...outbox.Option) (outbox.Row, error) {
	row, err := outbox.NewRow(tasks.MessageSend{MessageID: id}, options...)
	row.Trace = trace
	return row, err
}

// Validate checks a message before it is written; no message is valid. Errors: ErrInvalidRecipient, ErrInvalidMessage.
func (m *Outgoing) Validate() error {
	if m == nil {
		return nil
	}
	if !isE164(m.Recipient) {
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

// isE164 reports whether a recipient is an international number: a plus sign and 8 to 15 digits, the first one not zero.
func isE164(recipient string) bool {
	digits, ok := strings.CutPrefix(recipient, "+")
	return ok && len(digits) >= 8 && len(digits) <= 15 && digits[0] != '0' && strings.Trim(digits, "0123456789") == ""
}
