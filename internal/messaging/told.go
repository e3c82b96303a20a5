package messaging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// Thing is what versions of messages are about. Recipient is empty where a thing concerns one person.
type Thing struct {
	About     uuid.UUID
	Recipient string
}

// Told is what a recipient was told of a thing.
type Told struct {
	Reached bool   // a message was delivered, or may have been
	Last    string // Outgoing.Told of the newest of those
	Waits   bool   // a message waits to be sent
	Waiting string // Outgoing.Told of the newest of those
}

// toldSQL finds the messages that were sent, or may have been, and those that wait, the oldest version first; %s is a condition of recipients. A failed one
// counts where the outcome of an attempt is not known: that is asked of each message for itself, by the LIMIT.
const toldSQL = `SELECT about, recipient, told, reached FROM (
		SELECT about, coalesce(recipient, '') AS recipient, version, told, status, status IN ('sending', 'sent', 'delivered', 'read', 'unknown')
			OR coalesce((SELECT true FROM message_attempts a WHERE a.message_id = m.id AND a.outcome IN ('unknown_outcome', 'lease_expired') LIMIT 1), false) AS reached
		FROM message_logs m WHERE about = ANY($1) AND version <> 0%s) told
	WHERE reached OR status = 'queued' ORDER BY version`

// Told returns what the recipients of versions of things were told; of recipients, where they are given, and of everybody as one otherwise.
func (s *Service) Told(ctx context.Context, about []uuid.UUID, recipients []string) (map[Thing]Told, error) {
	sql, args := fmt.Sprintf(toldSQL, ""), []any{storage.UUIDs(about)}
	if recipients != nil {
		sql, args = fmt.Sprintf(toldSQL, ` AND recipient = ANY($2)`), append(args, storage.Texts(recipients))
	}
	rows, err := s.config.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("messaging: told: %w", err)
	}
	list := map[Thing]Told{}
	var of Thing
	var told string
	var reached bool
	_, err = pgx.ForEachRow(rows, []any{&of.About, &of.Recipient, &told, &reached}, func() error {
		if recipients == nil {
			of.Recipient = ""
		}
		t := list[of]
		if reached {
			t.Reached, t.Last = true, told
		} else {
			t.Waits, t.Waiting = true, told
		}
		list[of] = t
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("messaging: told: %w", err)
	}
	return list, nil
}

// ReplaceTx fails the messages about a thing that wait to tell an older version than this one, and returns how many. An empty recipient means everybody.
func (s *Service) ReplaceTx(ctx context.Context, tx pgx.Tx, of Thing, version int64) (int64, error) {
	tag, err := tx.Exec(ctx, `UPDATE message_logs SET status = 'failed', waiting = false, send_after = NULL, error_code = $4, error_text = '', updated_at = now()
		WHERE about = $1 AND version <> 0 AND version < $2 AND status = 'queued' AND ($3 = '' OR recipient = $3)`, of.About, version, of.Recipient, codeReplaced)
	if err != nil {
		return 0, fmt.Errorf("messaging: replace: %w", err)
	}
	return tag.RowsAffected(), nil
}
