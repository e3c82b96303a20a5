package messaging

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"banca/internal/messaging/channel"
	"banca/internal/platform/apperr"
	"banca/internal/platform/phone"
	"banca/internal/platform/telemetry"
	"banca/models"
)

// Send is the handler of message.send: it makes one attempt to deliver a queued message. It returns nil when this
// task has nothing more to do: the message has its outcome, waits for its channel, or has another task for its place
// among others. An error of kind unavailable means that the same task makes another attempt. Errors: ErrNotFound.
//
// It may be called any number of times and concurrently: one caller gets the lease, the others get an error with
// RetryAfter when the lease ends, because its holder may be dead.
func (s *Service) Send(ctx context.Context, messageID uuid.UUID) error {
	defer s.groups.expect()()
	q, err := s.groups.reads.Do(ctx, messageID, messageID)
	switch {
	case err != nil:
		return err
	case q.status != models.MessageQueued:
		return s.notLeased(ctx, messageID)
	case q.obsolete != "":
		return s.drop(ctx, q, q.obsolete)
	}
	if ready, err := s.ready(ctx, q); !ready || err != nil {
		return err
	}
	a, err := s.groups.leases.Do(ctx, messageID, lease{messageID, q.route.Channel.ID})
	if err != nil {
		return err
	}
	if a == nil {
		return s.notLeased(ctx, messageID)
	}
	if err := ctx.Err(); err != nil { // a group leases also for a task that has ended
		return errors.Join(err, s.giveBack(ctx, a))
	}
	return s.attempt(ctx, a, q.route.Channel)
}

// ready reports whether a message may be sent now. Otherwise it waits for its channel or has a task at its slot.
func (s *Service) ready(ctx context.Context, q *queued) (bool, error) {
	if q.paused {
		return false, s.park(ctx, q.ID, q.route.Channel.ID)
	}
	if early := q.sendAfter.Sub(s.deps.Clock.Now()); early > tolerance {
		return false, errUnderWay.WithRetryAfter(early) // stale task: the task of its slot is scheduled
	}
	return s.inPlace(ctx, q, &q.route)
}

// attempt makes the attempt that was leased.
func (s *Service) attempt(ctx context.Context, a *attempt, c channel.Channel) error {
	began := s.deps.Clock.Now()
	receipt, err := s.deliver(ctx, *a, c)
	r, retry := s.classify(a, receipt, err)
	r.driver, r.duration = c.Driver, s.deps.Clock.Now().Sub(began)
	// The result is saved also after the task's timeout. If that fails, the lease expires and the message becomes
	// unknown.
	telemetry.MessagesTotal.Add(1, r.driver, r.outcome)
	save, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	moved, saveErr := s.conclude(save, a, r, c.ID)
	if noteErr := s.noteChannel(save, c.ID, err); saveErr != nil || noteErr != nil {
		return errors.Join(saveErr, noteErr)
	}
	if !moved {
		return nil // another attempt has the lease
	}
	return retry
}

// notLeased handles a message that is not queued.
func (s *Service) notLeased(ctx context.Context, id uuid.UUID) error {
	status, left, err := s.state(ctx, id)
	switch {
	case err != nil:
		return err
	case done(status):
		return nil
	case status == models.MessageSending && left == 0:
		_, err := s.expire(ctx, uuid.NullUUID{UUID: id, Valid: true}, 1)
		return err
	default:
		return errUnderWay.WithRetryAfter(left)
	}
}

// deliver passes the message to its channel's driver.
func (s *Service) deliver(ctx context.Context, a attempt, c channel.Channel) (channel.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if a.Recipient == "" {
		return channel.Receipt{}, &channel.Error{Kind: channel.BadRecipient, Text: string(channel.CustomerDeleted)}
	}
	driver, ok := s.deps.Drivers[c.Driver]
	if !ok {
		return channel.Receipt{}, &channel.Error{Kind: channel.ChannelDown, Text: string(channel.NoDriver)}
	}
	if a.kind == models.MessageCode {
		code, err := s.code(ctx, a.ID)
		if err != nil {
			return channel.Receipt{}, err
		}
		a.Body = code.Body
		if a.Template != nil {
			a.Template = code.Template
		}
	}
	a.TextAlone = a.kind == models.MessageClose || a.kind == models.MessageSettlement
	ctx, stage := telemetry.MessageCalls.Begin(ctx, c.Driver)
	receipt, err := driver.Send(ctx, c, a.Message)
	stage.End(err)
	return receipt, err
}

