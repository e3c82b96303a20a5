package messaging

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging/channel"
	"banca/internal/platform/apperr"
)

// A channel that is down pauses: its messages wait without a task and use up no attempts. After the pause, the sweep
// probes the provider, and releases the messages or doubles the pause.
const (
	firstPause   = 30 * time.Second
	longestPause = 15 * time.Minute
	probeTimeout = 10 * time.Second
	probes       = 20 // of one sweep
)

// pauseSQL pauses a channel that is not paused. Each failure in a row doubles the pause, up to a bound.
const pauseSQL = `INSERT INTO messaging_channels AS c (channel_id, failures, paused_at, paused_until, kind, reason)
	VALUES ($1, 1, now(), now() + greatest($2::interval, $5::interval), $3, $4)
	ON CONFLICT (channel_id) DO UPDATE SET failures = c.failures + 1, paused_at = now(), kind = $3, reason = $4,
		paused_until = now() + greatest($2::interval, least($5::interval * power(2, least(c.failures, 10)), $6::interval))
	WHERE c.paused_until IS NULL
	RETURNING failures`

// park makes a message wait for its channel. If the pause ends concurrently, the sweep finds the message.
func (s *Service) park(ctx context.Context, id, channelID uuid.UUID) error {
	_, err := s.deps.Pool.Exec(ctx, `UPDATE message_logs SET waiting = true, channel_id = $2, paced = 0, send_after = NULL, updated_at = now()
		WHERE id = $1 AND status = 'queued'`, id, channelID)
	if err != nil {
		return fmt.Errorf("messaging: park: %w", err)
	}
	return nil
}

// noteChannel pauses a channel if an attempt ended with a failure that concerns all its messages.
func (s *Service) noteChannel(ctx context.Context, id uuid.UUID, err error) error {
	if err == nil {
		return nil
	}
	if failure := channel.AsError(err); concernsChannel(failure) {
		return s.pause(ctx, id, failure)
	}
	return nil
}

func (s *Service) pause(ctx context.Context, id uuid.UUID, e *channel.Error) error {
	var failures int
	err := s.deps.Pool.QueryRow(ctx, pauseSQL, id, e.RetryAfter, string(e.Kind), e.Text, firstPause, longestPause).Scan(&failures)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // already paused
	}
	if err != nil {
		return fmt.Errorf("messaging: pause: %w", err)
	}
	s.deps.Log.ErrorContext(ctx, "messaging: channel paused", slog.String("channel_id", id.String()), slog.String("kind", string(e.Kind)),
		slog.String("reason", e.Text), slog.Int("failures", failures))
	return nil
}

// ChannelChanged ends the pause of a channel whose account is open, and pauses it otherwise. It is called when a
// connection's state changes. Messages that wait below its entity go to an open channel.
func (s *Service) ChannelChanged(ctx context.Context, c channel.Change) error {
	if c.State != channel.Open {
		return s.pause(
			ctx, c.ChannelID,
			&channel.Error{Kind: channel.ChannelDown, Text: channel.AccountIs + string(c.State) + suffix(c.Reason)},
		)
	}
	_, err := s.deps.Pool.Exec(ctx, `UPDATE message_logs SET channel_id = $1 WHERE waiting AND channel_id <> $1 AND entity_id IN (
		SELECT e.id FROM entities e JOIN entities a ON e.path LIKE a.path || '%' WHERE a.id = $2)`, c.ChannelID, c.EntityID)
	if err != nil {
		return fmt.Errorf("messaging: reroute: %w", err)
	}
	return s.resume(ctx, c.ChannelID)
}

func suffix(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// resume ends a pause and releases its messages. Failures in a row count until a message is sent.
func (s *Service) resume(ctx context.Context, id uuid.UUID) error {
	_, err := s.deps.Pool.Exec(
		ctx, `UPDATE messaging_channels SET paused_at = NULL, paused_until = NULL WHERE channel_id = $1`, id,
	)
	if err != nil {
		return fmt.Errorf("messaging: resume: %w", err)
	}
	return s.release(ctx)
}

// releaseSQL finds messages that wait for a channel which is not paused.
const releaseSQL = `UPDATE message_logs m SET waiting = false, queued_at = now(), updated_at = now()
	FROM (SELECT m.id FROM message_logs m WHERE m.waiting AND NOT EXISTS (
			SELECT 1 FROM messaging_channels c WHERE c.channel_id = m.channel_id AND c.paused_until IS NOT NULL)
		ORDER BY m.id LIMIT $1 FOR UPDATE OF m SKIP LOCKED) free
	WHERE m.id = free.id RETURNING m.id`

// release enqueues tasks for the messages that no longer wait.
func (s *Service) release(ctx context.Context) error {
	for {
		n, err := s.requeue(ctx, releaseSQL)
		if err != nil || n < sweepBatch {
			return err
		}
	}
}

// sweepChannels asks the providers of channels whose pause is over.
func (s *Service) sweepChannels(ctx context.Context) error {
	rows, err := s.deps.Pool.Query(ctx, `UPDATE messaging_channels SET paused_until = now() + $1::interval
		WHERE channel_id IN (SELECT channel_id FROM messaging_channels WHERE paused_until <= now() ORDER BY paused_until LIMIT $2 FOR UPDATE SKIP LOCKED)
		RETURNING channel_id`, time.Minute, probes)
	if err != nil {
		return fmt.Errorf("messaging: probe: %w", err)
	}
	due, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("messaging: probe: %w", err)
	}
	return errors.Join(channel.AskAll(due, func(id uuid.UUID) error { return s.probe(ctx, id) }), s.release(ctx))
}

// probe checks whether the provider of a paused channel works.
func (s *Service) probe(ctx context.Context, id uuid.UUID) error {
	c, err := s.deps.Routes.ByID(ctx, id)
	if err != nil && apperr.From(err).Kind == apperr.NotFound {
		return s.forgetChannel(ctx, id)
	}
	if err != nil {
		return err
	}
	link, err := s.stateOf(ctx, c)
	if err == nil && link.State == channel.Open {
		s.deps.Log.InfoContext(ctx, "messaging: channel goes on", slog.String("channel_id", id.String()))
		return s.resume(ctx, id)
	}
	reason := string(link.State)
	if err != nil {
		reason = channel.AsError(err).Text
	}
	_, err = s.deps.Pool.Exec(ctx, `UPDATE messaging_channels SET failures = failures + 1, reason = $2,
			paused_until = now() + least($3::interval * power(2, least(failures, 10)), $4::interval)
		WHERE channel_id = $1 AND paused_until IS NOT NULL`, id, reason, firstPause, longestPause)
	if err != nil {
		return fmt.Errorf("messaging: probe: %w", err)
	}
	return nil
}

func (s *Service) stateOf(ctx context.Context, c channel.Channel) (channel.Link, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	driver, ok := s.deps.Drivers[c.Driver]
	if !ok {
		return channel.Link{}, &channel.Error{Kind: channel.ChannelDown, Text: string(channel.NoDriver)}
	}
	return driver.State(ctx, c)
}

// forgetChannel releases the messages of a deleted channel to the current channels of their entities.
func (s *Service) forgetChannel(ctx context.Context, id uuid.UUID) error {
	if _, err := s.deps.Pool.Exec(ctx, `DELETE FROM messaging_channels WHERE channel_id = $1`, id); err != nil {
		return fmt.Errorf("messaging: forget channel: %w", err)
	}
	return s.release(ctx)
}
