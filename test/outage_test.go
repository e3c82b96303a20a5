package test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/contract"
	"banca/internal/platform/config"
	"banca/internal/sales"
	"banca/models"
)

// gate carries connections to Postgres, and cuts them off while it is closed.
type gate struct {
	listener net.Listener
	target   *pgconn.Config

	mu     sync.Mutex
	closed bool
	open   map[net.Conn]bool
}

// newGate opens a gate to a database and returns it with its own address of that database.
func newGate(t *testing.T, database string) (*gate, string) {
	t.Helper()
	parsed, err := pgx.ParseConfig(database)
	require.NoError(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	g := &gate{listener: listener, target: &parsed.Config, open: map[net.Conn]bool{}}
	go g.accept(context.WithoutCancel(t.Context()))
	t.Cleanup(func() { _ = listener.Close(); g.set(true) })
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword(parsed.User, parsed.Password), Host: listener.Addr().String(), Path: "/" + parsed.Database,
		RawQuery: "sslmode=disable",
	}
	return g, address.String()
}

func (g *gate) accept(ctx context.Context) {
	for {
		c, err := g.listener.Accept()
		if err != nil {
			return
		}
		network, address := pgconn.NetworkAddress(g.target.Host, g.target.Port)
		up, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil || !g.add(c, up) {
			_ = c.Close()
			continue
		}
		carry := func(to, from net.Conn) {
			_, _ = io.Copy(to, from) // either side has gone
			_, _ = to.Close(), from.Close()
		}
		go carry(up, c)
		go carry(c, up)
	}
}

func (g *gate) add(c, up net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		_ = up.Close()
		return false
	}
	g.open[c], g.open[up] = true, true
	return true
}

// set closes or opens the gate; closing it breaks the connections that it carries.
func (g *gate) set(closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = closed
	for c := range g.open {
		if closed {
			_ = c.Close()
		}
	}
	if closed {
		g.open = map[net.Conn]bool{}
	}
}

// memoryAttempts is the number of attempts to read an answer from memory, which keeps it for seconds. A slow machine can be slower.
const memoryAttempts = 5

// Every operation of the OpenAPI document answers 503 with Retry-After while Postgres is away. The caller is known from
// memory, so that each operation meets the outage itself. What answers otherwise is listed with its reason.
func TestEveryOperationWithoutPostgres(t *testing.T) {
	t.Parallel()
	var g *gate
	s := openAPI(t, func(cfg *config.Config) {
		var address string
		g, address = newGate(t, cfg.Postgres.DatabaseURL.Reveal())
		cfg.Postgres.DatabaseURL = config.Secret(address)
		cfg.HTTP.RateLimitRequests = 100_000
		cfg.Bank.AllowedIPs, cfg.Bank.RequireTLS = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, false
	})
	s.fill()
	document, err := document()
	require.NoError(t, err)
	token, table := s.tokens["house "+models.RoleAdmin], s.table()
	bodies := outageBodies()
	for _, o := range document.Operations() {
		g.set(false)
		require.Eventually(t, func() bool {
			return s.send(leakCall{method: http.MethodGet, path: "/auth/me", token: token}).status == http.StatusOK
		}, 10*time.Second, 10*time.Millisecond, "the database is back")
		entry := table[o.ID]
		generated := document.NewGenerator(1).Request(o)
		p := probe{raw: string(generated.Body), contentType: generated.ContentType}
		path := generated.Path
		if len(entry.probes) > 0 {
			p, path = entry.probes[0], ""
		}
		if body, ok := bodies[o.ID]; ok {
			p.raw, p.body, p.contentType = body, nil, "application/json"
		}
		bearer := token
		switch o.ID {
		case "banco-consulta", "banco-notifica":
			bearer = bareBankToken
		case "ticket-status":
			path = "/t/" + validSerial()
		case "public-results":
			path = "/resultados"
		case "refresh":
			p.raw = `{"refresh_token":"` + s.refresh + `"}`
		}
		want, ok := withoutPostgres()[o.ID]
		if !ok {
			want = http.StatusServiceUnavailable
		}
		g.set(true)
		a := s.callOutage(o, p, path, bearer)
		for range memoryAttempts {
			if want != http.StatusOK || a.status == want {
				break
			}
			g.set(false)
			s.callOutage(o, p, path, bearer) // fills the memory
			g.set(true)
			a = s.callOutage(o, p, path, bearer)
		}
		if o.ID == "readyz" { // a state is kept for a moment
			require.Eventually(t, func() bool {
				a = s.callOutage(o, p, path, bearer)
				return a.status != http.StatusOK
			}, testkit.WaitTimeout, 10*time.Millisecond)
		}
		assert.Equal(t, want, a.status, "%s %s: %s", o.Method, o.Path, a.raw)
		if a.status == http.StatusServiceUnavailable && o.ID != "readyz" {
			assert.NotEmpty(t, a.header.Get("Retry-After"), o.ID)
		}
	}
	g.set(false)
}

// validSerial is a serial code with a right check character.
func validSerial() string {
	for _, check := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" {
		if serial := "K7QX9M2P4D6" + string(check); sales.ValidSerial(serial) {
			return serial
		}
	}
	return ""
}

// withoutPostgres lists the operations that need no database for their answer.
func withoutPostgres() map[string]int {
	return map[string]int{
		"healthz":              http.StatusOK, // the process runs
		"health-dashboard":     http.StatusOK, // the last sample
		"changelog":            http.StatusOK, // part of the program
		"results-widget":       http.StatusOK, // part of the program
		"game-schema":          http.StatusOK, // part of the program
		"list-permissions":     http.StatusOK, // part of the program
		"preview-template":     http.StatusOK, // computed from the request
		"list-message-drivers": http.StatusOK, // part of the program
		"get-draw":             http.StatusOK, // served from memory for seconds
		"get-currency":         http.StatusOK, // served from memory for seconds
	}
}

// outageBodies are bodies of operations for which a generated one would be refused before the database is asked.
func outageBodies() map[string]string {
	return map[string]string{
		"login":           `{"identifier":"admin@banca.test","password":"banca-dev"}`,
		"request-code":    `{"identifier":"admin@banca.test"}`,
		"confirm":         `{"password":"banca-dev"}`,
		"change-password": `{"current_password":"banca-dev","new_password":"correct horse battery"}`,
		"banco-consulta":  `{"IdCliente":"V12345678","Monto":"1.00","TelefonoComercio":"04141112233"}`,
		"banco-notifica":  `{"Referencia":"000012345678","BancoEmisor":"0134","Monto":"1.00","CodigoRed":"00"}`,
	}
}

// callOutage sends a probe of an operation, or a generated path without one.
func (s *leakSuite) callOutage(o contract.Described, p probe, path, token string) answer {
	s.t.Helper()
	if path == "" {
		return s.call(&leakOperation{id: o.ID, method: o.Method, path: o.Path}, p, token)
	}
	return s.send(leakCall{method: o.Method, path: path, token: token, contentType: p.contentType, body: strings.NewReader(p.raw)})
}
