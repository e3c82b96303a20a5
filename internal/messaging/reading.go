package messaging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/internal/platform/groupcommit"
	"banca/models"
	"banca/storage"
)

const queuedSQL = `SELECT id, entity_id, ticket_id, kind, coalesce(recipient, ''), status, paced, coalesce(send_after, 'epoch'),
		coalesce(resent_at, created_at) < now() - $2::interval, told,
		version <> 0 AND EXISTS (SELECT 1 FROM message_logs n WHERE n.about = m.about AND n.recipient = m.recipient AND n.version > m.version AND n.version <> 0 AND n.status <> 'failed')
	FROM message_logs m WHERE id = ANY($1)`

const pausedSQL = `SELECT channel_id FROM messaging_channels WHERE paused_until IS NOT NULL`

// readQueued reads messages before they are sent, with their routes and the reasons not to send them.
func (s *Service) readQueued(ctx context.Context, calls []*groupcommit.Call[uuid.UUID, *queued]) error {
	ids := make(storage.UUIDs, len(calls))
	for i, c := range calls {
		ids[i] = c.Argument
	}
	found, err := s.queuedMessages(ctx, ids)
	if err != nil {
		return err
	}
	for _, c := range calls {
		q, ok := found[c.Argument]
		switch {
		case !ok:
			c.Err = ErrNotFound
		case q.err != nil:
			c.Err = q.err
		default:
			own := *q // a message may be read by two runs of its task
			c.Result = &own
		}
	}
	return nil
}

func (s *Service) queuedMessages(ctx context.Context, ids storage.UUIDs) (map[uuid.UUID]*queued, error) {
	var list []*queued
	paused := map[uuid.UUID]bool{}
	b := &pgx.Batch{}
	b.Queue(queuedSQL, ids, s.deps.MaxAge).Query(func(rows pgx.Rows) (err error) {
		list, err = pgx.CollectRows(rows, scanQueued)
		return err
	})
	b.Queue(pausedSQL).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
			paused[id] = true
			return nil
		})
		return err
	})
	if err := s.deps.Commits.SendBatch(ctx, b).Close(); err != nil {
		return nil, fmt.Errorf("messaging: read: %w", err)
	}
	if err := s.examine(ctx, list); err != nil {
		return nil, err
	}
	if err := s.addRoutes(ctx, list, paused); err != nil {
		return nil, err
	}
	found := make(map[uuid.UUID]*queued, len(list))
	for _, q := range list {
		found[q.ID] = q
	}
	return found, nil
}

func scanQueued(row pgx.CollectableRow) (*queued, error) {
	var q queued
	var ticket uuid.NullUUID
	err := row.Scan(
		&q.ID, &q.EntityID, &ticket, &q.Kind, &q.Recipient, &q.status, &q.paced, &q.sendAfter, &q.expired, &q.Content, &q.replaced,
	)
	q.TicketID = ticket.UUID
	return &q, err
}

// addRoutes sets the routes of messages that are to be sent.
func (s *Service) addRoutes(ctx context.Context, list []*queued, paused map[uuid.UUID]bool) error {
	var entities []uuid.UUID
	seen := map[uuid.UUID]bool{}
	for _, q := range list {
		if q.toSend() && !seen[q.EntityID] {
			seen[q.EntityID], entities = true, append(entities, q.EntityID)
		}
	}
	if len(entities) == 0 {
		return nil
	}
	routes, err := s.deps.Routes.Find(ctx, entities)
	if err != nil {
		return noChannel(err)
	}
	for _, q := range list {
		if !q.toSend() {
			continue
		}
		found := routes[q.EntityID]
		if found.Err != nil {
			q.err = noChannel(found.Err)
			continue
		}
		q.route, q.paused = found.Route, paused[found.Channel.ID]
	}
	return nil
}

// toSend reports whether nothing is known that keeps a message from being sent.
func (q *queued) toSend() bool {
	return q.status == models.MessageQueued && q.obsolete == "" && q.err == nil
}

