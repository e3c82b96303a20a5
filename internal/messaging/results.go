package messaging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging/channel"
	"banca/internal/platform/groupcommit"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// ended is an attempt with its end.
type ended struct {
	attempt *attempt
	result  result
	channel uuid.UUID
}

// saved is what the end of an attempt changed: moved reports whether the message moved, requeued whether it was queued again
// with the template that its provider wants.
type saved struct{ moved, requeued bool }

type endedCall = groupcommit.Call[*ended, saved]

// resultSQL writes attempts and changes the status of each message, if the attempt is its last one. If the lease has
// expired, the message is unknown, and only a certain outcome replaces that.
const resultSQL = `WITH x AS (
		SELECT unnest($1::uuid[]) AS id, unnest($2::integer[]) AS number, unnest($3::text[]) AS status, unnest($4::text[]) AS driver, unnest($5::text[]) AS provider,
			unnest($6::text[]) AS code, unnest($7::text[]) AS text, unnest($8::uuid[]) AS attempt, unnest($9::text[]) AS outcome, unnest($10::bigint[]) AS ms,
			unnest($11::boolean[]) AS waiting, unnest($12::boolean[]) AS counted, unnest($13::integer[]) AS delivery, unnest($14::timestamptz[]) AS send_after),
	locked AS (SELECT m.id FROM message_logs m WHERE m.id = ANY($1) ORDER BY m.id FOR UPDATE),
	moved AS (
		UPDATE message_logs m SET status = x.status, driver = x.driver, provider_id = coalesce(nullif(x.provider, ''), m.provider_id),
			waiting = x.waiting AND x.status = 'queued', failures = m.failures + x.counted::integer, delivery = m.delivery + (x.status = 'failed')::integer,
			error_code = nullif(x.code, ''), error_text = nullif(x.text, ''), lease_until = NULL, send_after = x.send_after,
			queued_at = greatest(now(), x.send_after), updated_at = now()
		FROM x JOIN locked USING (id)
		WHERE m.id = x.id AND m.attempts = x.number AND (m.status = 'sending' OR m.status = 'unknown' AND x.status IN ('sent', 'failed'))
		RETURNING m.id, m.attempts),
	noted AS (
		INSERT INTO message_attempts (id, message_id, number, driver, outcome, error_text, provider_id, duration_ms, delivery)
		SELECT attempt, id, number, driver, outcome, text, nullif(provider, ''), ms, delivery FROM x ON CONFLICT (message_id, number) DO NOTHING)
	SELECT id, attempts FROM moved`

// matchSQL assigns reports that came before the provider's id was stored.
const matchSQL = `UPDATE message_reports r SET message_id = x.id, delivery = x.delivery
	FROM (SELECT unnest($1::uuid[]) AS id, unnest($2::uuid[]) AS channel, unnest($3::text[]) AS provider, unnest($4::integer[]) AS delivery) x
	WHERE r.channel_id = x.channel AND r.provider_id = x.provider AND r.provider_id <> '' AND r.message_id IS NULL`

const reportedSQL = `SELECT DISTINCT message_id FROM message_reports WHERE message_id = ANY($1)`

// succeededSQL ends the count of failures in a row of channels that sent.
const succeededSQL = `UPDATE messaging_channels SET failures = 0 WHERE channel_id = ANY($1) AND failures > 0 AND paused_until IS NULL`

