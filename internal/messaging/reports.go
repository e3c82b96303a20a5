package messaging

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging/channel"
	"banca/models"
)

// rankSQL orders statuses: a report moves a message to a greater one only. A delivery overrides a failure.
const rankSQL = `array_position(ARRAY['sent', 'failed', 'delivered', 'read'], %s)`

// reportSQL stores a report once. The message and its delivery are named by the provider, or found by the provider's
// id. A report without the provider's id is ignored unless it names a message of the channel.
const reportSQL = `INSERT INTO message_reports (id, channel_id, provider_id, message_id, delivery, status, error_code, error_text, reported_at)
	SELECT $1, $2, $3, (array_agg(id ORDER BY place, number DESC))[1], (array_agg(delivery ORDER BY place, number DESC))[1], $5, $6, $7, $8 FROM (
		SELECT id, $9::integer AS delivery, 1 AS place, 0 AS number FROM message_logs WHERE id = $4 AND channel_id = $2
		UNION ALL SELECT message_id, delivery, 2, 0 FROM message_reports WHERE channel_id = $2 AND provider_id = $3 AND provider_id <> '' AND message_id IS NOT NULL
		UNION ALL SELECT m.id, a.delivery, 3, a.number FROM message_attempts a JOIN message_logs m ON m.id = a.message_id WHERE a.provider_id = nullif($3, '') AND m.channel_id = $2) of
	HAVING $3 <> '' OR count(*) > 0
	ON CONFLICT DO NOTHING
	RETURNING message_id`

// applySQL applies the greatest status that counts. delivered and read count for every delivery; sent and failed count
// for the current delivery and its answer only.
//
//nolint:gochecknoglobals // a constant in all but name
var applySQL = `UPDATE message_logs m SET status = r.status, provider_id = coalesce(nullif(r.provider_id, ''), m.provider_id), waiting = false, updated_at = now(),
		delivery = m.delivery + CASE WHEN r.status = 'failed' THEN 1 ELSE 0 END, error_code = nullif(r.error_code, ''), error_text = nullif(r.error_text, '')
	FROM (SELECT r.status, r.provider_id, r.error_code, r.error_text FROM message_reports r JOIN message_logs l ON l.id = r.message_id WHERE r.message_id = $1
			AND (r.status IN ('delivered', 'read') OR r.delivery = l.delivery AND (l.provider_id IS NULL OR r.provider_id IN ('', l.provider_id)))
		ORDER BY ` + fmt.Sprintf(rankSQL, "r.status") + ` DESC, r.provider_id = l.provider_id DESC NULLS LAST LIMIT 1) r
	WHERE m.id = $1 AND m.status <> 'sending' AND (m.status <> 'queued' OR r.status <> 'failed')
		AND ` + fmt.Sprintf(rankSQL, "r.status") + ` > coalesce(` + fmt.Sprintf(rankSQL, "m.status") + `, 0)
	RETURNING m.entity_id, m.status`

