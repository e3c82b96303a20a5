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
	"banca/tasks/outbox"
)

// ended is an attempt with its end.
type ended struct {
	attempt *attempt
	result  result
	channel uuid.UUID
	trace   string // of its task, for the task of a later attempt
}

// saved is what the end of an attempt changed.
type saved struct {
	moved    bool // the message
	requeued bool // with the template that its provider wants
	overlaps bool // with reports that the transaction of the results did not see
}

type endedCall = groupcommit.Call[*ended, saved]

// resultSQL writes attempts and changes the status of each message, if the attempt is its last one. If the lease has
// expired, the message is unknown, and only a certain outcome replaces that. It returns the locked messages, with the
// number of the attempt that changed them. resultsSQL leaves out the messages that another transaction has locked.
const (
	resultSQL  = lockResultSQL + saveResultSQL
	resultsSQL = lockResultSQL + ` SKIP LOCKED` + saveResultSQL

	lockResultSQL = `WITH x AS (
		SELECT unnest($1::uuid[]) AS id, unnest($2::integer[]) AS number, unnest($3::text[]) AS status, unnest($4::text[]) AS driver,
			unnest($5::text[]) AS provider, unnest($6::text[]) AS code, unnest($7::text[]) AS text, unnest($8::uuid[]) AS attempt,
			unnest($9::text[]) AS outcome, unnest($10::bigint[]) AS ms, unnest($11::boolean[]) AS waiting,
			unnest($12::boolean[]) AS counted, unnest($13::integer[]) AS delivery, unnest($14::timestamptz[]) AS send_after),
	locked AS (SELECT m.id FROM message_logs m WHERE m.id = ANY($1) ORDER BY m.id FOR UPDATE`
	saveResultSQL = `),
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
		SELECT attempt, id, number, driver, outcome, text, nullif(provider, ''), ms, delivery
		FROM x JOIN locked USING (id)
		ON CONFLICT (message_id, number) DO NOTHING)
	SELECT id, coalesce(attempts, 0) FROM locked LEFT JOIN moved USING (id)`
)

// reportedSQL assigns reports that came before the provider's id was stored, and counts the reports of each message. A
// report that another transaction has locked is left to reportedMeanwhile.
const reportedSQL = `WITH matched AS (
		UPDATE message_reports r SET message_id = x.id, delivery = x.delivery
		FROM (SELECT r.id AS report, x.id, x.delivery
			FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[]) AS x (id, channel, provider, delivery)
				JOIN message_reports r ON r.channel_id = x.channel AND r.provider_id = x.provider
			WHERE r.provider_id <> '' AND r.message_id IS NULL FOR UPDATE OF r SKIP LOCKED) x
		WHERE r.id = x.report RETURNING r.message_id)
	SELECT message_id, count(*) FROM (
		SELECT message_id FROM message_reports WHERE message_id = ANY($1) UNION ALL SELECT message_id FROM matched) r
	GROUP BY message_id`

// succeededSQL ends the count of failures in a row of channels that sent. A channel that another transaction changes is
// left to its next message.
const succeededSQL = `UPDATE messaging_channels c SET failures = 0
	FROM (SELECT channel_id FROM messaging_channels WHERE channel_id = ANY($1) AND failures > 0 AND paused_until IS NULL
		ORDER BY channel_id FOR UPDATE SKIP LOCKED) free
	WHERE c.channel_id = free.channel_id`

