package realtime_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"banca/api/middleware"
	"banca/api/realtime"
	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/devices"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	news "banca/internal/platform/realtime"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

const (
	password    = "correct horse"
	waitTimeout = testkit.WaitTimeout
)

// process is a hub with its server, as in an api process of its own.
type process struct {
	hub    *realtime.Hub
	bus    *news.Bus
	server *httptest.Server
	stop   func() // as a shutdown does
}

// bundle is a root with an agency and a ticket point, and processes on the same stores.
type bundle struct {
	env     *testkit.Env
	auth    *auth.Service
	devices *devices.Service
	bus     *news.Bus // what domains publish to
	root    models.Entity
	agency  models.Entity
	point   models.Entity
	first   *process

	processes int64
}

func setup(t testing.TB, change ...func(*realtime.Deps)) *bundle {
	t.Helper()
	env := testkit.New(t)
	b := &bundle{env: env, bus: news.NewBus(env.Redis, slog.New(slog.DiscardHandler))}
	b.root = b.entity(t, nil, models.EntityOperator, "ROOT")
	b.agency = b.entity(t, &b.root, models.EntityAgency, "AGE")
	b.point = b.entity(t, &b.agency, models.EntityTicketPoint, "TAQ")
	entities := org.New(env.PG.Gorm, org.Options{})
	var err error
	b.auth, err = auth.New(env.PG, clock.System{}, auth.Options{
		Secret: []byte(strings.Repeat("s", 32)), AccessTTL: time.Hour, RefreshTTL: time.Hour, BcryptCost: bcrypt.MinCost, Redis: env.Redis, Events: b.bus,
		Scope: entities.Scope,
	})
	require.NoError(t, err)
	b.devices, err = devices.New(devices.Deps{PG: env.PG, Clock: clock.System{}, Log: env.Log, Events: b.bus, Secret: []byte(strings.Repeat("s", 32))})
	require.NoError(t, err)
	run(t, b.bus.Run)
	b.first = b.process(t, change...)
	return b
}

// run runs something until the test ends, or until it is stopped.
func run(t testing.TB, fn func(context.Context)) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); fn(ctx) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

func (b *bundle) process(t testing.TB, change ...func(*realtime.Deps)) *process {
	t.Helper()
	p := &process{bus: news.NewBus(b.env.Redis, b.env.Log)}
	deps := realtime.Deps{
		Auth: b.auth, Sessions: b.devices, Bus: p.bus, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler),
		PublicURL: "https://banca.example.com", AllowedOrigins: []string{"https://pos.example.com"}, MaxConnections: 5_000,
	}
	for _, c := range change {
		c(&deps)
	}
	p.hub = realtime.New(deps)
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.Use(middleware.Begin(nil), middleware.AccessLog(deps.Log, deps.Clock))
	e.GET("/ws", func(c *gin.Context) { p.hub.ServeHTTP(c.Writer, c.Request) })
	p.server = httptest.NewServer(e)
	t.Cleanup(p.server.Close)
	run(t, p.bus.Run)
	p.stop = run(t, p.hub.Run)
	b.processes++
	b.listening(t, b.processes)
	return p
}

// listening waits until so many processes are subscribed.
func (b *bundle) listening(t testing.TB, processes int64) {
	t.Helper()
	channel := "banca:realtime:" + b.env.RedisURL[strings.LastIndex(b.env.RedisURL, "db=")+3:]
	require.Eventually(t, func() bool {
		n, err := b.env.Redis.PubSubNumSub(t.Context(), channel).Result()
		return err == nil && n[channel] == processes
	}, waitTimeout, 5*time.Millisecond)
}

func (b *bundle) entity(t testing.TB, parent *models.Entity, kind, code string) models.Entity {
	t.Helper()
	e := models.Entity{ID: uuid.Must(uuid.NewV7()), EntityType: kind, Name: code, Code: code, Status: models.StatusActive, Path: "/"}
	if parent != nil {
		e.ParentID, e.Path = &parent.ID, parent.Path
	}
	e.Path += e.ID.String() + "/"
	require.NoError(t, b.env.PG.Gorm.Create(&e).Error)
	return e
}

// pos is a user with a device and a session of it.
type pos struct {
	caller.Caller
	token   string
	refresh string
	device  uuid.UUID
	session uuid.UUID
}

// pos makes a user of an entity with a device that is validated.
func (b *bundle) pos(t testing.TB, e models.Entity) *pos {
	t.Helper()
	email := uuid.NewString() + "@banca.test"
	by := caller.Caller{EntityID: b.root.ID, Scope: testkit.Scope(b.root.Path), Role: models.RoleAdmin, Permissions: auth.RolePermissions(models.RoleAdmin)}
	_, err := b.auth.CreateUser(t.Context(), by, &auth.NewUser{EntityID: e.ID, Email: email, Name: "Caja", Role: models.RoleTaquilla, Password: password})
	require.NoError(t, err)
	tokens, _, err := b.auth.Login(t.Context(), auth.Credentials{Email: email, Password: password}, auth.Client{})
	require.NoError(t, err)
	p := &pos{token: tokens.Access, refresh: tokens.Refresh}
	p.Caller, err = b.auth.Authenticate(t.Context(), tokens.Access)
	require.NoError(t, err)
	d, _, err := b.devices.Register(t.Context(), p.Caller, &devices.NewDevice{Name: "Caja", Fingerprint: "fingerprint-of-" + email})
	require.NoError(t, err)
	p.device = d.ID
	v, err := b.devices.Validate(t.Context(), p.Caller, d.ID, "fingerprint-of-"+email)
	require.NoError(t, err)
	p.session = v.Session.ID
	return p
}

// address of a connection.
func (p *process) address(device, session uuid.UUID) string {
	return p.server.URL + "/ws?" + url.Values{"deviceId": {device.String()}, "sessionId": {session.String()}}.Encode()
}

// dial connects a POS.
func (p *process) dial(t testing.TB, who *pos) *websocket.Conn {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), p.address(who.device, who.session), &websocket.DialOptions{ //nolint:bodyclose // it has none: the connection is a WebSocket
		HTTPHeader: http.Header{"Authorization": {"Bearer " + who.token}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = ws.CloseNow() })
	return ws
}

// hear reads the next message.
func hear(t testing.TB, ws *websocket.Conn) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitTimeout)
	defer cancel()
	_, raw, err := ws.Read(ctx)
	require.NoError(t, err)
	return string(raw)
}

// closed reads until the connection is closed, and returns the code and the last message.
func closed(t testing.TB, ws *websocket.Conn) (websocket.StatusCode, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitTimeout)
	defer cancel()
	last := ""
	for {
		_, raw, err := ws.Read(ctx)
		if err != nil {
			require.NoError(t, ctx.Err(), "it is still open")
			return websocket.CloseStatus(err), last
		}
		last = string(raw)
	}
}

// silent requires that no message waits, by sending another one.
func (b *bundle) silent(t testing.TB, ws *websocket.Conn, who *pos) {
	t.Helper()
	b.bus.Publish(t.Context(), news.User(who.UserID), news.NewEvent("marker", time.Now(), nil))
	require.Contains(t, hear(t, ws), `"marker"`)
}
