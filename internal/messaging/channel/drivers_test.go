package channel_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/simulators"
	"banca/internal/messaging/channel"
)

func TestDriversDeliverAndReport(t *testing.T) {
	t.Parallel()
	each(t, func(b *rig) {
		t := b.t
		m := text()
		m.ImageURL = "https://example.com/r.png"
		receipt, err := b.send(t.Context(), m)
		require.NoError(t, err)
		outbox := b.gateway.Outbox(customer)
		require.Len(t, outbox, 1)
		assert.Equal(t, []string{"image", "Su recibo", m.ImageURL, m.ID.String()}, []string{outbox[0].Type, outbox[0].Caption, outbox[0].MediaURL, outbox[0].Ref})
		assert.Eventually(t, func() bool { return len(b.statuses()) == 2 }, 5*time.Second, 5*time.Millisecond)
		for i, want := range []string{channel.StatusSent, channel.StatusDelivered} {
			s := b.statuses()[i]
			assert.Equal(t, want, s.Status)
			assert.Equal(t, receipt.ProviderID, s.ProviderID)
			if b.Name() == "cloud" || b.Name() == "http" {
				assert.Equal(t, m.ID, s.MessageID, "the provider sends our id back")
			}
		}
		link, err := b.State(t.Context(), b.channel)
		require.NoError(t, err)
		assert.Equal(t, channel.Open, link.State)
		assert.Empty(t, b.refused)
	})
}

func TestDriversTellTheReasonOfAFailure(t *testing.T) {
	t.Parallel()
	each(t, func(b *rig) {
		t := b.t
		for mode, want := range map[string]channel.Kind{
			simulators.GatewayBadRecipient:  channel.BadRecipient,
			simulators.GatewayContent:       channel.BadContent,
			simulators.GatewayNeedsTemplate: map[bool]channel.Kind{true: channel.NeedsTemplate, false: channel.BadContent}[b.Name() == "cloud" || b.Name() == "http"],
			simulators.GatewayRateLimited:   channel.RateLimited,
			simulators.GatewayRetryable:     channel.Retryable,
			simulators.GatewayDown:          channel.ChannelDown,
			simulators.GatewayAuth:          channel.Unauthorised,
			simulators.GatewayBadProxy:      channel.UnknownOutcome,
			simulators.GatewayRedirect:      channel.ChannelDown,
			simulators.GatewayErrorIn200:    map[string]channel.Kind{"cloud": channel.Retryable, "waha": channel.RateLimited, "http": channel.ChannelDown, "evolution": channel.ChannelDown}[b.Name()],
			simulators.GatewayTimeout:       channel.UnknownOutcome,
		} {
			t.Run(mode, func(t *testing.T) {
				require.True(t, b.gateway.SetFault(simulators.Fault{Mode: mode, Times: 1, Source: b.Name()}))
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := b.send(ctx, text())
				failure := channel.AsError(err)
				assert.Equal(t, want, failure.Kind, failure.Text)
				assert.Empty(t, b.gateway.Outbox(""))
				assert.LessOrEqual(t, len(failure.Text), channel.MaxErrorText)
				if mode == simulators.GatewayRateLimited {
					assert.Equal(t, 7*time.Second, failure.RetryAfter)
				}
			})
		}
	})
}

func TestWhatWasDeliveredWithoutAnAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	each(t, func(b *rig) {
		t := b.t
		for i, mode := range []string{
			simulators.GatewayHang, simulators.GatewayDropAfterWrite, simulators.GatewayHalf, simulators.GatewayGarbage, simulators.GatewayOversized,
		} {
			require.True(t, b.gateway.SetFault(simulators.Fault{Mode: mode, Times: 1}))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := b.send(ctx, text())
			cancel()
			assert.Equal(t, channel.UnknownOutcome, channel.AsError(err).Kind, mode)
			assert.Len(t, b.gateway.Outbox(""), i+1, mode)
		}
	})
}

func TestAReceiverOfHTTPIsSentTheSameIDTwice(t *testing.T) {
	t.Parallel()
	b := newRig(t, "http")
	m := text()
	first, err := b.send(t.Context(), m)
	require.NoError(t, err)
	second, err := b.send(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, first, second)
	assert.Len(t, b.gateway.Outbox(""), 1)

	lost := text()
	require.True(t, b.gateway.SetFault(simulators.Fault{Mode: simulators.GatewayDropAfterWrite, Times: 1}))
	_, err = b.send(t.Context(), lost)
	require.Equal(t, channel.UnknownOutcome, channel.AsError(err).Kind)
	_, err = b.send(t.Context(), lost)
	require.NoError(t, err)
	assert.Len(t, b.gateway.Outbox(""), 2, "a person may send it again without harm")
}

