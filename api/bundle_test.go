package api

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"banca/api/kit"
	"banca/api/realtime"
	"banca/api/system"
	"banca/internal/activity"
	"banca/internal/alerts"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/catalog"
	"banca/internal/closes"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/contract"
	"banca/internal/devices"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/health"
	bus "banca/internal/platform/realtime"
	"banca/internal/platform/requestlog"
	"banca/internal/prizes"
	"banca/internal/receipts"
	"banca/internal/reports"
	"banca/internal/risk"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/services"
	"banca/internal/weekly"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

const password = "correct horse"

// bankToken0 is the bank's token; it calls from 203.0.113.7, and httptest from elsewhere.
const bankToken0 = "0b2c7d1e-3f4a-4b5c-8d6e-7f8091a2b3c4"

// bundle is an API over a database with a root, an agency below it and a user of each role there.
type bundle struct {
	*API
	env    *testkit.Env
	log    *strings.Builder
	root   models.Entity
	agency models.Entity
	tokens map[string]string // access tokens by role
	sales  *undecidedSales

	document func() (*contract.Document, error) // parsed on first use
}

// setup returns a bundle; add registers operations of the test's own before the API is complete.
func setup(t testing.TB, add ...func(*kit.Registry)) *bundle {
	t.Helper()
	return setupAt(t, clock.System{}, add...)
}

// setupAt is setup with a clock of the test's own.
func setupAt(t testing.TB, clk clock.Clock, add ...func(*kit.Registry)) *bundle {
	t.Helper()
	env := testkit.New(t)
	b := &bundle{env: env, log: &strings.Builder{}, tokens: map[string]string{}, sales: &undecidedSales{}}
	b.root = b.entity(t, nil, models.EntityOperator)
	b.agency = b.entity(t, &b.root, models.EntityAgency)
	entities := org.New(env.PG.Gorm, org.Options{Documents: env.Private})
	service, err := auth.New(env.PG, clk, auth.Options{
		Secret: []byte(strings.Repeat("s", 32)), AccessTTL: time.Minute, RefreshTTL: time.Hour, BcryptCost: bcrypt.MinCost, Redis: env.Redis, ThrottleWait: testkit.RedisTimeout,
		Scope: entities.Scope,
	})
	require.NoError(t, err)
	books := ledger.New(env.PG, ledger.Options{Zone: time.UTC})
	pos, err := devices.New(devices.Deps{PG: env.PG, Clock: clk, Log: slog.New(slog.DiscardHandler), Secret: []byte(strings.Repeat("s", 32))})
	require.NoError(t, err)
	games := catalog.New(env.PG, clk, catalog.Options{Zone: time.UTC, Pictures: env.Objects})
	renderer, err := receipts.New()
	require.NoError(t, err)
	bus := bus.NewBus(env.Redis, slog.New(slog.DiscardHandler))
	b.API, err = assemble(Deps{
		Log: slog.New(slog.NewTextHandler(b.log, nil)), Clock: clk, Services: services.Services{
			Weekly: weekly.New(weekly.Deps{
				PG: env.PG, Org: entities, Ledger: books, Totals: rollup.New(env.PG, time.UTC), Clock: clk, Zone: time.UTC,
				Prizes: prizes.New(prizes.Deps{PG: env.PG, Org: entities, Ledger: books, Clock: clk, Zone: time.UTC}),
			}),
			Activity: activity.New(env.PG, clk), Auth: service, Org: entities, Ledger: books, Devices: pos,
			Catalog: games,
			Sales: sales.New(sales.Deps{
				PG: env.PG, Org: entities, Catalog: games, Ledger: books, Risk: risk.New(env.PG, env.Redis, clk).WithTimeout(testkit.RedisTimeout), Clock: clk,
				Log: slog.New(slog.DiscardHandler), Options: sales.Options{MaxLines: 200, Zone: time.UTC},
			}),
			Reports: reports.New(reports.Deps{PG: env.PG, Org: entities, Catalog: games, Ledger: books, Totals: rollup.New(env.PG, time.UTC), Clock: clk, Zone: time.UTC}),
			Closes: closes.New(closes.Deps{
				PG: env.PG, Org: entities, Ledger: books, Sales: b.sales, Renderer: renderer, Clock: clk, Zone: time.UTC, PendingWait: time.Millisecond,
			}),
			Alerts: alerts.New(alerts.Deps{PG: env.PG, Clock: clk, Retention: time.Hour}),
			Bank: bank.New(bank.Deps{
				PG: env.PG, Org: entities, Ledger: books, Clock: clk, Log: slog.New(slog.DiscardHandler), Wake: func() {},
				Options: bank.Options{
					Token: bankToken0, AllowedIPs: []netip.Prefix{netip.MustParsePrefix("203.0.113.7/32")}, Zone: time.UTC, Currency: "VES",
					Hold: time.Minute, RequestExpiry: time.Hour, Unmatched: bank.UnmatchedReject, CallLimit: 1000, CallWindow: time.Minute,
					RefusedLimit: 1000, RefusedWindow: time.Minute, EventRetention: time.Hour, PayloadRetention: time.Hour,
				},
			}),
		},
		Realtime: realtime.New(realtime.Deps{
			Auth: service, Sessions: pos, Bus: bus, Clock: clk, Log: slog.New(slog.DiscardHandler), PublicURL: "https://banca.example.com", MaxConnections: 10,
		}),
		System:    system.Services{Health: monitorOf(env), Changelog: "# Changelog\n", Requests: requestlog.New(env.PG, 24*time.Hour)},
		PublicURL: "https://banca.example.com",
	}, add...)
	require.NoError(t, err)
	b.document = sync.OnceValues(func() (*contract.Document, error) {
		raw, err := b.OpenAPIJSON()
		if err != nil {
			return nil, err
		}
		return contract.Parse(raw)
	})
	for _, role := range []string{models.RoleAdmin, models.RoleTaquilla, models.RoleSocio} {
		b.tokens[role] = b.user(t, role)
	}
	return b
}

