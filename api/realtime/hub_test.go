package realtime_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/devices"
	news "banca/internal/platform/realtime"
	"banca/models"
)

// session reads a device session with the root's scope.
func (b *bundle) session(t testing.TB, id uuid.UUID) devices.Session {
	t.Helper()
	s, err := b.devices.Session(t.Context(), testkit.Within(b.root.Path), id)
	require.NoError(t, err)
	return s
}

func event(name string) news.Event {
	return news.NewEvent(name, time.Now(), map[string]string{"a": "b"})
}

// The audience of an event is decided by the entity of a connection, whichever process holds it.
func TestEventsReachTheConnectionsOfTheirAudience(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := b.process(t)
	branch := b.entity(t, &b.root, models.EntityAgency, "OTH")
	point, agency, foreign := b.pos(t, b.point), b.pos(t, b.agency), b.pos(t, branch)
	sockets := map[string]*websocket.Conn{"point": b.first.dial(t, point), "agency": second.dial(t, agency), "foreign": second.dial(t, foreign)}
	who := map[string]*pos{"point": point, "agency": agency, "foreign": foreign}
	for _, tt := range []struct {
		to   news.Audience
		gets string
	}{
		{news.Everybody(), "point agency foreign"},
		{news.Below(b.agency.Path), "point agency"},
		{news.Below(b.point.Path), "point"},
		{news.Below(""), ""},
		{news.Audience{}, ""},
		{news.Entity(b.agency.ID), "agency"},
		{news.Entity(b.root.ID), ""},
		{news.DeviceSession(foreign.session), "foreign"},
		{news.UserSession(point.SessionID), "point"},
		{news.User(agency.UserID), "agency"},
		{news.User(uuid.New()), ""},
	} {
		e := event(news.DrawClosed)
		b.bus.Publish(t.Context(), tt.to, e)
		for name, ws := range sockets {
			if strings.Contains(tt.gets, name) {
				assert.JSONEq(t, fmt.Sprintf(`{"event":"draw.closed","id":"%s","at":"%s","data":{"a":"b"}}`, e.ID, e.At.Format(time.RFC3339Nano)), hear(t, ws), "%+v", tt.to)
			}
			b.silent(t, ws, who[name])
		}
	}
}

func TestConnectingIsSeen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	who := b.pos(t, b.point)
	ws := b.first.dial(t, who)
	s := b.session(t, who.session)
	assert.NotEqual(t, uuid.Nil, s.ConnectionID)
	assert.True(t, s.Online)
	require.NoError(t, ws.Write(t.Context(), websocket.MessageText, []byte(`{"type":"ping"}`)))
	assert.JSONEq(t, `{"type":"pong"}`, hear(t, ws))
	require.NoError(t, ws.Close(websocket.StatusNormalClosure, ""))
	assert.Eventually(t, func() bool { s := b.session(t, who.session); return !s.Online && s.ConnectionID == uuid.Nil }, waitTimeout, 20*time.Millisecond)
	assert.Equal(t, models.StatusActive, b.session(t, who.session).Status, "it may connect again")
	b.silent(t, b.first.dial(t, who), who)
}

// The newest connection of a session wins, in the same process and in another.
func TestTheNewerConnectionWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := b.process(t)
	who := b.pos(t, b.point)
	one := b.first.dial(t, who)
	two := b.first.dial(t, who)
	code, _ := closed(t, one)
	assert.EqualValues(t, 4001, code)
	three := second.dial(t, who)
	code, _ = closed(t, two)
	assert.EqualValues(t, 4001, code)
	b.silent(t, three, who)
	assert.True(t, b.session(t, who.session).Online, "the older ones' leaving says nothing of the newer")
}

// Of many at once, over two processes, one is left.
func TestManyConnectionsOfOneSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	processes := []*process{b.first, b.process(t)}
	who := b.pos(t, b.point)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			ws, _, err := websocket.Dial(t.Context(), processes[i%2].address(who.device, who.session), &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + who.token}}}) //nolint:bodyclose // it has none: the connection is a WebSocket
			if assert.NoError(t, err) {
				go func() { _, _, _ = ws.Read(t.Context()) }()
			}
		})
	}
	wg.Wait()
	assert.Eventually(t, func() bool { return processes[0].hub.Stats().Connections+processes[1].hub.Stats().Connections == 1 }, waitTimeout, 10*time.Millisecond)
}