// saveAll writes the ends of attempts and applies what the providers have reported meanwhile. A message that the
// provider wants as a template is queued again, if it has one. Of several messages, one that another transaction has
// locked is saved again alone: a group waits for no message, so it takes part in no deadlock.
func (s *Service) saveAll(ctx context.Context, calls []*endedCall) error {
	columns, sent := resultColumns(calls)
	err := pgx.BeginFunc(ctx, s.deps.Commits, func(tx pgx.Tx) error {
		if err := saveTx(ctx, tx, calls, columns, sent); err != nil {
			return err
		}
		for i, c := range calls {
			e := c.Argument
			if c.Again || columns.reports[i] == 0 && e.result.outcome != string(channel.NeedsTemplate) {
				continue
			}
			done, err := applyTx(ctx, tx, e.attempt.ID, e.trace)
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

// saveTx writes the ends of attempts and the tasks of messages with a later attempt, and counts the reports of each
// message.
func saveTx(ctx context.Context, tx pgx.Tx, calls []*endedCall, columns *resultRows, sent storage.UUIDs) error {
	locked, reports := make(map[uuid.UUID]int32, len(calls)), map[uuid.UUID]int32{}
	sql, wait := resultsSQL, groupcommit.MayWait(calls)
	if wait {
		sql = resultSQL
	}
	b := &pgx.Batch{}
	numbers(b.Queue(sql, columns.all()...), locked)
	numbers(b.Queue(reportedSQL, columns.ids, columns.channels, columns.providers, columns.deliveries), reports)
	if len(sent) > 0 {
		b.Queue(succeededSQL, sent)
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	var later []outbox.Row
	for i, c := range calls {
		e := c.Argument
		number, ok := locked[e.attempt.ID]
		c.Again = !ok && !wait
		columns.reports[i] = reports[e.attempt.ID]
		if c.Result.moved = ok && int(number) == e.attempt.number; !c.Result.moved || e.result.sendAfter.IsZero() {
			continue
		}
		row, err := sendRow(e.attempt.ID, e.trace, outbox.At(e.result.sendAfter))
		if err != nil {
			return err
		}
		later = append(later, row)
	}
	return outbox.EnqueueTx(ctx, tx, later...)
}

// numbers reads the rows of a queued statement, an id and a number each.
func numbers(q *pgx.QueuedQuery, into map[uuid.UUID]int32) {
	q.Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		var number int32
		_, err := pgx.ForEachRow(rows, []any{&id, &number}, func() error {
			into[id] = number
			return nil
		})
		return err
	})
}

// resultRows are the columns of resultSQL.
type resultRows struct {
	ids, attempts, channels                              storage.UUIDs
	numbers, deliveries                                  storage.Integers
	statuses, drivers, providers, codes, texts, outcomes storage.Texts
	durations                                            storage.Bigints
	waiting, counted                                     storage.Booleans
	later                                                storage.Timestamps
	reports                                              storage.Integers // seen by the transaction of the results
}

func (r *resultRows) all() []any {
	return []any{
		r.ids, r.numbers, r.statuses, r.drivers, r.providers, r.codes, r.texts, r.attempts, r.outcomes, r.durations, r.waiting, r.counted, r.deliveries, r.later,
	}
}

// resultColumns returns the ends of attempts as columns, and the channels that sent.
func resultColumns(calls []*endedCall) (rows *resultRows, sent storage.UUIDs) {
	rows = &resultRows{reports: make(storage.Integers, len(calls))}
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

// meanwhileSQL finds the attempts with reports that the transaction of the results did not see.
const meanwhileSQL = `SELECT x.n
	FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[]) WITH ORDINALITY AS x (id, channel, provider, reports, n)
	WHERE (SELECT count(*) FROM message_reports r WHERE r.message_id = x.id) > x.reports
		OR EXISTS (SELECT FROM message_reports r WHERE r.channel_id = x.channel AND r.provider_id = x.provider
			AND r.provider_id <> '' AND r.message_id IS NULL)`

// reportedMeanwhile finds the attempts with reports that the transaction of the results could not see. If that is not
// known, each may have some: the results are saved, so they are not saved again.
func (s *Service) reportedMeanwhile(ctx context.Context, calls []*endedCall, rows *resultRows) {
	var places []int
	found, err := s.deps.Commits.Query(ctx, meanwhileSQL, rows.ids, rows.channels, rows.providers, rows.reports)
	if err == nil {
		places, err = pgx.CollectRows(found, pgx.RowTo[int])
	}
	for _, c := range calls {
		c.Result.overlaps = err != nil
	}
	for _, n := range places {
		calls[n-1].Result.overlaps = true
	}
}
