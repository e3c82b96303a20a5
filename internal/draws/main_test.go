package draws_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/caller"
	"banca/internal/catalog"
	"banca/internal/clock"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/realtime"
	"banca/internal/receipts"
	"banca/internal/risk"
	"banca/internal/sales"
	"banca/internal/seed"
	"banca/internal/testkit"
	"banca/models"
	"banca/storage"
)

// TestMain runs the tests or, called by them, a process that works on a draw until it is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == settlerCommand || os.Args[1] == refunderCommand) {
		os.Exit(runKilled(os.Args[1:]))
	}
	os.Exit(testkit.Run(m))
}

// caracas is the business zone.
var caracas = time.FixedZone("America/Caracas", -4*60*60) //nolint:gochecknoglobals // a constant

// newRenderer creates the renderer of all tests, which is stateless.
var newRenderer = sync.OnceValues(receipts.New) //nolint:gochecknoglobals // a lazy constant

// noMessages replaces the messaging domain.
type noMessages struct{}

func (noMessages) QueueReceiptTx(context.Context, pgx.Tx, uuid.UUID, uuid.UUID, string, string, string) (uuid.UUID, bool, error) {
	return uuid.Nil, false, nil
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

// house is a seeded operator with its services, for one test. Its clock stands at ten in the morning of tomorrow.
type world struct {
	*draws.Service
	env   *testkit.Env
	clock *clock.Fake
	cat   *catalog.Service
	sales *sales.Service
	org   *org.Service
	ledge *ledger.Service
	risk  *risk.Service
	news  *heard
	root  uuid.UUID
}

// The person who types a result, and the one who verifies it.
var (
	typist   = uuid.MustParse("00000000-0000-7000-8000-0000000000a1") //nolint:gochecknoglobals // a constant
	verifier = uuid.MustParse("00000000-0000-7000-8000-0000000000a2") //nolint:gochecknoglobals // a constant
)

// as returns a user of the operator with an id.
func as(user uuid.UUID, permissions ...caller.Permission) caller.Caller {
	by := testkit.Operator(rootID, permissions...)
	by.UserID = user
	return by
}

// cashier returns the user who sells, whose scope is the whole organisation.
func cashier(permissions ...caller.Permission) caller.Caller {
	return as(seed.ID("user", "taquilla@banca.test"), permissions...)
}

// rootID is the operator's id.
var rootID = uuid.MustParse("00000000-0000-7000-8000-000000000001") //nolint:gochecknoglobals // a constant

// seeded is the database that the tests begin with: the seed with games of every kind of mechanics and no limits.
var seeded = testkit.NewTemplate(func(ctx context.Context, pg *storage.Postgres) error { //nolint:gochecknoglobals // a lazy constant
	if err := seed.Run(ctx, pg, seed.Options{Root: rootID, HashPassword: func(string) (string, error) { return "-", nil }}); err != nil {
		return err
	}
	for _, sql := range []string{
		`WITH few AS (DELETE FROM games WHERE short_code NOT IN ('lotto-activo', 'mega-animal-40', 'loto-chaima', 'triple-zulia', 'trio-activo', 'terminal-activo') RETURNING id), gone AS (
			DELETE FROM game_elements e USING few WHERE e.game_id = few.id RETURNING 1) SELECT count(*) FROM gone`,
		`UPDATE games SET mechanics = '{"kind": "number", "digits": 3, "sign": true}' WHERE short_code = 'triple-zulia'`,
		`UPDATE games SET mechanics = '{"kind": "number", "digits": 3}' WHERE short_code = 'trio-activo'`,
		`UPDATE games SET mechanics = '{"kind": "element", "flags": [{"code": "MEGA", "set": "40"}], "wildcards": [{"code": "C1", "multiply": "2"}]}' WHERE short_code = 'mega-animal-40'`,
		`UPDATE games SET mechanics = '{"kind": "number", "digits": 2, "derived_from": {"game": "trio-activo", "take": "last_two"}}' WHERE short_code = 'terminal-activo'`,
		`UPDATE wallets SET credit_limit = 100000000000`,
		`DELETE FROM risk_limits`,
	} {
		if _, err := pg.Pool.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
})

func setup(t testing.TB) *world {
	t.Helper()
	env := seeded.New(t)
	now := clock.System{}.Now().In(caracas).AddDate(0, 0, 1)
	h := &world{env: env, root: rootID, news: &heard{}}
	h.clock = clock.NewFake(time.Date(now.Year(), now.Month(), now.Day(), 10, 0, 0, 0, caracas))
	h.assemble(t)
	_, err := h.cat.Generate(t.Context())
	require.NoError(t, err)
	return h
}

func (h *world) assemble(t testing.TB) {
	t.Helper()
	renderer, err := newRenderer()
	require.NoError(t, err)
	h.cat = catalog.New(h.env.PG, h.clock, catalog.Options{Zone: caracas, DaysAhead: 1, SaleStop: 5 * time.Minute})
	h.ledge = ledger.New(h.env.PG)
	h.risk = risk.New(h.env.PG, h.env.Redis, h.clock).WithTimeout(testkit.RedisTimeout)
	h.org = org.New(h.env.PG.Gorm)
	h.sales = sales.New(sales.Deps{
		PG: h.env.PG, Org: h.org, Catalog: h.cat, Ledger: h.ledge, Risk: h.risk, Messages: noMessages{},
		Renderer: renderer, Objects: h.env.Objects, Clock: h.clock, Log: h.env.Log, Wake: func() {},
		Options: sales.Options{MaxLines: 200, Zone: caracas, PublicURL: "http://127.0.0.1:8080"},
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); h.sales.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	h.Service = draws.New(draws.Deps{
		PG: h.env.PG, Catalog: h.cat, Cache: h.risk, Refunds: h.sales, Clock: h.clock, Log: h.env.Log, Events: h.news, Root: h.root,
	})
}

// exec changes the database behind the services' backs and makes them notice.
func (h *world) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := h.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
	if h.cat != nil {
		h.cat.Forget()
		h.risk.ForgetLimits()
	}
}

// number reads one whole number.
func (h *world) number(t testing.TB, sql string, args ...any) int64 {
	t.Helper()
	var n int64
	require.NoError(t, h.env.PG.Pool.QueryRow(t.Context(), sql, args...).Scan(&n), sql)
	return n
}

// text reads one text.
func (h *world) text(t testing.TB, sql string, args ...any) string {
	t.Helper()
	var text string
	require.NoError(t, h.env.PG.Pool.QueryRow(t.Context(), sql, args...).Scan(&text), sql)
	return text
}

// chain is that of the first ticket point.
func (h *world) chain(t testing.TB) org.Chain {
	t.Helper()
	chain, err := h.org.Chain(t.Context(), seed.ID("entity", seed.CodeTicketPoint))
	require.NoError(t, err)
	return chain
}

// open lists the draws of a game that are open now, by time.
func (h *world) open(t testing.TB, game string) []*catalog.Draw {
	t.Helper()
	list, _, err := h.cat.Draws(t.Context(), catalog.DrawFilter{Status: models.DrawOpen, GameID: seed.ID("game", game), Limit: 100})
	require.NoError(t, err)
	return list
}

func line(draw *catalog.Draw, bet, amount string, selection ...string) sales.Item {
	return sales.Item{DrawID: draw.ID.String(), BetType: bet, Selection: selection, Amount: amount}
}

// sell sells a ticket at the first ticket point.
func (h *world) sell(t testing.TB, items ...sales.Item) *sales.Ticket {
	t.Helper()
	sold, err := h.sales.Sell(t.Context(), cashier(), &sales.SellRequest{
		EntityID: seed.ID("entity", seed.CodeTicketPoint), Currency: "VES", Items: items,
	})
	require.NoError(t, err)
	return &sold.Ticket
}

// hold waits until a draw is over and closed.
func (h *world) hold(t testing.TB, draw *catalog.Draw) {
	t.Helper()
	if wait := draw.Time.Sub(h.clock.Now()); wait > 0 {
		h.clock.Advance(wait)
	}
	_, err := h.CloseDue(t.Context())
	require.NoError(t, err)
}

// result gives a draw its verified result; it is not settled yet.
func (h *world) result(t testing.TB, draw *catalog.Draw, outcome catalog.Outcome) *draws.Result {
	t.Helper()
	h.hold(t, draw)
	entered, err := h.Enter(t.Context(), as(typist), draw.ID, outcome)
	require.NoError(t, err)
	verified, _, err := h.Verify(t.Context(), as(verifier), entered.ID, nil)
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
	return h.text(t, `SELECT status || ' ' || prize FROM tickets WHERE id = $1`, ticket.ID)
}

// requireSound proves every invariant of books, tickets and draws.
func (h *world) requireSound(t testing.TB) {
	t.Helper()
	for _, verify := range []func(context.Context) ([]ledger.Check, error){h.ledge.Verify, h.sales.Verify, h.Checks} {
		checks, err := verify(t.Context())
		require.NoError(t, err)
		require.NotEmpty(t, checks)
		for _, c := range checks {
			require.Zero(t, c.Broken, c.Name)
		}
	}
}
