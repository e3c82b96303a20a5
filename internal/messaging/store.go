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
	"banca/tasks/outbox"
)

// All times are the database's, because workers of several machines compare leases.

const queuedSQL = `SELECT id, entity_id, ticket_id, kind, coalesce(recipient, ''), status, paced, coalesce(send_after, 'epoch'),
		coalesce(resent_at, created_at) < now() - $2::interval, told,
		version <> 0 AND EXISTS (SELECT 1 FROM message_logs n WHERE n.about = m.about AND n.recipient = m.recipient AND n.version > m.version AND n.version <> 0 AND n.status <> 'failed')
	FROM message_logs m WHERE id = $1`

// leaseSQL begins an attempt of a queued message. One of two concurrent tasks leases it.
const leaseSQL = `UPDATE message_logs SET status = 'sending', waiting = false, paced = 0, send_after = NULL, channel_id = $3, provider_id = NULL,
		lease_until = now() + $2::interval, attempts = attempts + 1, updated_at = now()
	WHERE id = $1 AND status = 'queued'
	RETURNING entity_id, kind, coalesce(recipient, ''), body, coalesce(image_url, ''), CASE WHEN use_template THEN template END, attempts, failures, delivery, coalesce(resent_at, created_at)`

const stateSQL = `SELECT status, greatest(coalesce(extract(epoch FROM lease_until - now()), 0), 0)::float8 FROM message_logs WHERE id = $1`

// resultSQL writes an attempt and changes the status of its message, if the attempt is the last one. If the lease has
// expired, the message is unknown, and only a certain outcome replaces that.
const resultSQL = `WITH moved AS (
		UPDATE message_logs SET status = $3, driver = $4, provider_id = coalesce(nullif($5, ''), provider_id),
			waiting = $11 AND $3 = 'queued', failures = failures + $12, delivery = delivery + CASE WHEN $3 = 'failed' THEN 1 ELSE 0 END,
			error_code = nullif($6, ''), error_text = nullif($7, ''), lease_until = NULL, send_after = $14, queued_at = greatest(now(), $14), updated_at = now()
		WHERE id = $1 AND attempts = $2 AND (status = 'sending' OR status = 'unknown' AND $3 IN ('sent', 'failed'))
		RETURNING id),
	noted AS (
		INSERT INTO message_attempts (id, message_id, number, driver, outcome, error_text, provider_id, duration_ms, delivery)
		VALUES ($8, $1, $2, $4, $9, $7, nullif($5, ''), $10, $13) ON CONFLICT (message_id, number) DO NOTHING)
	SELECT count(*) FROM moved`

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

// queued reads a message before it is sent. Errors: ErrNotFound.
func (s *Service) queued(ctx context.Context, id uuid.UUID) (*queued, error) {
	var q queued
	var ticket uuid.NullUUID
	err := s.deps.Pool.QueryRow(ctx, queuedSQL, id, s.deps.MaxAge).
		Scan(
			&q.ID, &q.EntityID, &ticket, &q.Kind, &q.Recipient, &q.status, &q.paced, &q.sendAfter, &q.expired,
			&q.Content, &q.replaced,
		)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("messaging: read: %w", err)
	}
	q.TicketID = ticket.UUID
	return &q, nil
}

// lease begins an attempt. ok is false when the message is not queued.
func (s *Service) lease(ctx context.Context, q *queued, channelID uuid.UUID) (a attempt, ok bool, err error) {
	a.ID = q.ID
	err = s.deps.Pool.QueryRow(ctx, leaseSQL, q.ID, s.deps.Lease, channelID).
		Scan(
			&a.entityID, &a.kind, &a.Recipient, &a.Body, &a.ImageURL, &a.Template, &a.number, &a.failures, &a.Delivery,
			&a.since,
		)
	if errors.Is(err, pgx.ErrNoRows) {
		return attempt{}, false, nil
	}
	if err != nil {
		return attempt{}, false, fmt.Errorf("messaging: lease: %w", err)
	}
	return a, true, nil
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

// save writes the end of an attempt, applies what the provider has reported meanwhile, and returns whether the
// message moved. A message that the provider wants as a template is queued again, if it has one.
func (s *Service) save(ctx context.Context, a attempt, r *result, channelID uuid.UUID) (moved bool, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return false, fmt.Errorf("messaging: id: %w", err)
	}
	var n int
	var done applied
	err = pgx.BeginFunc(ctx, s.deps.Pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, resultSQL, a.ID, a.number, r.status, r.driver, r.providerID, r.code, r.text,
			id, r.outcome, r.duration.Milliseconds(), r.waiting, counted(r.counted), a.Delivery, models.Optional(r.sendAfter)).Scan(&n)
		if err != nil {
			return err
		}
		if n == 1 && !r.sendAfter.IsZero() {
			if err := enqueueSends(ctx, tx, []uuid.UUID{a.ID}, outbox.At(r.sendAfter)); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, matchSQL, a.ID, channelID, r.providerID, a.Delivery); err != nil {
			return err
		}
		done, err = applyTx(ctx, tx, a.ID)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("messaging: save %s: %w", r.status, err)
	}
	if done.Status == models.MessageQueued {
		r.status = models.MessageQueued
		s.deps.Wake()
	}
	return n == 1, s.reportedMeanwhile(ctx, &overlap{message: &a.ID, channel: channelID, provider: r.providerID})
}

// reportedMeanwhile looks for reports that the transaction of a result could not see.
func (s *Service) reportedMeanwhile(ctx context.Context, o *overlap) error {
	var some bool
	err := s.deps.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM message_reports WHERE message_id = $1)
		OR EXISTS (SELECT FROM message_reports WHERE channel_id = $2 AND provider_id = $3 AND provider_id <> '')`, o.message, o.channel, o.provider).Scan(&some)
	if err != nil {
		return fmt.Errorf("messaging: reports of a result: %w", err)
	}
	if !some {
		return nil
	}
	return s.overlapped(ctx, o)
}

func counted(yes bool) int {
	if yes {
		return 1
	}
	return 0
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