func noChannel(err error) error {
	return apperr.Wrap(err, apperr.Unavailable, "MESSAGE_NO_CHANNEL", "the channel of the message cannot be read")
}

// lease asks for an attempt of a message through a channel.
type lease struct{ message, channel uuid.UUID }

type leaseCall = groupcommit.Call[lease, *attempt]

// leaseSQL begins attempts of queued messages. One of two concurrent tasks leases a message. leasesSQL leaves out the
// messages that another transaction has locked.
const (
	leaseSQL  = lockQueuedSQL + beginAttemptSQL
	leasesSQL = lockQueuedSQL + ` SKIP LOCKED` + beginAttemptSQL

	lockQueuedSQL = `WITH l AS (
		SELECT q.id, x.channel FROM unnest($1::uuid[], $2::uuid[]) AS x (id, channel) JOIN message_logs q USING (id)
		WHERE q.status = 'queued' ORDER BY q.id FOR UPDATE OF q`
	beginAttemptSQL = `)
	UPDATE message_logs m SET status = 'sending', waiting = false, paced = 0, send_after = NULL,
		channel_id = l.channel, provider_id = NULL, lease_until = now() + $3::interval, attempts = attempts + 1, updated_at = now()
	FROM l WHERE m.id = l.id
	RETURNING m.id, entity_id, kind, coalesce(recipient, ''), body, coalesce(image_url, ''), CASE WHEN use_template THEN template END, attempts, failures,
		delivery, coalesce(resent_at, created_at)`
)

// leaseAll begins attempts. A call whose message is not queued has no result. In a shared run, a message that is
// not queued, or locked, is leased again alone, which waits for its lock.
func (s *Service) leaseAll(ctx context.Context, calls []*leaseCall) error {
	ids, channels := make(storage.UUIDs, 0, len(calls)), make(storage.UUIDs, 0, len(calls))
	byMessage := make(map[uuid.UUID]*leaseCall, len(calls))
	for _, c := range calls {
		if _, twice := byMessage[c.Argument.message]; twice {
			continue // two runs of one task: the first gets the lease
		}
		byMessage[c.Argument.message] = c
		ids, channels = append(ids, c.Argument.message), append(channels, c.Argument.channel)
	}
	sql, wait := leasesSQL, groupcommit.MayWait(calls)
	if wait {
		sql = leaseSQL
	}
	rows, err := s.deps.Commits.Query(ctx, sql, ids, channels, s.deps.Lease)
	if err != nil {
		return fmt.Errorf("messaging: lease: %w", err)
	}
	leased, err := pgx.CollectRows(rows, scanAttempt)
	if err != nil {
		return fmt.Errorf("messaging: lease: %w", err)
	}
	for _, a := range leased {
		byMessage[a.ID].Result = a
	}
	for _, c := range byMessage {
		c.Again = c.Result == nil && !wait
	}
	return nil
}

// giveBackSQL takes back an attempt that was not begun, unless its lease has expired.
const giveBackSQL = `UPDATE message_logs
	SET status = 'queued', lease_until = NULL, attempts = attempts - 1, updated_at = now()
	WHERE id = $1 AND status = 'sending' AND attempts = $2`

// giveBack queues a message again whose attempt is not made. It does not count as an attempt.
func (s *Service) giveBack(ctx context.Context, a *attempt) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	if _, err := s.deps.Pool.Exec(ctx, giveBackSQL, a.ID, a.number); err != nil {
		return fmt.Errorf("messaging: give back: %w", err)
	}
	return nil
}

func scanAttempt(row pgx.CollectableRow) (*attempt, error) {
	var a attempt
	err := row.Scan(
		&a.ID, &a.entityID, &a.kind, &a.Recipient, &a.Body, &a.ImageURL, &a.Template, &a.number, &a.failures, &a.Delivery, &a.since,
	)
	return &a, err
}
