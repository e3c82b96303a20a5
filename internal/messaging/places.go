package messaging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/pace"
	"banca/tasks"
	"banca/tasks/outbox"
)

const (
	tolerance    = 250 * time.Millisecond // a message may be sent so long before its slot
	channelBurst = 2 * time.Second        // of messages at once after an idle time
)

// inPlace reports whether a message may be sent now. Otherwise a task for its slot is scheduled. A message takes the
// slot of its recipient before the slot of its channel, so that a wait for the recipient blocks no channel.
func (s *Service) inPlace(ctx context.Context, q *queued, route *channel.Route) (bool, error) {
	if s.deps.Pacer == nil {
		return true, nil
	}
	prefix := "messaging:pace:{" + route.Channel.ID.String() + "}"
	recipient := s.deps.RecipientLane
	recipient.Key = prefix + ":" + digest(q.Recipient)
	lanes := []pace.Lane{recipient, {}}
	if route.PerMinute > 0 {
		lanes[1] = pace.PerMinute(prefix, route.PerMinute, channelBurst)
	}
	for i, lane := range lanes[q.paced:] {
		at, err := s.deps.Pacer.Take(ctx, lane)
		if err != nil {
			return false, fmt.Errorf("messaging: place: %w", err)
		}
		if at.Sub(s.deps.Clock.Now()) > tolerance {
			return false, s.delay(ctx, q.ID, q.paced+i+1, at)
		}
	}
	return true, nil
}

// digest keeps telephone numbers out of the keys of Redis.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// delay stores a message's slot and enqueues its task. queued_at moves along, so the task counts as lost only after the
// slot.
func (s *Service) delay(ctx context.Context, id uuid.UUID, place int, at time.Time) error {
	row, err := outbox.NewRow(tasks.MessageSend{MessageID: id}, outbox.At(at))
	if err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, s.deps.Pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE message_logs SET paced = $2, send_after = $3, queued_at = greatest(queued_at, $3), updated_at = now()
			WHERE id = $1 AND status = 'queued' AND paced < $2`, id, place, at)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		return outbox.EnqueueTx(ctx, tx, row)
	})
	if err != nil {
		return fmt.Errorf("messaging: delay: %w", err)
	}
	s.deps.Wake()
	return nil
}