func (b *bundle) entity(t testing.TB, parent *models.Entity, kind string) models.Entity {
	t.Helper()
	e := models.Entity{ID: uuid.Must(uuid.NewV7()), EntityType: kind, Name: kind, Code: kind, Status: models.StatusActive}
	e.Path = "/" + e.ID.String() + "/"
	if parent != nil {
		e.ParentID, e.Path = &parent.ID, parent.Path+e.ID.String()+"/"
	}
	require.NoError(t, b.env.PG.Gorm.Create(&e).Error)
	return e
}

// user makes a user of the agency and returns an access token.
func (b *bundle) user(t testing.TB, role string) string {
	t.Helper()
	email := strings.ToLower(role) + "@banca.test"
	by := caller.Caller{Scope: testkit.Scope(b.root.Path), Permissions: auth.RolePermissions(models.RoleAdmin)}
	_, err := b.deps.Services.Auth.CreateUser(t.Context(), by, &auth.NewUser{EntityID: b.agency.ID, Email: email, Name: role + " user", Role: role, Password: password})
	require.NoError(t, err)
	tokens, _, err := b.deps.Services.Auth.Login(t.Context(), auth.Credentials{Email: email, Password: password}, auth.Client{})
	require.NoError(t, err)
	return tokens.Access
}

func (b *bundle) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := b.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// scenario is one request and what must come back.
type scenario struct {
	name   string
	method string // GET, or POST when there is a body
	path   string
	role   string // whose token goes with it
	header map[string]string
	body   string

	status int
	code   string   // of the problem
	has    []string // parts of the body
	lacks  []string
}

func (b *bundle) run(t *testing.T, scenarios []scenario) {
	t.Helper()
	for _, s := range scenarios {
		w := b.do(t, s.request())
		assert.Equal(t, s.status, w.Code, "%s: %s", s.name, w.Body)
		for _, text := range s.has {
			assert.Contains(t, w.Body.String(), text, s.name)
		}
		for _, text := range append(s.lacks, "password_hash", "$2a$") {
			assert.NotContains(t, w.Body.String(), text, s.name)
		}
		if s.code != "" {
			assertProblem(t, w, s.status, s.code)
		}
	}
}

func (s *scenario) request() *http.Request {
	method := s.method
	if method == "" && s.body != "" {
		method = http.MethodPost
	}
	r := httptest.NewRequest(method, s.path, strings.NewReader(s.body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept-Language", "en") // unless the scenario sets another
	if s.role != "" {
		r.Header.Set("X-Test-Role", s.role)
	}
	for name, value := range s.header {
		r.Header.Set(name, value)
	}
	return r
}

// do sends a request with the token of the role it names. The answer must be one that the document describes.
func (b *bundle) do(t testing.TB, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	if role := r.Header.Get("X-Test-Role"); role != "" {
		r.Header.Set("Authorization", "Bearer "+b.tokens[role])
	}
	w := httptest.NewRecorder()
	b.Engine().ServeHTTP(w, r)
	b.fits(t, r, w)
	return w
}

// fits checks an answer against the OpenAPI document.
func (b *bundle) fits(t testing.TB, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	if strings.HasPrefix(r.URL.Path, "/test/") { // operations that only a test has
		return
	}
	document, err := b.document()
	require.NoError(t, err)
	assert.NoError(t, document.Check(&contract.Exchange{
		Method: r.Method, Path: r.URL.Path, Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(),
	}))
}

func assertProblem(t *testing.T, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	var p struct {
		Type, Title, Instance, Code string
		RequestID                   string `json:"request_id"`
		Status                      int
	}
	assert.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
	raw, err := io.ReadAll(strings.NewReader(w.Body.String()))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &p), string(raw))
	assert.Equal(t, code, p.Code)
	assert.Equal(t, status, p.Status)
	assert.Equal(t, w.Header().Get("X-Request-Id"), p.RequestID)
	assert.Equal(t, "about:blank", p.Type)
	assert.NotEmpty(t, p.Title)
	assert.True(t, strings.HasPrefix(p.Instance, "/"), p.Instance)
}

// decode reads the data of an answer.
func decode[T any](t testing.TB, w *httptest.ResponseRecorder) T {
	t.Helper()
	var envelope kit.Envelope[T]
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &envelope), w.Body.String())
	return envelope.Data
}

// monitorOf is a monitor of the test's database.
func monitorOf(env *testkit.Env) *health.Monitor {
	return health.New(health.Options{
		Clock: clock.System{}, Log: env.Log, Version: "1.2.3",
		Dependencies: []health.Dependency{{Name: "postgres", Required: true, Check: env.PG.Ping}},
	})
}
