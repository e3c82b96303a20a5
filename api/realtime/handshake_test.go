package realtime_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/realtime"
	"banca/models"
)

// upgrade asks for a WebSocket by hand and returns the status and the code of the problem.
func upgrade(t *testing.T, address string, headers map[string]string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	for name, value := range map[string]string{
		"Connection": "keep-alive, Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
	} {
		r.Header.Set(name, value)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusSwitchingProtocols {
		return res.StatusCode, ""
	}
	assert.Equal(t, "application/problem+json", res.Header.Get("Content-Type"))
	var p struct{ Code string }
	require.NoError(t, json.NewDecoder(res.Body).Decode(&p))
	return res.StatusCode, p.Code
}

func TestRefusedHandshakes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	own, other := b.pos(t, b.point), b.pos(t, b.point)
	branch := b.entity(t, &b.root, models.EntityAgency, "OTH")
	foreign := b.pos(t, branch)
	at := func(p *pos) string { return b.first.address(p.device, p.session) }
	bearer := func(token string) map[string]string { return map[string]string{"Authorization": "Bearer " + token} }
	with := func(headers ...string) map[string]string {
		all := bearer(own.token)
		for i := 0; i < len(headers); i += 2 {
			all[headers[i]] = headers[i+1]
		}
		return all
	}
	signed := strings.LastIndex(own.token, ".") + 1
	forged := own.token[:signed] + strings.Repeat("x", len(own.token)-signed)
	for _, tt := range []struct {
		name    string
		address string
		headers map[string]string
		status  int
		code    string
	}{
		{"no token", at(own), nil, 401, "UNAUTHENTICATED"},
		{"empty token", at(own), bearer(""), 401, "UNAUTHENTICATED"},
		{"forged", at(own), bearer(forged), 401, "UNAUTHENTICATED"},
		{"alg none", at(own), bearer("eyJhbGciOiJub25lIn0." + strings.Split(own.token, ".")[1] + "."), 401, "UNAUTHENTICATED"},
		{"forged in a subprotocol", at(own), map[string]string{"Sec-WebSocket-Protocol": "banca, bearer." + forged}, 401, "UNAUTHENTICATED"},
		{"a refresh token", at(own), bearer(own.refresh), 401, "UNAUTHENTICATED"},
		{"another user's ids", at(other), with(), 404, "DEVICE_SESSION_NOT_FOUND"},
		{"another user's session", b.first.address(own.device, other.session), with(), 404, "DEVICE_SESSION_NOT_FOUND"},
		{"another branch", at(foreign), with(), 404, "DEVICE_NOT_FOUND"},
		{"unknown", b.first.address(uuid.New(), uuid.New()), with(), 404, "DEVICE_NOT_FOUND"},
		{"no ids", b.first.server.URL + "/ws", with(), 404, "DEVICE_NOT_FOUND"},
		{"no id", b.first.server.URL + "/ws?deviceId=1&sessionId=2", with(), 404, "DEVICE_NOT_FOUND"},
		{"another origin", at(own), with("Origin", "https://evil.example.com"), 403, "ORIGIN_NOT_ALLOWED"},
		{"a null origin", at(own), with("Origin", "null"), 403, "ORIGIN_NOT_ALLOWED"},
		{"an allowed host, another scheme", at(own), with("Origin", "http://pos.example.com"), 403, "ORIGIN_NOT_ALLOWED"},
		{"no WebSocket", at(own), with("Upgrade", "h2c"), 426, "UPGRADE_REQUIRED"},
		{"an old version", at(own), with("Sec-WebSocket-Version", "8"), 400, "BAD_HANDSHAKE"},
		{"no key", at(own), with("Sec-WebSocket-Key", "x"), 400, "BAD_HANDSHAKE"},
		{"allowed origin", at(own), with("Origin", "https://pos.example.com"), 101, ""},
		{"our own origin", at(own), with("Origin", b.first.server.URL), 101, ""},
		{"the public origin", at(own), with("Origin", "https://banca.example.com"), 101, ""},
		{"token in a subprotocol", at(own), map[string]string{"Sec-WebSocket-Protocol": "banca, bearer." + own.token}, 101, ""},
		{"token in the query", at(own) + "&token=" + own.token, nil, 101, ""},
	} {
		status, code := upgrade(t, tt.address, tt.headers)
		assert.Equal(t, tt.status, status, tt.name)
		assert.Equal(t, tt.code, code, tt.name)
	}
	for status, code := range map[string]string{
		models.StatusBlocked: "DEVICE_BLOCKED", models.StatusSuspended: "DEVICE_SUSPENDED", models.StatusInactive: "DEVICE_INACTIVE",
	} {
		require.NoError(t, b.env.PG.Gorm.Exec(`UPDATE devices SET status = ? WHERE id = ?`, status, other.device).Error)
		got, why := upgrade(t, at(other), bearer(other.token))
		assert.Equal(t, []any{403, code}, []any{got, why})
	}
	require.NoError(t, b.auth.Logout(t.Context(), own.Caller))
	status, code := upgrade(t, at(own), with())
	assert.Equal(t, []any{401, "UNAUTHENTICATED"}, []any{status, code}, "after the logout")
}

func TestTheSubprotocolIsAnswered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	who := b.pos(t, b.point)
	ws, res, err := websocket.Dial(t.Context(), b.first.address(who.device, who.session), &websocket.DialOptions{Subprotocols: []string{"banca", "bearer." + who.token}}) //nolint:bodyclose // it has none: the connection is a WebSocket
	require.NoError(t, err)
	defer func() { _ = ws.CloseNow() }()
	assert.Equal(t, "banca", ws.Subprotocol())
	assert.NotContains(t, res.Header.Get("Sec-WebSocket-Protocol"), who.token)
	assert.Empty(t, res.Header.Get("Sec-WebSocket-Extensions"), "no compression")
}

func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *realtime.Deps) { d.MaxConnections = 1 })
	first, second := b.pos(t, b.point), b.pos(t, b.point)
	ws := b.first.dial(t, first)
	status, code := upgrade(t, b.first.address(second.device, second.session), map[string]string{"Authorization": "Bearer " + second.token})
	assert.Equal(t, []any{503, "TOO_MANY_CONNECTIONS"}, []any{status, code})
	b.silent(t, ws, first)
}
