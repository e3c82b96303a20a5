package messaging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// Subject identifies a subject whose messages are versioned. Recipient is empty if the subject concerns one person.
type Subject struct {
	About     uuid.UUID
	Recipient string
}

// Delivered is the last versions of a subject for a recipient.
type Delivered struct {
	Reached bool   // a message was delivered, or may have been
	Last    string // its Outgoing.Content, of the newest version
	Waits   bool   // a message is queued
	Waiting string // its Outgoing.Content, of the newest version
}

// deliveredSQL finds the messages that were sent, or may have been, and those that wait, the oldest version first; %s
// is a condition of recipients. A failed one counts where the outcome of an attempt is not known: that is asked of
// each message for itself, by the LIMIT.
const deliveredSQL = `SELECT about, recipient, told, reached FROM (
		SELECT about, coalesce(recipient, '') AS recipient, version, told, status, status IN ('sending', 'sent', 'delivered', 'read', 'unknown')
			OR coalesce((SELECT true FROM message_attempts a WHERE a.message_id = m.id AND a.outcome IN ('unknown_outcome', 'lease_expired') LIMIT 1), false) AS reached
		FROM message_logs m WHERE about = ANY($1) AND version <> 0%s) told
	WHERE reached OR status = 'queued' ORDER BY version`

// Delivered returns the last versions of subjects, by recipient, or over all recipients if recipients is nil.
func (s *Service) Delivered(
	ctx context.Context, about []uuid.UUID, recipients []string,
) (map[Subject]Delivered, error) {
	sql, args := fmt.Sprintf(deliveredSQL, ""), []any{storage.UUIDs(about)}
	if recipients != nil {
		sql, args = fmt.Sprintf(deliveredSQL, ` AND recipient = ANY($2)`), append(args, storage.Texts(recipients))
	}
	rows, err := s.deps.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("messaging: delivered versions: %w", err)
	}
	list := map[Subject]Delivered{}
	var of Subject
	var content string
	var reached bool
	_, err = pgx.ForEachRow(rows, []any{&of.About, &of.Recipient, &content, &reached}, func() error {
		if recipients == nil {
			of.Recipient = ""
		}
		t := list[of]
		if reached {
			t.Reached, t.Last = true, content
		} else {
			t.Waits, t.Waiting = true, content
		}
		list[of] = t
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("messaging: delivered versions: %w", err)
	}
	return list, nil
}

// ReplaceTx fails the queued messages about a subject with an older version, and returns their number. An empty
// recipient means all recipients.
func (s *Service) ReplaceTx(ctx context.Context, tx pgx.Tx, of Subject, version int64) (int64, error) {
	tag, err := tx.Exec(ctx, `UPDATE message_logs SET status = 'failed', waiting = false, send_after = NULL, error_code = $4, error_text = '', updated_at = now()
		WHERE about = $1 AND version <> 0 AND version < $2 AND status = 'queued' AND ($3 = '' OR recipient = $3)`, of.About, version, of.Recipient, codeReplaced)
	if err != nil {
		return 0, fmt.Errorf("messaging: replace: %w", err)
	}
	return tag.RowsAffected(), nil
}
