package messaging

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging/channel"
	"banca/internal/platform/realtime"
	"banca/models"
)

// All times are the database's, because workers of several machines compare leases.

const stateSQL = `SELECT status, greatest(coalesce(extract(epoch FROM lease_until - now()), 0), 0)::float8 FROM message_logs WHERE id = $1`

// expireSQL makes messages with an expired lease unknown.
const expireSQL = `WITH late AS (
		SELECT id FROM message_logs WHERE status = 'sending' AND lease_until <= now() AND ($1::uuid IS NULL OR id = $1)
		ORDER BY queued_at LIMIT $2 FOR UPDATE SKIP LOCKED),
	gone AS (
		UPDATE message_logs m SET status = 'unknown', lease_until = NULL, error_code = 'LEASE_EXPIRED',
			error_text = 'the attempt was cut off', updated_at = now()
		FROM late WHERE m.id = late.id
		RETURNING m.id, m.attempts, m.entity_id, m.delivery),
	noted AS (
		INSERT INTO message_attempts (id, message_id, number, outcome, error_text, duration_ms, delivery)
		SELECT gen_random_uuid(), id, attempts, 'lease_expired', 'the attempt was cut off', 0, delivery FROM gone
		ON CONFLICT (message_id, number) DO NOTHING)
	SELECT id, entity_id FROM gone`

// attempt is a leased message.
type attempt struct {
	channel.Message

	entityID uuid.UUID
	kind     string
	number   int
	failures int       // before it
	since    time.Time // the request of a person, or the event
}

// queued is a message whose task runs.
type queued struct {
	Queued

	status    string
	paced     int       // its slots
	sendAfter time.Time // instant of the last slot
	expired   bool      // too old to be sent
	replaced  bool      // a newer version of its subject is queued or sent
	obsolete  string    // why it must not be sent, or ""
	route     channel.Route
	paused    bool  // its channel
	err       error // of what belongs to it
}

// result is the end of an attempt.
type result struct {
	status     string
	driver     string
	providerID string
	code       string // of the message
	outcome    string // of the attempt
	text       string
	duration   time.Duration
	waiting    bool      // for its channel
	counted    bool      // towards the limit of attempts
	sendAfter  time.Time // requested by the provider; zero without
}

// state returns a message's status and the rest of its lease.
func (s *Service) state(ctx context.Context, id uuid.UUID) (status string, left time.Duration, err error) {
	var seconds float64
	err = s.deps.Pool.QueryRow(ctx, stateSQL, id).Scan(&status, &seconds)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", 0, ErrNotFound
	}
	if err != nil {
		return "", 0, fmt.Errorf("messaging: state: %w", err)
	}
	return status, time.Duration(seconds * float64(time.Second)), nil
}

// expire makes messages unknown whose lease has expired: the one with this id, or up to limit of all when
// id is null. It returns how many.
func (s *Service) expire(ctx context.Context, id uuid.NullUUID, limit int) (n int, err error) {
	rows, err := s.deps.Pool.Query(ctx, expireSQL, id, limit)
	if err != nil {
		return 0, fmt.Errorf("messaging: expire: %w", err)
	}
	type owned struct{ ID, EntityID uuid.UUID }
	gone, err := pgx.CollectRows(rows, pgx.RowToStructByPos[owned])
	if err != nil {
		return 0, fmt.Errorf("messaging: expire: %w", err)
	}
	for _, m := range gone {
		s.moved(ctx, m.EntityID, m.ID, models.MessageUnknown)
	}
	return len(gone), nil
}

// moved publishes a message's new status to the entity's devices, except sending.
func (s *Service) moved(ctx context.Context, entity, id uuid.UUID, status string) {
	s.deps.Events.Publish(
		ctx, realtime.Entity(entity),
		realtime.EventOf(s.deps.Clock.Now(), realtime.UpdatedMessage{MessageID: id, Status: status}),
	)
}

// done reports whether a status is past sending.
func done(status string) bool {
	return status != models.MessageQueued && status != models.MessageSending
}