// Whatever ends a connection's session closes it within a second.
func TestEndsCloseTheConnection(t *testing.T) {
	t.Parallel()
	b := setup(t)
	admin := b.pos(t, b.root).Caller
	admin.Permissions = auth.RolePermissions(models.RoleAdmin)
	device := func(status string) func(context.Context, *pos) error {
		return func(ctx context.Context, who *pos) error {
			_, err := b.devices.SetStatus(ctx, admin, who.device, status)
			return err
		}
	}
	session := func(status string) func(context.Context, *pos) error {
		return func(ctx context.Context, who *pos) error {
			_, err := b.devices.SetSessionStatus(ctx, admin, who.session, status)
			return err
		}
	}
	for name, end := range map[string]func(ctx context.Context, who *pos) error{
		"logout": func(ctx context.Context, who *pos) error { return b.auth.Logout(ctx, who.Caller) },
		"refresh reuse": func(ctx context.Context, who *pos) error {
			if _, _, err := b.auth.Refresh(ctx, who.refresh, auth.Client{}); err != nil {
				return err
			}
			if _, _, err := b.auth.Refresh(ctx, who.refresh, auth.Client{UserAgent: "thief"}); !errors.Is(err, auth.ErrInvalidRefresh) {
				return fmt.Errorf("a token was good twice: %w", err)
			}
			return nil
		},
		"user deactivated": func(ctx context.Context, who *pos) error {
			inactive := models.StatusInactive
			_, err := b.auth.UpdateUser(ctx, admin, who.UserID, &auth.UserChange{Status: &inactive})
			return err
		},
		"session terminated": func(ctx context.Context, who *pos) error {
			_, err := b.auth.TerminateSession(ctx, admin, who.SessionID)
			return err
		},
		"device blocked": device(models.StatusBlocked), "device suspended": device(models.StatusSuspended),
		"session suspended": session(models.StatusSuspended), "session ended": session(models.StatusInactive),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			who := b.pos(t, b.point)
			ws := b.first.dial(t, who)
			require.NoError(t, end(t.Context(), who))
			began := time.Now()
			code, last := closed(t, ws)
			t.Logf("closed %s after the end", time.Since(began))
			assert.EqualValues(t, 4003, code)
			assert.Contains(t, last, `"event":"session.terminated"`)
		})
	}
}

// News that is lost is made up for by the sweep.
func TestTheSweepClosesConnectionsOfEndedSessions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	who, moved := b.pos(t, b.point), b.pos(t, b.agency)
	ws, other := b.first.dial(t, who), b.first.dial(t, moved)
	require.NoError(t, b.env.PG.Gorm.Exec(`UPDATE users SET status = 'inactive' WHERE id = ?`, who.UserID).Error)
	code, last := closed(t, ws)
	assert.EqualValues(t, 4003, code)
	assert.Contains(t, last, `"reason":"user_inactive"`)

	require.NoError(t, b.env.PG.Gorm.Exec(`UPDATE entities SET path = replace(path, ?, '/x' || ?)`, b.root.Path, b.root.Path).Error)
	b.first.hub.Sweep(t.Context())
	b.bus.Publish(t.Context(), news.Below("/x"+b.root.Path), event("moved"))
	assert.Contains(t, hear(t, other), `"event":"moved"`, "it follows its entity")
}

func TestUnexpectedMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	who := b.pos(t, b.point)
	for name, message := range map[string]string{
		"no JSON": "hello", "an order": `{"type":"subscribe","path":"/"}`, "long": `{"type":"ping","x":"` + strings.Repeat("x", 300) + `"}`, "huge": strings.Repeat("x", 1<<20),
	} {
		ws := b.first.dial(t, who)
		_ = ws.Write(t.Context(), websocket.MessageText, []byte(message)) // it may be cut off while it sends
		code, _ := closed(t, ws)
		assert.Contains(t, []websocket.StatusCode{websocket.StatusPolicyViolation, websocket.StatusMessageTooBig, -1}, code, name)
	}
	ws := b.first.dial(t, who)
	for range 61 {
		require.NoError(t, ws.Write(t.Context(), websocket.MessageText, []byte(`{"type":"ping"}`)))
	}
	code, _ := closed(t, ws)
	assert.Equal(t, websocket.StatusPolicyViolation, code)
}

// stalled connects and reads nothing, with a buffer of its own in between.
func (p *process) stalled(t *testing.T, who *pos, buffer int) *websocket.Conn {
	t.Helper()
	dialer := &net.Dialer{}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dialer.DialContext(ctx, network, address)
		if tcp, ok := c.(*net.TCPConn); ok {
			err = tcp.SetReadBuffer(buffer)
		}
		return c, err
	}}}
	ws, _, err := websocket.Dial(t.Context(), p.address(who.device, who.session), &websocket.DialOptions{ //nolint:bodyclose // it has none: the connection is a WebSocket
		HTTPClient: client, HTTPHeader: http.Header{"Authorization": {"Bearer " + who.token}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = ws.CloseNow() })
	return ws
}

// A client that does not read is dropped; the others get everything, and get it at once.
func TestASlowClientDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	slow, quick := b.pos(t, b.point), b.pos(t, b.point)
	b.first.stalled(t, slow, 1)
	ws := b.first.dial(t, quick)
	large := news.NewEvent("large", time.Now(), strings.Repeat("x", 7_000))
	const (
		stall = 5 * time.Second // of a write to the slow client, which others must not wait for
		most  = stall - time.Second
	)
	var worst time.Duration
	for i := 0; b.first.hub.Stats().DroppedSlow == 0; i++ {
		require.Less(t, i, 5_000, "the slow one is never dropped")
		began := time.Now()
		b.bus.Publish(t.Context(), news.Entity(b.point.ID), large)
		require.Contains(t, hear(t, ws), `"large"`)
		worst = max(worst, time.Since(began))
	}
	assert.Less(t, worst, most)
	assert.Eventually(t, func() bool { return b.first.hub.Stats().Connections == 1 }, waitTimeout, 20*time.Millisecond)
	b.silent(t, ws, quick)
}

