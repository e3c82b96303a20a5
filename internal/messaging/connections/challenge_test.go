package connections_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging/connections"
	"banca/internal/platform/clock"
	"banca/internal/platform/ratelimit"
)

// Wrong challenges and wrong reports share one bound of attempts.
func TestRefusedChallengesAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	b.Guesses = ratelimit.NewGuesses(b.Redis, clock.System{})
	c, err := b.Create(t.Context(), b.root.caller(), b.wish(b.agency))
	require.NoError(t, err)
	for range 30 {
		_, err = b.Answer(t.Context(), &connections.Challenge{Connection: c.ID, Address: "192.0.2.1"})
		require.ErrorIs(t, err, connections.ErrSignature)
		_, err = b.Report(t.Context(), &connections.Webhook{Connection: uuid.New(), Address: "192.0.2.1"})
		require.ErrorIs(t, err, connections.ErrNotFound)
	}
	for _, id := range []uuid.UUID{c.ID, uuid.New()} {
		_, err = b.Answer(t.Context(), &connections.Challenge{Connection: id, Address: "192.0.2.1"})
		require.ErrorIs(t, err, connections.ErrTooManyRefused)
	}
	_, err = b.Answer(t.Context(), &connections.Challenge{Connection: c.ID, Query: url.Values{"challenge": {"1"}}, Address: "192.0.2.1"})
	require.NoError(t, err, "the provider may have the same address")
	_, err = b.Answer(t.Context(), &connections.Challenge{Connection: c.ID, Address: "192.0.2.2"})
	require.ErrorIs(t, err, connections.ErrSignature)
}

// Refusals count for the network of an IPv6 subscriber, and beyond the bound an unknown connection is refused without
// a query.
func TestRefusedWebhooksOfANetworkAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	b.Guesses = ratelimit.NewGuesses(b.Redis, clock.System{})
	c, err := b.Create(t.Context(), b.root.caller(), b.wish(b.agency))
	require.NoError(t, err)
	for n := range 60 {
		_, err = b.Report(t.Context(), &connections.Webhook{Connection: uuid.New(), Address: fmt.Sprintf("2001:db8::%x", n+1)})
		require.ErrorIs(t, err, connections.ErrNotFound)
	}
	_, err = b.Answer(t.Context(), &connections.Challenge{Connection: c.ID, Query: url.Values{"challenge": {"1"}}, Address: "2001:db8::ffff"})
	require.NoError(t, err, "a provider in the same network")
	_, err = b.PG.Pool.Exec(t.Context(), `ALTER TABLE messaging_connections RENAME TO away`) // any query fails
	require.NoError(t, err)
	_, err = b.Report(t.Context(), &connections.Webhook{Connection: uuid.New(), Address: "2001:db8::ffff"})
	require.ErrorIs(t, err, connections.ErrTooManyRefused)
}