// code requests the message of a code. An expired one is not sent.
func (s *Service) code(ctx context.Context, id uuid.UUID) (CodeMessage, error) {
	if s.deps.Codes == nil {
		return CodeMessage{}, &channel.Error{Kind: channel.BadContent, Text: string(channel.NoCodes)}
	}
	code, err := s.deps.Codes(ctx, id)
	switch {
	case err == nil:
		return code, nil
	case apperr.From(err).Kind == apperr.NotFound:
		return CodeMessage{}, &channel.Error{Kind: channel.BadContent, Text: string(channel.CodeExpired)}
	default:
		return CodeMessage{}, &channel.Error{Kind: channel.Retryable, Text: string(channel.CodeUnread)}
	}
}

// classify turns the end of an attempt into the message's new status and, when it is queued again, the error
// that makes the task run again.
func (s *Service) classify(a *attempt, receipt channel.Receipt, err error) (r result, retry error) {
	if err == nil {
		return result{status: models.MessageSent, outcome: models.MessageSent, providerID: receipt.ProviderID}, nil
	}
	failure := channel.AsError(err)
	r = result{status: models.MessageFailed, outcome: string(failure.Kind), code: failure.Code(), text: failure.Text}
	switch {
	case failure.Kind == channel.UnknownOutcome:
		r.status = models.MessageUnknown
	case concernsChannel(failure):
		r.status, r.waiting = models.MessageQueued, true
	case failure.Passes() && failure.RetryAfter > longestRetry:
		r.status, r.sendAfter = models.MessageQueued, s.afterWait(a, failure.RetryAfter)
	case failure.Passes() && a.failures+1 < s.deps.MaxAttempts:
		r.status, r.counted = models.MessageQueued, true
		code := apperr.Code("MESSAGE_" + failure.Code())
		retry = apperr.Wrap(failure, apperr.Unavailable, code, "the message could not be sent now").
			WithRetryAfter(failure.RetryAfter)
	default:
		r.counted = true
	}
	return r, retry
}

// afterWait returns the next attempt after a wait that the provider requests, at most the instant at which the message
// is too old and fails.
func (s *Service) afterWait(a *attempt, wait time.Duration) time.Time {
	at, last := s.deps.Clock.Now().Add(wait), a.since.Add(s.deps.MaxAge+time.Second)
	if at.After(last) {
		return last
	}
	return at
}

// concernsChannel reports whether every other message of the channel would fail, too.
func concernsChannel(e *channel.Error) bool {
	return e.Kind == channel.ChannelDown || e.Kind == channel.Unauthorised || e.Kind == channel.RateLimited && !e.PerRecipient
}

// conclude writes the result and reports whether the message changed.
func (s *Service) conclude(ctx context.Context, a *attempt, r result, channelID uuid.UUID) (moved bool, err error) {
	saved, err := s.groups.results.Do(ctx, a.ID, &ended{a, r, channelID, telemetry.TraceOf(ctx)})
	if err != nil {
		return false, err
	}
	if moved = saved.moved; saved.requeued {
		r.status = models.MessageQueued
		s.deps.Wake()
	}
	level := slog.LevelInfo
	if r.code != "" {
		level = slog.LevelWarn
	}
	s.deps.Log.LogAttrs(ctx, level, "messaging: attempt",
		slog.String("message_id", a.ID.String()), slog.String("recipient", phone.Mask(a.Recipient)),
		slog.Int("number", a.number),
		slog.String("driver", r.driver), slog.String("outcome", r.outcome), slog.String("status", r.status),
		slog.String("error", r.text), slog.Bool("late", !moved))
	if moved {
		s.moved(ctx, a.entityID, a.ID, r.status)
	}
	if saved.overlaps {
		err = s.overlapped(ctx, &overlap{message: &a.ID, channel: channelID, provider: r.providerID})
	}
	return moved, err
}
