package connections

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"banca/internal/messaging/channel"
)

// Challenge answers the request by which a provider verifies the address of a webhook. Errors: ErrNotFound, ErrSignature.
func (s *Service) Challenge(ctx context.Context, id uuid.UUID, query url.Values) (string, error) {
	_, c, receiver, err := s.receiver(ctx, id)
	if err != nil {
		return "", err
	}
	answer, ok := receiver.Challenge(c, query)
	if !ok {
		return "", ErrSignature
	}
	return answer, nil
}

// Report verifies a webhook, stores the state it brings, and returns what it reports of messages. Errors: ErrNotFound, ErrSignature, ErrWebhook.
func (s *Service) Report(ctx context.Context, id uuid.UUID, header http.Header, body []byte) (channel.Report, error) {
	r, c, receiver, err := s.receiver(ctx, id)
	if err != nil {
		return channel.Report{}, err
	}
	report, err := receiver.Receive(c, header, body, s.Clock.Now())
	switch {
	case errors.Is(err, channel.ErrSignature):
		return channel.Report{}, ErrSignature
	case err != nil:
		return channel.Report{}, ErrWebhook.WithCause(err)
	}
	if report.Link == nil {
		return report, nil
	}
	return report, s.keep(ctx, r, report.Link)
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
