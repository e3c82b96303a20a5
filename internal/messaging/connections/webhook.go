package connections

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/messaging/channel"
	"banca/internal/ratelimit"
)

// Challenge is the request by which a provider verifies the address of a webhook.
type Challenge struct {
	Connection uuid.UUID
	Query      url.Values
	Address    string // of the caller
}

// Answer returns the answer to a challenge. Errors: ErrNotFound, ErrSignature, ErrTooManyRefused.
func (s *Service) Answer(ctx context.Context, q *Challenge) (string, error) {
	_, c, receiver, err := s.receiver(ctx, q.Connection)
	if errors.Is(err, ErrNotFound) {
		return "", s.refused(ctx, q.Address, ErrNotFound)
	}
	if err != nil {
		return "", err
	}
	answer, ok := receiver.Challenge(c, q.Query)
	if !ok {
		return "", s.refused(ctx, q.Address, ErrSignature)
	}
	return answer, nil
}

// Webhook is a call of a provider.
type Webhook struct {
	Connection uuid.UUID
	Header     http.Header
	Body       []byte // as it came: signatures are of it
	Address    string // of the caller
}

// Report verifies a webhook, stores the state it brings, and returns what it reports of messages. Errors: ErrNotFound, ErrSignature, ErrWebhook,
// ErrTooManyRefused.
func (s *Service) Report(ctx context.Context, w *Webhook) (channel.Report, error) {
	r, c, receiver, err := s.receiver(ctx, w.Connection)
	if errors.Is(err, ErrNotFound) {
		return channel.Report{}, s.refused(ctx, w.Address, ErrNotFound)
	}
	if err != nil {
		return channel.Report{}, err
	}
	report, err := receiver.Receive(c, w.Header, w.Body, s.Clock.Now())
	switch {
	case errors.Is(err, channel.ErrSignature):
		return channel.Report{}, s.refused(ctx, w.Address, ErrSignature)
	case err != nil:
		return channel.Report{}, ErrWebhook.WithCause(err)
	}
	if report.Link == nil {
		return report, nil
	}
	return report, s.keep(ctx, r, report.Link)
}

// Owner returns the entity of a connection. Errors: ErrNotFound.
func (s *Service) Owner(ctx context.Context, id uuid.UUID) (uuid.UUID, error) {
	r, err := s.one(ctx, `c.id = $1`, id)
	if err != nil {
		return uuid.Nil, err
	}
	return r.EntityID, nil
}

// Bounds of refused webhooks of an address.
const (
	refusedWebhooks = 60
	refusedWindow   = time.Minute
)

// refused counts a refused webhook and returns the error to answer.
func (s *Service) refused(ctx context.Context, address string, because *apperr.Error) error {
	if s.Guesses == nil {
		return because
	}
	wait, err := s.Guesses.Count(ctx, false, ratelimit.Subject{Key: "messaging:webhooks:refused:" + address, Wrong: refusedWebhooks, Window: refusedWindow})
	if err != nil || wait == 0 {
		return because
	}
	return ErrTooManyRefused.WithRetryAfter(wait)
}

// receiver returns a connection that takes webhooks, with its channel and driver. Errors: ErrNotFound.
func (s *Service) receiver(ctx context.Context, id uuid.UUID) (*row, channel.Channel, channel.WebhookReceiver, error) {
	r, err := s.one(ctx, `c.id = $1`, id)
	if err != nil {
		return nil, channel.Channel{}, nil, err
	}
	receiver, ok := s.Drivers[r.Driver].(channel.WebhookReceiver)
	if !ok {
		return nil, channel.Channel{}, nil, ErrNotFound
	}
	c, err := s.channelOf(r)
	return r, c, receiver, err
}