// A client that reads again in time receives the reason why it lost its connection.
func TestASlowClientIsClosedWithItsCode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	who := b.pos(t, b.point)
	ws := b.first.stalled(t, who, 64<<10)
	large := news.NewEvent("large", time.Now(), strings.Repeat("x", 7_000))
	require.Eventually(t, func() bool {
		for range 20 {
			b.bus.Publish(t.Context(), news.Entity(b.point.ID), large)
		}
		time.Sleep(5 * time.Millisecond)
		return b.first.hub.Stats().DroppedSlow == 1
	}, waitTimeout, time.Millisecond)
	ws.SetReadLimit(-1)
	code, _ := closed(t, ws)
	assert.Equal(t, websocket.StatusTryAgainLater, code)
}

func TestShutdownClosesConnections(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := b.process(t)
	who, silent := b.pos(t, b.point), b.pos(t, b.point)
	ws := second.dial(t, who)
	second.stalled(t, silent, 1) // which never answers
	codes := make(chan websocket.StatusCode, 1)
	go func() {
		_, _, err := ws.Read(t.Context()) // which answers that it is closed
		codes <- websocket.CloseStatus(err)
	}()
	began := time.Now()
	second.stop()
	assert.Less(t, time.Since(began), 3*shutdownBound, "it does not wait for one that never answers")
	assert.Equal(t, websocket.StatusGoingAway, <-codes)
	assert.False(t, b.session(t, who.session).Online)
	assert.False(t, b.session(t, silent.session).Online)
	status, code := upgrade(t, second.address(who.device, who.session), map[string]string{"Authorization": "Bearer " + who.token})
	assert.Equal(t, []any{503, "TOO_MANY_CONNECTIONS"}, []any{status, code}, "no more from now on")
	b.silent(t, b.first.dial(t, who), who)
}

// shutdownBound is how long a hub waits for its connections at a shutdown.
const shutdownBound = 5 * time.Second

// Not parallel: it counts goroutines of the whole process.
func TestClosedConnectionsLeakNoGoroutines(t *testing.T) { //nolint:paralleltest // see above
	b := setup(t)
	all := make([]*pos, 20)
	for i := range all {
		all[i] = b.pos(t, b.point)
	}
	round := func(n int) {
		var wg sync.WaitGroup
		for _, who := range all {
			wg.Go(func() {
				for range n {
					ws, _, err := websocket.Dial(t.Context(), b.first.address(who.device, who.session), &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + who.token}}}) //nolint:bodyclose // it has none: the connection is a WebSocket
					if assert.NoError(t, err) {
						_ = ws.Close(websocket.StatusNormalClosure, "")
					}
				}
			})
		}
		wg.Wait()
		require.Eventually(t, func() bool { return b.first.hub.Stats().Connections == 0 }, waitTimeout, 10*time.Millisecond)
	}
	round(2)
	http.DefaultClient.CloseIdleConnections()
	before := runtime.NumGoroutine()
	round(50) // 1,000 connections
	http.DefaultClient.CloseIdleConnections()
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+5 }, waitTimeout, 50*time.Millisecond, "%d before", before)
	assert.Eventually(t, func() bool { return !b.session(t, all[0].session).Online }, waitTimeout, 50*time.Millisecond)
}

// goroutinesOf counts the goroutines of the process that have a function on their stack.
func goroutinesOf(function string) int {
	buf := make([]byte, 8<<20)
	return strings.Count(string(buf[:runtime.Stack(buf, true)]), function)
}

// At rest a connection is one goroutine.
func TestOneGoroutineAConnection(t *testing.T) { //nolint:paralleltest // it counts goroutines of the whole process
	b := setup(t)
	who := make([]*pos, 50)
	for i := range who {
		who[i] = b.pos(t, b.agency)
	}
	others := goroutinesOf("net/http.(*conn).serve(") // of other servers in this process
	clients := make([]*websocket.Conn, 0, len(who))   // the collector closes the socket of a client that is not referenced
	for _, one := range who {
		clients = append(clients, b.first.dial(t, one))
	}
	assert.Eventually(t, func() bool { // the server's own goroutines end after the handshake, the connection's begin with it
		serving, http := goroutinesOf("api/realtime.(*conn).serve("), goroutinesOf("net/http.(*conn).serve(")
		return serving == len(who) && http <= others
	}, waitTimeout, 20*time.Millisecond)
	assert.Equal(t, len(who), goroutinesOf("api/realtime.(*conn).serve("))
	assert.LessOrEqual(t, goroutinesOf("net/http.(*conn).serve("), others, "of the object store")
	runtime.KeepAlive(clients)
}
