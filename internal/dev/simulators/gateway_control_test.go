package simulators_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/simulators"
	"banca/internal/platform/clock"
)

// newGateway is a gateway whose clock is fixed, so that a QR code stays the same.
func newGateway(t *testing.T) (*simulators.Gateway, string) {
	t.Helper()
	g := simulators.NewGateway(simulators.GatewayConfig{APIKey: key, Instance: "banca", Clock: clock.NewFake(time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC))})
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	return g, server.URL
}

// press posts a form, as a button of the page does, and returns the page that follows.
func press(t *testing.T, base, action string, form url.Values) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+action, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	page, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return string(page)
}

func TestThePageScansBreaksAndMends(t *testing.T) {
	t.Parallel()
	_, base := newGateway(t)
	status, _, body := call(t, base, "POST", "/instance/create", `{"instanceName":"agencia","integration":"WHATSAPP-BAILEYS","qrcode":true}`)
	require.Equal(t, http.StatusCreated, status, body)
	assert.Contains(t, body, `"status":"connecting"`)
	status, _, _ = call(t, base, "POST", "/instance/create", `{"instanceName":"agencia","integration":"WHATSAPP-BAILEYS"}`)
	assert.Equal(t, http.StatusForbidden, status, "the name is in use")
	_, _, page := call(t, base, "GET", "/", "")
	assert.Contains(t, page, `evolution · agencia · qr`)
	assert.Contains(t, page, `alt="Código QR"`)

	account := url.Values{"protocol": {"evolution"}, "account": {"agencia"}}
	assert.Contains(t, press(t, base, "/_scan", account), `evolution · agencia · open`)
	broken := url.Values{"protocol": {"evolution"}, "account": {"agencia"}, "state": {"banned"}}
	assert.Contains(t, press(t, base, "/_break", broken), `evolution · agencia · banned`)
	assert.Contains(t, press(t, base, "/_mend", account), `evolution · agencia · open`)
	assert.Contains(t, press(t, base, "/_mode", url.Values{"mode": {"429"}, "times": {"5"}, "source": {"waha"}}), `Modo: 429 × 5 waha`)
	assert.Contains(t, press(t, base, "/_mode", url.Values{"mode": {"nonsense"}, "times": {"5"}}), "no such mode")

	for request, want := range map[string]int{
		`{"protocol":"evolution","account":"nobody"}`: http.StatusNotFound,
		`{"protocol"`: http.StatusBadRequest,
		``:            http.StatusBadRequest,
		`{"protocol":"evolution","account":"agencia","state":"disconnected"}`: http.StatusOK,
	} {
		status, _, _ = call(t, base, "POST", "/_break", request)
		assert.Equal(t, want, status, request)
	}
	_, _, list := call(t, base, "GET", "/_accounts", "")
	assert.Contains(t, list, `"disconnected"`)
}

func TestEachProtocolChecksItsKey(t *testing.T) {
	t.Parallel()
	g, base := newGateway(t)
	for path, body := range map[string]string{
		"/v23.0/106540352242922/messages": `{"messaging_product":"whatsapp","to":"1","type":"text","text":{"body":"x"}}`,
		"/api/sendText":                   `{"session":"default","chatId":"1@c.us","text":"x"}`,
		"/signed":                         `{"type":"message","id":"1","to":"+1","text":"x"}`,
	} {
		status, _, _ := call(t, base, "POST", path, body)
		assert.Equal(t, http.StatusUnauthorized, status, path)
	}
	assert.Empty(t, g.Outbox(""))
}

func TestOversizedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	_, base := newGateway(t)
	status, _, _ := call(t, base, "POST", "/_say", `{"text":"`+strings.Repeat("x", 1<<20)+`"}`)
	assert.Equal(t, http.StatusBadRequest, status)
}
