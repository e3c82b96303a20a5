package messaging_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/simulators"
	"banca/internal/dev/testkit"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/platform/apperr"
	"banca/models"
)

func TestEachFaultLeadsToItsStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode      string
		status    string
		code      string
		pauses    bool
		delivered int
	}{
		{"ok", models.MessageSent, "", false, 1},
		{simulators.GatewayBadRecipient, models.MessageFailed, "RECIPIENT", false, 0},
		{simulators.GatewayErrorIn200, models.MessageQueued, "CHANNEL_DOWN", true, 0},
		{simulators.GatewayRateLimited, models.MessageQueued, "RATE_LIMITED", true, 0},
		{simulators.GatewayNoLicence, models.MessageQueued, "CHANNEL_DOWN", true, 0},
		{simulators.GatewayTimeout, models.MessageUnknown, "UNKNOWN_OUTCOME", false, 0},
		{simulators.GatewayDropAfterWrite, models.MessageUnknown, "UNKNOWN_OUTCOME", false, 1},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id := b.queue(t)
			require.True(t, b.gateway.SetFault(simulators.Fault{Mode: c.mode, Times: 1}))
			require.NoError(t, b.Send(t.Context(), id))
			m := b.get(t, id)
			assert.Equal(t, c.status, m.Status)
			assert.Equal(t, c.code, value(m.ErrorCode))
			assert.Len(t, b.gateway.Outbox(customer), c.delivered)
			require.Len(t, m.Tries, 1)
			assert.NotContains(t, m.Tries[0].ErrorText+value(m.ErrorText), customer[1:], "numbers are masked")

			require.NoError(t, b.Send(t.Context(), id), "a task that came twice")
			require.Len(t, b.get(t, id).Tries, 1, "a paused channel is not tried")
			want := c.delivered
			if c.pauses {
				b.endPauses(t)
				require.NoError(t, b.Send(t.Context(), id))
				assert.Equal(t, models.MessageSent, b.get(t, id).Status)
				want = 1
			}
			assert.Len(t, b.gateway.Outbox(customer), want, "nothing of unknown outcome is sent again")
		})
	}
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestChannelTroubles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		channel channel.Channel
		status  string
		code    string
	}{
		"nobody listens": {evolutionAt("http://127.0.0.1:1"), models.MessageQueued, "RETRYABLE"},
		"no address":     {evolutionAt("::"), models.MessageQueued, "CHANNEL_DOWN"},
		"no such driver": {channel.Channel{Driver: "pigeon"}, models.MessageQueued, "CHANNEL_DOWN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(config *messaging.Deps) { config.Routes = messaging.NewStaticRoute(c.channel) })
			id := b.queue(t)
			err := b.Send(t.Context(), id)
			assert.Equal(t, c.code == "RETRYABLE", err != nil, "%v", err)
			m := b.get(t, id)
			assert.Equal(t, c.status, m.Status)
			assert.Equal(t, c.code, value(m.ErrorCode))
		})
	}
	t.Run("wrong key", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		other := setup(t, func(c *messaging.Deps) {
			stolen, err := c.Routes.ByID(t.Context(), uuid.Nil)
			require.NoError(t, err)
			stolen.Parameters["api_key"] = "stolen"
			c.Routes = messaging.NewStaticRoute(stolen)
		})
		id := other.queue(t)
		require.NoError(t, other.Send(t.Context(), id))
		assert.Equal(t, "AUTH", value(other.get(t, id).ErrorCode))
		assert.Equal(t, models.MessageQueued, other.get(t, id).Status, "it waits for a person who mends the channel")
		assert.Empty(t, b.gateway.Outbox(""))
	})
}

func TestAttemptsAreBounded(t *testing.T) {
	t.Parallel()
	away := true
	b := setup(t, func(c *messaging.Deps) { c.MaxAttempts = 3 }, with(func(context.Context, channel.Message) (channel.Receipt, error) {
		if away {
			return channel.Receipt{}, &channel.Error{Kind: channel.Retryable, Text: "x"}
		}
		return channel.Receipt{ProviderID: "p"}, nil
	}))
	id := b.queue(t)
	require.Error(t, b.Send(t.Context(), id))
	require.Error(t, b.Send(t.Context(), id))
	require.NoError(t, b.Send(t.Context(), id), "the last attempt ends the task")
	m := b.get(t, id)
	assert.Equal(t, models.MessageFailed, m.Status)
	assert.Len(t, m.Tries, 3)

	require.NoError(t, b.Resend(t.Context(), testkit.Within(b.path), id))
	require.Error(t, b.Send(t.Context(), id), "a resend may try as often again")
	away = false
	require.NoError(t, b.Send(t.Context(), id))
	assert.Equal(t, models.MessageSent, b.get(t, id).Status)
}

func TestConcurrentSendsDeliverOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.queue(t)
	var sends sync.WaitGroup
	var refused atomic.Int64
	for range 50 {
		sends.Go(func() {
			if err := b.Send(t.Context(), id); err != nil {
				assert.Equal(t, "MESSAGE_UNDER_WAY", apperr.CodeOf(err))
				refused.Add(1)
			}
		})
	}
	sends.Wait()
	assert.Len(t, b.gateway.Outbox(customer), 1)
	assert.Len(t, b.get(t, id).Tries, 1)
	assert.Equal(t, models.MessageSent, b.get(t, id).Status)
	t.Logf("%d of 50 were told to come back", refused.Load())
}

// TestExpiredLeaseIsUnknown plays a worker that was killed while it sent, and its task running again.
func TestExpiredLeaseIsUnknown(t *testing.T) {
	t.Parallel()
	for name, heal := range map[string]func(ctx context.Context, b *bundle, id uuid.UUID) error{
		"by the task":  func(ctx context.Context, b *bundle, id uuid.UUID) error { return b.Send(ctx, id) },
		"by the sweep": func(ctx context.Context, b *bundle, _ uuid.UUID) error { return b.Sweep(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id := b.queue(t)
			b.exec(t, "UPDATE message_logs SET status = 'sending', attempts = 1, lease_until = now() + interval '1 minute' WHERE id = $1", id)
			err := b.Send(t.Context(), id)
			require.Equal(t, "MESSAGE_UNDER_WAY", apperr.CodeOf(err), "while the lease runs it may still be delivered")
			assert.InDelta(t, 60, apperr.From(err).RetryAfter.Seconds(), 5)

			b.exec(t, "UPDATE message_logs SET lease_until = now() - interval '1 second' WHERE id = $1", id)
			require.NoError(t, heal(t.Context(), b, id))
			m := b.get(t, id)
			assert.Equal(t, models.MessageUnknown, m.Status)
			assert.Equal(t, "LEASE_EXPIRED", value(m.ErrorCode))
			require.Len(t, m.Tries, 1)
			assert.Equal(t, "lease_expired", m.Tries[0].Outcome)
			require.NoError(t, b.Send(t.Context(), id))
			assert.Empty(t, b.gateway.Outbox(""), "it is never sent again by itself")
		})
	}
}

// TestLateAttemptReplacesAnUnknownOutcome: an attempt that outlives its lease may replace unknown by a certain
// outcome, and nothing else.
func TestLateAttemptReplacesAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"delivered": {nil, models.MessageSent},
		"refused":   {&channel.Error{Kind: channel.BadRecipient, Text: "x"}, models.MessageFailed},
		"may pass":  {&channel.Error{Kind: channel.Retryable, Text: "x"}, models.MessageUnknown},
		"panicky":   {errors.New("who knows"), models.MessageUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b *bundle
			b = setup(t, with(func(_ context.Context, m channel.Message) (channel.Receipt, error) {
				b.exec(t, "UPDATE message_logs SET lease_until = now() - interval '1 second' WHERE id = $1", m.ID)
				assert.NoError(t, b.Sweep(t.Context()))
				return channel.Receipt{ProviderID: "p"}, c.err
			}))
			id := b.queue(t)
			require.NoError(t, b.Send(t.Context(), id))
			assert.Equal(t, c.want, b.get(t, id).Status)
		})
	}
}

// TestResultIsKeptWhenTheTaskIsCancelled: the message is out, so the worker's end must not hide that.
func TestResultIsKeptWhenTheTaskIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := setup(t, with(func(context.Context, channel.Message) (channel.Receipt, error) {
		cancel()
		return channel.Receipt{ProviderID: "p"}, nil
	}))
	id := b.queue(t)
	require.NoError(t, b.Send(ctx, id))
	assert.Equal(t, models.MessageSent, b.get(t, id).Status)
}

func TestSendRefusesWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, setup(t).Send(t.Context(), uuid.New()), messaging.ErrNotFound)
}

func TestLogsMaskNumbersAndHideKeys(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	b := setup(t, func(c *messaging.Deps) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	for _, mode := range []string{"ok", simulators.GatewayBadRecipient} {
		b.gateway.SetFault(simulators.Fault{Mode: mode})
		require.NoError(t, b.Send(t.Context(), b.queue(t)))
	}
	assert.Contains(t, log.String(), "+58********67")
	assert.NotContains(t, log.String(), customer[1:])
	assert.NotContains(t, log.String(), apiKey)
}
