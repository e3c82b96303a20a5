package messaging

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/messaging/channel"
	"banca/models"
)

// Send is the handler of message.send: it makes one attempt to deliver a queued message. It returns nil when the
// message needs no further attempt, whatever its outcome, and an error of kind unavailable when it is queued for
// another. Errors: ErrNotFound.
//
// It may be called any number of times and concurrently: one caller gets the lease, the others get an error with
// RetryAfter when the lease ends, because its holder may be dead.
func (s *Service) Send(ctx context.Context, messageID uuid.UUID) error {
	a, ok, err := s.lease(ctx, messageID)
	if err != nil {
		return err
	}
	if !ok {
		return s.notLeased(ctx, messageID)
	}
	began := s.config.Clock.Now()
	driver, receipt, err := s.deliver(ctx, a)
	r, retry := s.classify(a, receipt, err)
	r.driver, r.duration = driver, s.config.Clock.Now().Sub(began)
	return s.conclude(ctx, a, r, retry)
}

// notLeased decides about a message that is not queued.
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

// deliver hands the message to its channel's driver, whose name it returns.
func (s *Service) deliver(ctx context.Context, a attempt) (name string, receipt channel.Receipt, err error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if a.Recipient == "" {
		return "", channel.Receipt{}, &channel.Error{Kind: channel.BadRecipient, Text: "the customer was deleted"}
	}
	c, err := s.config.Channels.Channel(ctx, a.entityID)
	if err != nil {
		return "", channel.Receipt{}, &channel.Error{Kind: channel.ChannelDown, Text: "no channel: " + channel.Clean(err.Error())}
	}
	driver, ok := s.config.Drivers[c.Driver]
	if !ok {
		return c.Driver, channel.Receipt{}, &channel.Error{Kind: channel.ChannelDown, Text: "no such driver"}
	}
	if a.kind == models.MessageCode {
		if a.Body, err = s.codeText(ctx, a.ID); err != nil {
			return c.Driver, channel.Receipt{}, err
		}
	}
	receipt, err = driver.Send(ctx, c, a.Message)
	return c.Driver, receipt, err
}

// codeText requests the text of a code. An expired one is not sent.
func (s *Service) codeText(ctx context.Context, id uuid.UUID) (string, error) {
	if s.config.Codes == nil {
		return "", &channel.Error{Kind: channel.BadContent, Text: "no source of codes"}
	}
	text, err := s.config.Codes(ctx, id)
	switch {
	case err == nil:
		return text, nil
	case apperr.From(err).Kind == apperr.NotFound:
		return "", &channel.Error{Kind: channel.BadContent, Text: "the code has expired"}
	default:
		return "", &channel.Error{Kind: channel.Retryable, Text: "the code could not be read"}
	}
}

// judge turns the end of an attempt into the message's new status and, when it is queued again, the error
// that makes the task run again.
func (s *Service) classify(a attempt, receipt channel.Receipt, err error) (r result, retry error) {
	if err == nil {
		return result{status: models.MessageSent, outcome: models.MessageSent, providerID: receipt.ProviderID}, nil
	}
	failure := channel.AsError(err)
	r = result{status: models.MessageFailed, outcome: string(failure.Kind), code: failure.Code(), text: failure.Text}
	switch {
	case failure.Kind == channel.UnknownOutcome:
		r.status = models.MessageUnknown
	case failure.Passes() && a.number < s.config.MaxAttempts*(a.retryCount+1):
		r.status = models.MessageQueued
		retry = apperr.Wrap(failure, apperr.Unavailable, "MESSAGE_"+failure.Code(), "the message could not be sent now").
			WithRetryAfter(failure.RetryAfter)
	}
	return r, retry
}

// conclude writes the result, also when the task's time is over, because what happened must not be
// forgotten. If even that fails the lease expires and the message becomes unknown.
func (s *Service) conclude(ctx context.Context, a attempt, r result, retry error) error {
	save, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	moved, err := s.save(save, a, r)
	if err != nil {
		return err
	}
	level := slog.LevelInfo
	if r.code != "" {
		level = slog.LevelWarn
	}
	s.config.Log.LogAttrs(ctx, level, "messaging: attempt",
		slog.String("message_id", a.ID.String()), slog.String("recipient", channel.Mask(a.Recipient)), slog.Int("number", a.number),
		slog.String("driver", r.driver), slog.String("outcome", r.outcome), slog.String("status", r.status),
		slog.String("error", r.text), slog.Bool("late", !moved))
	if !moved {
		return nil // another attempt has the lease
	}
	s.moved(ctx, a.entityID, a.ID, r.status)
	return retry
}