// Reported stores what a provider reports of messages of a channel, and moves their statuses forward. Reports may
// come twice, out of order, and before the answer to the attempt.
func (s *Service) Reported(ctx context.Context, channelID uuid.UUID, statuses []channel.Status) error {
	for i := range statuses {
		if err := s.reported(ctx, channelID, &statuses[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) reported(ctx context.Context, channelID uuid.UUID, st *channel.Status) error {
	var message *uuid.UUID
	var done applied
	err := pgx.BeginFunc(ctx, s.deps.Pool, func(tx pgx.Tx) error {
		var code, text string
		if st.Error != nil {
			code, text = st.Error.Code(), st.Error.Text
		}
		rows, err := tx.Query(
			ctx, reportSQL, uuid.Must(uuid.NewV7()), channelID, st.ProviderID, st.MessageID, st.Status, code, text,
			s.reportTime(st.At), max(st.Delivery, 1),
		)
		if err != nil {
			return err
		}
		stored, err := pgx.CollectRows(rows, pgx.RowTo[*uuid.UUID])
		if err != nil || len(stored) == 0 || stored[0] == nil {
			return err // known already, or of an unknown message
		}
		message = stored[0]
		done, err = applyTx(ctx, tx, *message, "")
		return err
	})
	if err != nil {
		return fmt.Errorf("messaging: report: %w", err)
	}
	if done.Status == "" {
		return s.overlapped(ctx, &overlap{message: message, channel: channelID, provider: st.ProviderID})
	}
	s.announce(ctx, *message, done)
	return nil
}

// overlap identifies a report and the end of an attempt that belong together.
type overlap struct {
	message  *uuid.UUID // nil if it is not known
	channel  uuid.UUID
	provider string
}

// adoptSQL assigns reports without a message by the provider's id of an attempt.
const adoptSQL = `UPDATE message_reports r SET message_id = m.id, delivery = a.delivery FROM message_attempts a JOIN message_logs m ON m.id = a.message_id
	WHERE r.channel_id = $1 AND r.provider_id = $2 AND r.provider_id <> '' AND r.message_id IS NULL AND a.provider_id = r.provider_id AND m.channel_id = $1 RETURNING r.message_id`

// overlapped applies a report and the end of an attempt whose transactions overlapped. Both call it after their commit:
// the last one sees the other.
func (s *Service) overlapped(ctx context.Context, o *overlap) error {
	var done applied
	id := o.message
	err := pgx.BeginFunc(ctx, s.deps.Pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, adoptSQL, o.channel, o.provider)
		if err != nil {
			return err
		}
		adopted, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err == nil && len(adopted) > 0 {
			id = &adopted[0]
		}
		if err != nil || id == nil {
			return err
		}
		done, err = applyTx(ctx, tx, *id, "")
		return err
	})
	if err != nil {
		return fmt.Errorf("messaging: overlapping report: %w", err)
	}
	if done.Status != "" {
		s.announce(ctx, *id, done)
	}
	return nil
}

// announce publishes the new status of a message, and wakes the outbox for a requeued one.
func (s *Service) announce(ctx context.Context, id uuid.UUID, done applied) {
	if done.Status == models.MessageQueued {
		s.deps.Wake()
	}
	s.moved(ctx, done.EntityID, id, done.Status)
}

// reportTime is the provider's time, or now if it is implausible.
func (s *Service) reportTime(at time.Time) time.Time {
	const future = time.Minute
	now := s.deps.Clock.Now()
	if at.IsZero() || at.After(now.Add(future)) {
		return now
	}
	return at
}

// applied is the effect of reports on a message. Status is "" without a change, queued if the provider requires a
// template.
type applied struct {
	EntityID uuid.UUID
	Status   string
}

// applyTx moves a message to its greatest reported status, and requeues it if the provider requires a template, with a
// task of a trace, "" for the trace of ctx.
func applyTx(ctx context.Context, tx pgx.Tx, id uuid.UUID, trace string) (done applied, err error) {
	err = tx.QueryRow(ctx, applySQL, id).Scan(&done.EntityID, &done.Status)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return applied{}, err
	}
	again, err := useTemplateTx(ctx, tx, id, trace)
	if again {
		done.Status = models.MessageQueued
	}
	return done, err
}

// reportsOf lists the reports of a message, the oldest first.
func (s *Service) reportsOf(ctx context.Context, id uuid.UUID) ([]models.MessageReport, error) {
	rows, err := s.deps.Pool.Query(ctx, `SELECT status, provider_id, error_code, error_text, reported_at, created_at FROM message_reports
		WHERE message_id = $1 ORDER BY reported_at, created_at, id`, id)
	if err != nil {
		return nil, fmt.Errorf("messaging: reports: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[models.MessageReport])
	if err != nil {
		return nil, fmt.Errorf("messaging: reports: %w", err)
	}
	return list, nil
}
