package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	apireports "banca/api/reports"
	"banca/internal/alerts"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/bank/banksim"
	"banca/internal/catalog"
	"banca/internal/closes"
	"banca/internal/dev/gallery"
	"banca/internal/dev/simulators"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/exports"
	"banca/internal/platform/clock"
	"banca/internal/platform/ratelimit"
	"banca/internal/platform/realtime"
	"banca/internal/prizes"
	"banca/internal/reports"
	"banca/internal/risk"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/weekly"
	"banca/web/kit"
)

// operating is the database of a testbed before its days: all games with the draws of one day, users with a password.
var operating = withPasswords(fixture.Rows{DrawDays: 1, Change: []string{participating}}) //nolint:gochecknoglobals // a lazy constant

// testbed is a panel with the gallery over an operator in the evening of a day of sales, with something on every page.
type testbed struct {
	*messagePanel
	*fixture.Operator

	sales  *sales.Service
	draws  *draws.Service
	totals *rollup.Service
	deps   Deps

	pages map[string][]string // addresses of the pages with parameters, by the path of their route
}

// setupTestbed returns a testbed whose three ticket points sold perHour tickets in each hour of the day.
func setupTestbed(t *testing.T, perHour int) *testbed {
	t.Helper()
	s := emptyTestbed(t)
	s.sellOnDaysBefore(t)
	s.sellToday(t, perHour)
	s.fillPages(t)
	return s
}

// emptyTestbed returns a testbed in the morning of its day, before any sale.
func emptyTestbed(t *testing.T) *testbed {
	t.Helper()
	env := operating.New(t)
	s := &testbed{Operator: fixture.Over(env, env.PG, env.Redis, clock.NewFake(fixture.TenTomorrow())), pages: map[string][]string{}}
	users := usersOf(t, env, s.Org.Scope)
	s.totals = rollup.New(env.PG, fixture.Caracas)
	s.sales, _ = s.StartSales(t)
	s.deps = s.services(t, users)
	s.messagePanel = &messagePanel{
		bankPanel: &bankPanel{bank: s.deps.Bank, env: env, browser: &browser{env: env, auth: users, cookies: map[string]*http.Cookie{}, header: map[string]string{}}},
		point:     fixture.EntityID("TAQ-001"), messages: s.deps.Messages, connections: s.deps.Connections,
	}
	s.open(t)
	return s
}

// services returns the services of the panel with the clock and the zone of the operator.
func (s *testbed) services(t *testing.T, users *auth.Service) Deps {
	t.Helper()
	env := s.Env
	d := depsOf(t, env, users)
	d.Clock, d.Zone, d.Org, d.Catalog, d.Ledger, d.Sales, d.Areas = s.Clock, fixture.Caracas, s.Org, s.Catalog, s.Ledger, s.sales, []kit.Area{gallery.Area()}
	paid := prizes.Deps{
		PG: env.PG, Org: s.Org, Catalog: s.Catalog, Ledger: s.Ledger, Guesses: ratelimit.NewGuesses(env.Redis, s.Clock), Clock: s.Clock,
		Events: realtime.Discard{}, Zone: fixture.Caracas,
	}
	d.Prizes = prizes.New(paid)
	d.Draws = draws.New(draws.Deps{
		PG: env.PG, Catalog: s.Catalog, Cache: s.Risk, Refunds: s.sales, Clock: s.Clock, Log: slog.New(slog.DiscardHandler), Events: realtime.Discard{},
	})
	s.draws = d.Draws
	d.Limits = risk.NewKeeper(s.Risk, d.Limits.KeeperDeps)
	days := d.Closes.Deps
	days.Org, days.Ledger, days.Clock, days.Zone = s.Org, s.Ledger, s.Clock, fixture.Caracas
	d.Closes = closes.New(days)
	calls := d.Bank.Deps
	calls.Org, calls.Ledger, calls.Clock, calls.Options.Zone = s.Org, s.Ledger, s.Clock, fixture.Caracas
	d.Bank = bank.New(calls)
	d.Alerts = alerts.New(alerts.Deps{PG: env.PG, Clock: s.Clock, Retention: time.Hour})
	weeks := d.Weekly.Deps
	weeks.Org, weeks.Ledger, weeks.Prizes, weeks.Totals, weeks.Clock, weeks.Zone = s.Org, s.Ledger, d.Prizes, s.totals, s.Clock, fixture.Caracas
	d.Weekly = weekly.New(weeks)
	d.Reports = reports.New(reports.Deps{PG: env.PG, Org: s.Org, Catalog: s.Catalog, Ledger: s.Ledger, Totals: s.totals, Clock: s.Clock, Zone: fixture.Caracas})
	d.Exports = exports.New(exports.Deps{
		PG: env.PG, Auth: users, Objects: env.Private, Sources: apireports.Sources(d.Reports), Clock: clock.System{}, Zone: fixture.Caracas, Retention: time.Hour,
	})
	return d
}

// open starts the gateway of messages, the simulator of the bank and the panel.
func (s *testbed) open(t *testing.T) {
	t.Helper()
	s.gateway = simulators.NewGateway(simulators.GatewayConfig{APIKey: gatewayKey, Instance: "seeded", Clock: clock.System{}})
	gateway := httptest.NewServer(s.gateway)
	webhooks := httptest.NewServer(http.HandlerFunc(s.webhook))
	t.Cleanup(func() { gateway.CloseClientConnections(); gateway.Close(); webhooks.Close() })
	s.address = gateway.URL
	simulator, err := banksim.New(banksim.Options{Targets: []string{webhooks.URL}})
	require.NoError(t, err)
	s.deps.Simulator = simulator
	s.deps.Queues = QueueViews{Full: queueView("queues"), ReadOnly: queueView("read-only queues")}
	s.deps.Assistant, s.models = assistantOf(t, s.Env, &s.deps)
	panel, err := New(s.deps)
	require.NoError(t, err)
	gin.SetMode(gin.ReleaseMode)
	s.engine, s.web = gin.New(), panel
	panel.Register(s.engine)
	for path, page := range panel.Panel().Pages {
		s.engine.GET(path, page)
	}
}

// count waits until every event is in the totals.
func (s *testbed) count(t *testing.T) {
	t.Helper()
	s.CountTotals(t, s.totals.Advance)
}

// moveTo sets the clock of the operator to an hour of its day.
func (s *testbed) moveTo(hour, minute int) {
	day := fixture.TenTomorrow()
	s.Clock.Advance(time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, fixture.Caracas).Sub(s.Clock.Now()))
}

// settle gives a closed draw a result, which a second person verifies.
func (s *testbed) settle(t *testing.T, d *catalog.Draw, outcome catalog.Outcome) {
	t.Helper()
	entered, err := s.draws.Enter(t.Context(), fixture.As(fixture.Typist), d.ID, outcome)
	require.NoError(t, err)
	_, _, err = s.draws.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
	require.NoError(t, err)
	_, err = s.draws.Settle(t.Context(), d.ID)
	require.NoError(t, err)
}

// add declares an address of a page with parameters.
func (s *testbed) add(route, address string) {
	address, _, _ = strings.Cut(address, "#")
	s.pages[route] = append(s.pages[route], address)
}

// idOf reads the id of a row.
func (s *testbed) idOf(t *testing.T, sql string, args ...any) string {
	t.Helper()
	id, err := uuid.Parse(s.Text(t, sql, args...))
	require.NoError(t, err, sql)
	return id.String()
}