// saveAll writes the ends of attempts and applies what the providers have reported meanwhile. A message that the provider
// wants as a template is queued again, if it has one.
func (s *Service) saveAll(ctx context.Context, calls []*endedCall) error {
	columns, sent := resultColumns(calls)
	err := pgx.BeginFunc(ctx, s.deps.Commits, func(tx pgx.Tx) error {
		reported, err := saveTx(ctx, tx, calls, columns, sent)
		if err != nil {
			return err
		}
		for _, c := range calls {
			e := c.Argument
			if !reported[e.attempt.ID] && e.result.outcome != string(channel.NeedsTemplate) {
				continue
			}
			done, err := applyTx(ctx, tx, e.attempt.ID)
			if err != nil {
				return err
			}
			c.Result.requeued = done.Status == models.MessageQueued
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("messaging: save results: %w", err)
	}
	s.reportedMeanwhile(ctx, calls, columns)
	return nil
}

// saveTx writes the ends of attempts and the tasks of messages with a later attempt, and returns the messages with reports.
func saveTx(
	ctx context.Context, tx pgx.Tx, calls []*endedCall, columns *resultRows, sent storage.UUIDs,
) (reported map[uuid.UUID]bool, err error) {
	moved := make(map[uuid.UUID]int, len(calls))
	reported = map[uuid.UUID]bool{}
	b := &pgx.Batch{}
	b.Queue(resultSQL, columns.all()...).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		var number int
		_, err := pgx.ForEachRow(rows, []any{&id, &number}, func() error {
			moved[id] = number
			return nil
		})
		return err
	})
	b.Queue(matchSQL, columns.ids, columns.channels, columns.providers, columns.deliveries)
	b.Queue(reportedSQL, columns.ids).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
			reported[id] = true
			return nil
		})
		return err
	})
	if len(sent) > 0 {
		b.Queue(succeededSQL, sent)
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	var later []outbox.Row
	for _, c := range calls {
		e := c.Argument
		if c.Result.moved = moved[e.attempt.ID] == e.attempt.number; !c.Result.moved || e.result.sendAfter.IsZero() {
			continue
		}
		row, err := outbox.NewRow(tasks.MessageSend{MessageID: e.attempt.ID}, outbox.At(e.result.sendAfter))
		if err != nil {
			return nil, err
		}
		later = append(later, row)
	}
	return reported, outbox.EnqueueTx(ctx, tx, later...)
}

// resultRows are the columns of resultSQL.
type resultRows struct {
	ids, attempts, channels                              storage.UUIDs
	numbers, deliveries                                  storage.Integers
	statuses, drivers, providers, codes, texts, outcomes storage.Texts
	durations                                            storage.Bigints
	waiting, counted                                     storage.Booleans
	later                                                storage.Timestamps
}

func (r *resultRows) all() []any {
	return []any{
		r.ids, r.numbers, r.statuses, r.drivers, r.providers, r.codes, r.texts, r.attempts, r.outcomes, r.durations, r.waiting, r.counted, r.deliveries, r.later,
	}
}

// resultColumns returns the ends of attempts as columns, and the channels that sent.
func resultColumns(calls []*endedCall) (rows *resultRows, sent storage.UUIDs) {
	rows = &resultRows{}
	for _, c := range calls {
		a, r := c.Argument.attempt, &c.Argument.result
		rows.ids, rows.attempts, rows.channels = append(rows.ids, a.ID), append(rows.attempts, uuid.Must(uuid.NewV7())), append(rows.channels, c.Argument.channel)
		rows.numbers, rows.deliveries = append(rows.numbers, int32(a.number)), append(rows.deliveries, int32(a.Delivery))
		rows.statuses, rows.drivers, rows.providers = append(rows.statuses, r.status), append(rows.drivers, r.driver), append(rows.providers, r.providerID)
		rows.codes, rows.texts, rows.outcomes = append(rows.codes, r.code), append(rows.texts, r.text), append(rows.outcomes, r.outcome)
		rows.durations, rows.waiting = append(rows.durations, r.duration.Milliseconds()), append(rows.waiting, r.waiting)
		rows.counted, rows.later = append(rows.counted, r.counted), append(rows.later, r.sendAfter)
		if r.status == models.MessageSent {
			sent = append(sent, c.Argument.channel)
		}
	}
	return rows, sent
}

// meanwhileSQL finds the attempts with reports.
const meanwhileSQL = `SELECT x.n FROM unnest($1::uuid[], $2::uuid[], $3::text[]) WITH ORDINALITY AS x (id, channel, provider, n)
	WHERE EXISTS (SELECT FROM message_reports r WHERE r.message_id = x.id)
		OR EXISTS (SELECT FROM message_reports r WHERE r.channel_id = x.channel AND r.provider_id = x.provider AND r.provider_id <> '')`

// reportedMeanwhile applies reports that the transaction of the results could not see.
func (s *Service) reportedMeanwhile(ctx context.Context, calls []*endedCall, rows *resultRows) {
	found, err := s.deps.Commits.Query(ctx, meanwhileSQL, rows.ids, rows.channels, rows.providers)
	var places []int
	if err == nil {
		places, err = pgx.CollectRows(found, pgx.RowTo[int])
	}
	if err != nil { // the results are saved, so they are not saved again
		for _, c := range calls {
			c.Err = fmt.Errorf("messaging: reports of results: %w", err)
		}
		return
	}
	for _, n := range places {
		c := calls[n-1]
		id := c.Argument.attempt.ID
		c.Err = s.overlapped(ctx, &overlap{message: &id, channel: c.Argument.channel, provider: c.Argument.result.providerID})
	}
}
