package test

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/browser"
)

// pos is a point of sale with a device of its own.
type pos struct {
	token   string
	device  string
	session string
}

// registerPOS registers a device of the seller and validates it.
func (p *panel) registerPOS(name string) *pos {
	p.t.Helper()
	it := &pos{token: p.login("taquilla@banca.test")}
	made := p.post("/auth/devices", it.token, map[string]any{"name": name, "fingerprint": "fingerprint-of-" + name, "info": map[string]any{"app": "pos 1.0"}}, "")
	require.Equal(p.t, http.StatusCreated, made.status, string(made.raw))
	it.device, _ = made.data()["id"].(string)
	it.validate(p, name)
	return it
}

func (it *pos) validate(p *panel, name string) {
	p.t.Helper()
	a := p.post("/auth/devices/validate", it.token, map[string]any{"deviceId": it.device, "fingerprint": "fingerprint-of-" + name}, "")
	require.Equal(p.t, http.StatusOK, a.status, string(a.raw))
	it.session, _ = a.data()["id"].(string)
}

// connect opens the WebSocket of the POS.
func (it *pos) connect(p *panel) *websocket.Conn {
	p.t.Helper()
	address := "http://" + p.addr + "/ws?" + url.Values{"deviceId": {it.device}, "sessionId": {it.session}}.Encode()
	ws, _, err := websocket.Dial(p.t.Context(), address, &websocket.DialOptions{Subprotocols: []string{"banca", "bearer." + it.token}}) //nolint:bodyclose // it has none: the connection is a WebSocket
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = ws.CloseNow() })
	return ws
}

// requireEnded requires a connection to receive the end of its session within a second, and to be closed.
func (p *panel) requireEnded(ws *websocket.Conn) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Second)
	defer cancel()
	last := ""
	for {
		_, raw, err := ws.Read(ctx)
		if err != nil {
			require.EqualValues(p.t, 4003, websocket.CloseStatus(err), "%v", err)
			require.Contains(p.t, last, "session.terminated")
			return
		}
		last = string(raw)
	}
}

// panelDevices moves a device through its states; the point of sale that works with it notices at once.
func panelDevices(p *panel) {
	t := p.t
	const name = "Caja del panel"
	it := p.registerPOS(name)
	page := "/admin/devices/" + it.device
	p.enter("/admin/devices?q=" + url.QueryEscape(name))
	require.Equal(t, []string{name}, p.texts("tbody a"))
	p.tab.Follow("tbody a")
	require.Equal(t, page, p.where())
	require.Equal(t, []string{"Active", "Online"}, p.texts(".head .state"))
	move := func(status string) {
		t.Helper()
		if p.count(".head .menu #to-"+status) > 0 {
			p.open(".head details.menu")
		}
		p.tab.Click("#to-" + status + " > summary")
		require.Contains(t, p.tab.Text("#to-"+status+" p"), name, "it names the device")
		p.tab.Follow("#to-" + status + " button")
		require.Equal(t, 1, p.count(".notice"))
	}

	ws := it.connect(p)
	move("suspended")
	p.requireEnded(ws)
	require.Equal(t, []string{"Suspended", "Offline"}, p.texts(".head .state"))
	require.Equal(t, "Suspended", p.texts("tbody .state")[0])

	move("active")
	require.Equal(t, "Active", p.texts("tbody .state")[0], "its session lives again")
	ws = it.connect(p)
	p.visit(page)
	require.Equal(t, []string{"Active", "Online"}, p.texts(".head .state"))
	p.tab.Click("tbody details summary")
	p.tab.Follow("tbody details button")
	p.requireEnded(ws)
	require.Equal(t, "Ended", p.texts("tbody .state")[0])

	it.validate(p, name)
	ws = it.connect(p)
	p.visit(page)
	move("blocked")
	p.requireEnded(ws)
	require.Equal(t, []string{"Blocked", "Offline"}, p.texts(".head .state"))
	require.Zero(t, p.count("#to-suspended"), "what is blocked cannot be suspended")
	refused := p.post("/auth/devices/validate", it.token, map[string]any{"deviceId": it.device, "fingerprint": "a guess of mine"}, "")
	require.Equal(t, http.StatusForbidden, refused.status)
	p.visit(page + "?lang=es")
	require.Contains(t, p.tab.Text(".story li:first-child"), "El equipo no es el registrado")
	require.Equal(t, "Bloqueado", p.texts(".head .state")[0])
	p.tab.Narrow()
	require.NotEqual(t, requireInOrder(t, p, page, "light"), requireInOrder(t, p, page, "dark"))
	require.True(t, browser.Value[bool](p.tab, fits))
}