func TestStatusesComeTwiceOutOfOrderAndLate(t *testing.T) {
	t.Parallel()
	each(t, func(b *rig) {
		t := b.t
		require.True(t, b.gateway.SetFault(simulators.Fault{Mode: simulators.GatewayDoubled, Times: 1}))
		_, err := b.send(t.Context(), text())
		require.NoError(t, err)
		assert.Eventually(t, func() bool { return len(b.statuses()) == 6 }, 5*time.Second, 5*time.Millisecond)
		assert.Equal(t, channel.StatusRead, b.statuses()[0].Status)

		require.True(t, b.gateway.SetFault(simulators.Fault{Mode: simulators.GatewayLateFailure, Times: 1}))
		_, err = b.send(t.Context(), text())
		require.NoError(t, err)
		assert.Eventually(t, func() bool { return len(b.statuses()) == 8 }, 5*time.Second, 5*time.Millisecond)
		last := b.statuses()[7]
		assert.Equal(t, channel.StatusFailed, last.Status)
		require.NotNil(t, last.Error)
		assert.Equal(t, channel.BadRecipient, last.Error.Kind)
	})
}

func TestWebhooksOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	each(t, func(b *rig) {
		t := b.t
		_, err := b.send(t.Context(), text())
		require.NoError(t, err)
		assert.Eventually(t, func() bool { return len(b.statuses()) == 2 }, 5*time.Second, 5*time.Millisecond)
		genuine := b.raw[len(b.raw)-1]
		receiver := b.receiver()
		_, err = receiver.Receive(b.channel, genuine.header, genuine.body, time.Now())
		require.NoError(t, err, "a repeated webhook is reported again")

		_, err = receiver.Receive(b.channel, http.Header{}, genuine.body, time.Now())
		require.ErrorIs(t, err, channel.ErrSignature, "without a signature")
		if b.Name() != "evolution" { // it signs nothing
			_, err = receiver.Receive(b.channel, genuine.header, append(bytes.Clone(genuine.body), ' '), time.Now())
			require.ErrorIs(t, err, channel.ErrSignature, "another body")
		}
		for _, secret := range []string{"another secret of forty characters long!", ""} {
			other := channel.Channel{Driver: b.Name(), Parameters: maps.Clone(b.channel.Parameters)}
			for _, name := range []string{"webhook_secret", "app_secret", "secret"} {
				other.Parameters[name] = secret
			}
			_, err = receiver.Receive(other, genuine.header, genuine.body, time.Now())
			require.ErrorIs(t, err, channel.ErrSignature, "another secret")
		}
		if b.Name() == "http" {
			_, err = receiver.Receive(b.channel, genuine.header, genuine.body, time.Now().Add(time.Hour))
			require.ErrorIs(t, err, channel.ErrSignature, "an hour later")
		}
	})
}

func TestInboundTextsAreReported(t *testing.T) {
	t.Parallel()
	each(t, func(b *rig) {
		t := b.t
		b.control(t, "_say", map[string]any{"from": customer, "text": "BAJA"})
		assert.Eventually(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			for _, r := range b.reports {
				for _, in := range r.Inbound {
					return in.From == customer && in.Text == "BAJA" && in.ID != "" && time.Since(in.At).Abs() < time.Minute
				}
			}
			return false
		}, 5*time.Second, 5*time.Millisecond)
	})
}

func TestAnAccountBreaksAndIsMended(t *testing.T) {
	t.Parallel()
	each(t, func(b *rig) {
		t := b.t
		state := func() channel.State {
			link, err := b.State(t.Context(), b.channel)
			require.NoError(t, err)
			return link.State
		}
		_, err := b.State(t.Context(), b.channel)
		require.NoError(t, err)
		for broken, want := range map[string]map[string]channel.State{
			"disconnected":     {"cloud": channel.Disconnected, "evolution": channel.Disconnected, "waha": channel.Disconnected, "http": channel.Disconnected},
			"banned":           {"cloud": channel.Banned, "http": channel.Banned},
			"passkey_required": {"evolution": channel.PasskeyRequired, "waha": channel.PasskeyRequired, "http": channel.PasskeyRequired},
			"license_required": {"evolution": channel.LicenseRequired, "http": channel.LicenseRequired},
		} {
			if want[b.Name()] == "" {
				continue
			}
			b.control(t, "_break", map[string]any{"state": broken})
			assert.Equal(t, want[b.Name()], state())
			_, err := b.send(t.Context(), text())
			assert.Equal(t, channel.ChannelDown, channel.AsError(err).Kind)
			b.control(t, "_mend", nil)
			assert.Equal(t, channel.Open, state())
			_, err = b.send(t.Context(), text())
			require.NoError(t, err)
		}
	})
}

