package draws_test

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/realtime"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// TestMain runs the tests or, called by them, a process that works on a draw until it is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == settlerCommand || os.Args[1] == refunderCommand) {
		os.Exit(runKilled(os.Args[1:]))
	}
	os.Exit(testkit.Run(m))
}

// heard records the published events.
type heard struct {
	mu     sync.Mutex
	events []realtime.Event
	to     []realtime.Audience // of each event
}

func (h *heard) Publish(_ context.Context, to realtime.Audience, e realtime.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events, h.to = append(h.events, e), append(h.to, to)
}

// named counts the events of a name.
func (h *heard) named(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, e := range h.events {
		if e.Name == name {
			n++
		}
	}
	return n
}

// world is a seeded operator with draws, for one test.
type world struct {
	*fixture.Operator
	*draws.Service
	sales *sales.Service
	news  *heard
}

// cashier returns the user who sells, whose scope is the whole organisation.
func cashier(permissions ...caller.Permission) caller.Caller {
	return fixture.As(fixture.Cashier, permissions...)
}

// seeded is the database that the tests begin with: games of every kind of mechanics and no limits.
var seeded = fixture.Rows{ //nolint:gochecknoglobals // a lazy constant
	Games: []string{"lotto-activo", "mega-animal-40", "loto-chaima", "triple-zulia", "trio-activo", "terminal-activo"},
	Change: []string{
		`UPDATE games SET mechanics = '{"kind": "number", "digits": 3, "sign": true}' WHERE short_code = 'triple-zulia'`,
		`UPDATE games SET mechanics = '{"kind": "number", "digits": 3}' WHERE short_code = 'trio-activo'`,
		`UPDATE games SET mechanics = '{"kind": "element", "flags": [{"code": "MEGA", "set": "40"}], "wildcards": [{"code": "C1", "multiply": "2"}]}' WHERE short_code = 'mega-animal-40'`,
		`UPDATE games SET mechanics = '{"kind": "number", "digits": 2, "derived_from": {"game": "trio-activo", "take": "last_two"}}' WHERE short_code = 'terminal-activo'`,
		`UPDATE wallets SET credit_limit = 100000000000`,
		`DELETE FROM risk_limits`,
	},
	DrawDays: 2,
}.Template()

func setup(t testing.TB) *world {
	t.Helper()
	h := &world{Operator: fixture.New(t, seeded), news: &heard{}}
	h.assemble(t)
	return h
}

// assemble makes the services over the operator's stores, as a process does at its start.
func (h *world) assemble(t testing.TB) {
	t.Helper()
	h.Operator = h.Process(h.Clock)
	h.sales, _ = h.StartSales(t)
	h.Service = draws.New(draws.Deps{
		PG: h.PG, Org: h.Org, Catalog: h.Catalog, Cache: h.Risk, Refunds: h.sales, Clock: h.Clock, Log: h.Env.Log, Events: h.news,
	})
}

// chain returns the chain of the first ticket point.
func (h *world) chain(t testing.TB) org.Chain {
	t.Helper()
	chain, err := h.Org.Chain(t.Context(), seed.ID("entity", seed.CodeTicketPoint))
	require.NoError(t, err)
	return chain
}

// sell sells a ticket at the first ticket point.
func (h *world) sell(t testing.TB, items ...sales.Item) *sales.Ticket {
	t.Helper()
	sold, err := h.sales.Sell(t.Context(), cashier(), fixture.Ticket(items...))
	require.NoError(t, err)
	return &sold.Ticket
}

// hold waits until a draw is over and closed.
func (h *world) hold(t testing.TB, draw *catalog.Draw) {
	t.Helper()
	if wait := draw.Time.Sub(h.Clock.Now()); wait > 0 {
		h.Clock.Advance(wait)
	}
	_, err := h.CloseDue(t.Context())
	require.NoError(t, err)
}

// result gives a draw its verified result; it is not settled yet.
func (h *world) result(t testing.TB, draw *catalog.Draw, outcome catalog.Outcome) *draws.Result {
	t.Helper()
	h.hold(t, draw)
	entered, err := h.Enter(t.Context(), fixture.As(fixture.Typist), draw.ID, outcome)
	require.NoError(t, err)
	verified, _, err := h.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
	require.NoError(t, err)
	return verified
}

// settle gives a draw its result and settles it.
func (h *world) settle(t testing.TB, draw *catalog.Draw, outcome catalog.Outcome) *draws.Result {
	t.Helper()
	r := h.result(t, draw, outcome)
	_, err := h.Settle(t.Context(), draw.ID)
	require.NoError(t, err)
	return r
}

// state is how a ticket stands: its status and prize.
func (h *world) state(t testing.TB, ticket *sales.Ticket) string {
	t.Helper()
	return h.Text(t, `SELECT status || ' ' || prize FROM tickets WHERE id = $1`, ticket.ID)
}

// requireSound proves every invariant of books, tickets and draws.
func (h *world) requireSound(t testing.TB) {
	t.Helper()
	h.RequireSound(t, h.sales.Verify, h.Checks)
}
