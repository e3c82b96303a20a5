package connections

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/maypok86/otter/v2"

	"banca/internal/messaging/channel"
	"banca/internal/platform/apperr"
	"banca/internal/platform/clientaddr"
	"banca/internal/platform/ratelimit"
)

// Challenge is the request by which a provider verifies the address of a webhook.
type Challenge struct {
	Connection uuid.UUID
	Query      url.Values
	Address    string // of the caller
}

// Answer returns the answer to a challenge. Errors: ErrNotFound, ErrSignature, ErrTooManyRefused.
func (s *Service) Answer(ctx context.Context, q *Challenge) (string, error) {
	if err := s.admit(ctx, q.Address, q.Connection); err != nil {
		return "", err
	}
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
	if err := s.admit(ctx, w.Address, w.Connection); err != nil {
		return channel.Report{}, err
	}
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

// Bounds of refused webhooks of a subscriber's network, and of a site's.
const (
	refusedWebhooks = 60
	refusedOfSite   = 10 * refusedWebhooks
	refusedWindow   = time.Minute
	knownExpiry     = 30 * time.Second // of the ids of connections
)

// refusedFrom returns what refused webhooks of an address are counted for.
func refusedFrom(address string) []ratelimit.Subject {
	const key = "messaging:webhooks:refused:"
	from, _ := clientaddr.Parse(address)
	return []ratelimit.Subject{
		{Key: key + clientaddr.Network(from, clientaddr.SubscriberBits).String(), Wrong: refusedWebhooks, Window: refusedWindow},
		{Key: key + "site:" + clientaddr.Network(from, clientaddr.SiteBits).String(), Wrong: refusedOfSite, Window: refusedWindow},
	}
}

// admit refuses a call for an unknown connection, without a query, while its network has no refusal left. A call for a
// known one is read: a provider may share its address with a stranger.
func (s *Service) admit(ctx context.Context, address string, id uuid.UUID) error {
	if s.Guesses == nil {
		return nil
	}
	wait, err := s.Guesses.Count(ctx, true, refusedFrom(address)...)
	if err != nil || wait == 0 {
		return nil //nolint:nilerr // without Redis the webhook is judged by its signature alone
	}
	known, err := s.known.Get(ctx, struct{}{}, otter.LoaderFunc[struct{}, map[uuid.UUID]bool](s.loadKnown))
	if err != nil || known[id] {
		return err
	}
	return ErrTooManyRefused.WithRetryAfter(wait)
}

// loadKnown reads the ids of all connections.
func (s *Service) loadKnown(ctx context.Context, _ struct{}) (map[uuid.UUID]bool, error) {
	rows, err := s.PG.Pool.Query(ctx, `SELECT id FROM messaging_connections`)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("read connections: %w", err)
	}
	known := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	return known, nil
}

// refused counts a refused webhook and returns the error to answer.
func (s *Service) refused(ctx context.Context, address string, because *apperr.Error) error {
	if s.Guesses == nil {
		return because
	}
	wait, err := s.Guesses.Count(ctx, false, refusedFrom(address)...)
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