func TestLinkingUnlinkingAndDeleting(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"evolution", "waha"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newRig(t, name)
			linker := b.linker()
			link, err := linker.Connect(t.Context(), b.channel, b.hook.URL)
			require.NoError(t, err)
			assert.Equal(t, channel.Open, link.State, "an open account stays open")
			require.NoError(t, linker.Logout(t.Context(), b.channel))
			require.NoError(t, linker.Logout(t.Context(), b.channel), "twice")
			link, err = linker.Connect(t.Context(), b.channel, b.hook.URL)
			require.NoError(t, err)
			assert.Equal(t, channel.ShowsQR, link.State)
			link, err = b.State(t.Context(), b.channel)
			require.NoError(t, err)
			assert.True(t, channel.IsQR(link.QR), "the state brings the current code")
			b.control(t, "_scan", map[string]any{"passkey": true})
			link, err = b.State(t.Context(), b.channel)
			require.NoError(t, err)
			assert.Equal(t, channel.PasskeyRequired, link.State)
			assert.Eventually(t, func() bool {
				b.mu.Lock()
				defer b.mu.Unlock()
				last := b.reports[len(b.reports)-1]
				return last.Link != nil && last.Link.State == channel.PasskeyRequired
			}, 5*time.Second, 5*time.Millisecond, "the webhook tells it, too")
			require.NoError(t, linker.Delete(t.Context(), b.channel))
			require.NoError(t, linker.Delete(t.Context(), b.channel), "twice")
			require.NoError(t, linker.Logout(t.Context(), b.channel), "of no account")
			link, err = b.State(t.Context(), b.channel)
			require.NoError(t, err)
			assert.Equal(t, channel.Disconnected, link.State)
			_, err = b.send(t.Context(), text())
			assert.Equal(t, channel.ChannelDown, channel.AsError(err).Kind)
		})
	}
}

// TestSecretsStayInside calls with wrong keys, hostile parameters and an answer that repeats the request.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprint(w, r.Header, string(body), r.URL)
	}))
	t.Cleanup(echo.Close)
	for name, d := range drivers() {
		secrets := []string{}
		for _, p := range d.Parameters() {
			if p.Secret {
				secrets = append(secrets, p.Name)
			}
		}
		require.NotEmpty(t, secrets)
		for place, base := range map[string]string{
			"an echo": echo.URL, "nobody": "http://127.0.0.1:1", "user info": "http://user:" + gatewayKey + "@127.0.0.1", "plain http": "http://example.com/" + "x",
			"a private network": "https://192.168.7.7", "metadata": "https://169.254.169.254", "not an address": "::" + gatewayKey,
		} {
			c := channel.Channel{Driver: name, Parameters: parametersAt(name, base)}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := d.Send(ctx, c, text())
			failure := channel.AsError(err)
			_, stateErr := d.State(ctx, c)
			cancel()
			logger.Info("x", "channel", c, "error", err, "state", stateErr, "text", fmt.Sprintf("%+v %#v %v", c, c, failure))
			require.Error(t, err, "%s %s", name, place)
			if place != "an echo" && place != "nobody" {
				assert.Equal(t, channel.ChannelDown, failure.Kind, "%s %s: %s", name, place, failure.Text)
			}
		}
		for _, value := range []string{"line\r\nX-Injected: " + gatewayKey, "\x00" + gatewayKey, gatewayKey + "\n"} {
			c := channel.Channel{Driver: name, Parameters: parametersAt(name, echo.URL)}
			c.Parameters[secrets[0]] = value
			_, err := d.Send(t.Context(), c, text())
			logger.Info("x", "channel", c, "error", err)
			assert.Equal(t, channel.ChannelDown, channel.AsError(err).Kind)
		}
	}
	assert.NotContains(t, log.String(), gatewayKey)
	assert.NotContains(t, log.String(), "a-secret-of-the-webhook")
	assert.NotContains(t, log.String(), strings.TrimPrefix(customer, "+"))
}

// A user who sets an address does not learn from a failure which names exist in the network of the server.
func TestANameOfThePrivateNetworkIsToldAsAnUnknownOne(t *testing.T) {
	t.Parallel()
	for name, d := range drivers() {
		failure := func(base string) *channel.Error {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err := d.Send(ctx, channel.Channel{Driver: name, Parameters: parametersAt(name, base)}, text())
			require.Error(t, err)
			return channel.AsError(err)
		}
		assert.Equal(t, failure("https://unknown.invalid"), failure("https://localhost"), name)
	}
}
