package channel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/simulators"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
	"banca/internal/messaging/cloud"
	"banca/internal/messaging/evolution"
	"banca/internal/messaging/signed"
	"banca/internal/messaging/waha"
	"banca/internal/platform/clock"
)

const (
	gatewayKey = "a-key-of-the-gateway-of-40-characters-xx"
	customer   = "+584141234567"
)

// rig is a driver with a channel at a simulated gateway, and a webhook that keeps what it is sent.
type rig struct {
	channel.Driver

	t       *testing.T
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
	b := &rig{t: t, Driver: drivers()[name], gateway: simulators.NewGateway(simulators.GatewayConfig{
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
	receiver := b.receiver()
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

func (b *rig) receiver() channel.WebhookReceiver {
	receiver, ok := b.Driver.(channel.WebhookReceiver)
	assert.True(b.t, ok)
	return receiver
}

func (b *rig) linker() channel.Linker {
	linker, ok := b.Driver.(channel.Linker)
	assert.True(b.t, ok)
	return linker
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
func each(t *testing.T, run func(b *rig)) {
	t.Helper()
	for name := range drivers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(newRig(t, name))
		})
	}
}
