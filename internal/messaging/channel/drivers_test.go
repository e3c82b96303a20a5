package channel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/clock"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
	"banca/internal/messaging/cloud"
	"banca/internal/messaging/evolution"
	"banca/internal/messaging/signed"
	"banca/internal/messaging/waha"
	"banca/internal/simulators"
)

const (
	gatewayKey = "a-key-of-the-gateway-of-40-characters-xx"
	customer   = "+584141234567"
)

// rig is a driver with a channel at a simulated gateway, and a webhook that keeps what it is sent.
type rig struct {
	channel.Driver

	gateway *simulators.Gateway
	base    string
	channel channel.Channel

	mu      sync.Mutex
	reports []channel.Report
	refused []error
	raw     []received
	hook    *httptest.Server
}

// received is a call of the webhook as it came.
type received struct {
	header http.Header
	body   []byte
}

func drivers() map[string]channel.Driver {
	client := httpcall.New([]string{"127.0.0.1"}, nil)
	return channel.ByName(cloud.New(client), evolution.New(client), waha.New(client), signed.New(client, time.Now))
}

func parametersAt(driver, base string) map[string]string {
	switch driver {
	case "cloud":
		return map[string]string{
			"base_url": base, "phone_number_id": "106540352242922", "access_token": gatewayKey, "app_secret": gatewayKey, "verify_token": "verify-me-please",
		}
	case "http":
		return map[string]string{"url": base + "/signed", "secret": gatewayKey}
	case "waha":
		return map[string]string{"base_url": base, "session": "default", "api_key": gatewayKey, "webhook_secret": "a-secret-of-the-webhook"}
	default:
		return map[string]string{"base_url": base, "instance": "banca", "api_key": gatewayKey, "webhook_secret": "a-secret-of-the-webhook"}
	}
}

// newRig starts a gateway whose account of the driver exists and is open.
func newRig(t *testing.T, name string) *rig {
	t.Helper()
	b := &rig{Driver: drivers()[name], gateway: simulators.NewGateway(simulators.GatewayConfig{
		APIKey: gatewayKey, Instance: "another", Clock: clock.System{}, StatusDelay: time.Millisecond,
	})}
	server := httptest.NewServer(b.gateway)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	b.base = server.URL
	b.channel = channel.Channel{Driver: name, Parameters: parametersAt(name, server.URL)}
	b.hook = httptest.NewServer(http.HandlerFunc(b.receive))
	t.Cleanup(b.hook.Close)
	b.link(t)
	return b
}

// link connects the account and scans it, or sets its webhook as a person does at the provider.
func (b *rig) link(t *testing.T) {
	t.Helper()
	linker, ok := b.Driver.(channel.Linker)
	if !ok {
		b.control(t, "_webhook", map[string]any{"url": b.hook.URL, "secret": gatewayKey, "verify_token": "verify-me-please"})
		return
	}
	link, err := linker.Connect(t.Context(), b.channel, b.hook.URL)
	require.NoError(t, err)
	require.Equal(t, channel.ShowsQR, link.State)
	require.True(t, channel.IsQR(link.QR))
	b.control(t, "_scan", nil)
}

// account is the gateway's name of the channel.
func (b *rig) account() string {
	for _, name := range []string{"instance", "session", "phone_number_id"} {
		if value := b.channel.Get(name); value != "" {
			return value
		}
	}
	return "http"
}

// control presses a button of the gateway's page.
func (b *rig) control(t *testing.T, action string, body map[string]any) {
	t.Helper()
	request := map[string]any{"protocol": b.Name(), "account": b.account()}
	maps.Copy(request, body)
	raw, err := json.Marshal(request)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+"/"+action, bytes.NewReader(raw))
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode, "%s", answer)
}

func (b *rig) receive(w http.ResponseWriter, r *http.Request) {
	receiver := b.Driver.(channel.WebhookReceiver)
	if r.Method == http.MethodGet {
		answer, ok := receiver.Challenge(b.channel, r.URL.Query())
		if !ok {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, answer)
		return
	}
	body, err := io.ReadAll(r.Body)
	report, failure := receiver.Receive(b.channel, r.Header, body, time.Now())
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil || failure != nil {
		b.refused = append(b.refused, err, failure)
		return
	}
	b.reports = append(b.reports, report)
	b.raw = append(b.raw, received{r.Header, body})
}

// statuses are the statuses that came, in their order.
func (b *rig) statuses() (all []channel.Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.reports {
		all = append(all, r.Statuses...)
	}
	return all
}

func (b *rig) send(ctx context.Context, m channel.Message) (channel.Receipt, error) {
	return b.Send(ctx, b.channel, m)
}

func text() channel.Message {
	return channel.Message{ID: uuid.New(), Recipient: customer, Body: "Su recibo"}
}

// each runs a test with every driver.
func each(t *testing.T, run func(t *testing.T, b *rig)) {
	t.Helper()
	for name := range drivers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, newRig(t, name))
		})
	}
}

func TestDriversDeliverAndReport(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *rig) {
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
	each(t, func(t *testing.T, b *rig) {
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
	each(t, func(t *testing.T, b *rig) {
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
}

func TestStatusesComeTwiceOutOfOrderAndLate(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *rig) {
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
	each(t, func(t *testing.T, b *rig) {
		_, err := b.send(t.Context(), text())
		require.NoError(t, err)
		assert.Eventually(t, func() bool { return len(b.statuses()) == 2 }, 5*time.Second, 5*time.Millisecond)
		genuine := b.raw[len(b.raw)-1]
		receiver := b.Driver.(channel.WebhookReceiver)
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
	each(t, func(t *testing.T, b *rig) {
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
	each(t, func(t *testing.T, b *rig) {
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
			linker := b.Driver.(channel.Linker)
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
