package test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
)

// reader is what await reads: a WebSocket, or news of one.
type reader interface {
	Read(ctx context.Context) (websocket.MessageType, []byte, error)
}

// news reads a WebSocket all the time, so that the server's pings are answered while the test does something else, and keeps what it read.
type news struct {
	*websocket.Conn

	read chan []byte
	err  error // after read was closed
}

func listen(ws *websocket.Conn) *news {
	n := &news{Conn: ws, read: make(chan []byte, 1024)}
	go func() {
		defer close(n.read)
		for {
			_, raw, err := ws.Read(context.Background())
			if n.err = err; err != nil {
				return
			}
			n.read <- raw
		}
	}()
	return n
}

func (n *news) Read(ctx context.Context) (websocket.MessageType, []byte, error) {
	select {
	case raw, more := <-n.read:
		if !more {
			return 0, nil, n.err
		}
		return websocket.MessageText, raw, nil
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	}
}

// await reads events until one has a name and a value in its data.
func await(t *testing.T, ws reader, name, key, value string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.WaitTimeout)
	defer cancel()
	for {
		_, raw, err := ws.Read(ctx)
		require.NoError(t, err, "no %s with %s %s", name, key, value)
		var e struct {
			Event string
			Data  map[string]any
		}
		require.NoError(t, json.Unmarshal(raw, &e))
		if e.Event == name && e.Data[key] == value {
			return
		}
	}
}

// A point of sale registers, validates, connects and hears what becomes of its tickets, until it logs out.
func TestADeviceReceivesTheEventsOfItsTickets(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.start()
	token := p.login("taquilla@banca.test")
	made := p.post("/auth/devices", token, map[string]any{"name": "Caja", "fingerprint": "fingerprint-1"}, "")
	require.Equal(t, http.StatusCreated, made.status, string(made.raw))
	device, _ := made.data()["id"].(string)
	valid := p.post("/auth/devices/validate", token, map[string]any{"deviceId": device, "fingerprint": "fingerprint-1"}, "")
	require.Equal(t, http.StatusOK, valid.status, string(valid.raw))
	session, _ := valid.data()["id"].(string)
	address := "http://" + p.addr + "/ws?" + url.Values{"deviceId": {device}, "sessionId": {session}}.Encode()
	ws, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}}) //nolint:bodyclose // it has none: the connection is a WebSocket
	require.NoError(t, err)
	defer func() { _ = ws.CloseNow() }()

	sold := p.sell(token, p.openDraw(token), "realtime-1")
	require.Equal(t, http.StatusCreated, sold.status, string(sold.raw))
	ticket, _ := sold.data()["id"].(string)
	await(t, ws, "ticket.updated", "ticket_id", ticket)
	await(t, ws, "message.updated", "status", "sent")
	require.Equal(t, http.StatusOK, p.post(sold.header.Get("Location")+"/cancel", token, nil, "realtime-2").status)
	await(t, ws, "ticket.updated", "status", "cancelled")
	require.Equal(t, http.StatusNoContent, p.post("/auth/logout", token, nil, "").status)
	await(t, ws, "session.terminated", "reason", "logout")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, _, err = ws.Read(ctx)
	require.EqualValues(t, 4003, websocket.CloseStatus(err), "%v", err)

	p.kill()
	p.start()
	require.Equal(t, http.StatusUnauthorized, p.get("/ws?deviceId="+device+"&sessionId="+session, token).status, "it has ended for good")
	require.NoError(t, p.interrupt())
}
