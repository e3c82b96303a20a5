package sales_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"banca/internal/caller"
	"banca/internal/catalog"
	"banca/internal/clock"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/receipts"
	"banca/internal/risk"
	"banca/internal/sales"
	"banca/internal/seed"
	"banca/internal/testkit"
	"banca/models"
	"banca/storage"
)

// TestMain runs the tests or, called by TestKillNine, a process that sells until it is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sellerCommand {
		os.Exit(runSeller(os.Args[2:]))
	}
	os.Exit(testkit.Run(m))
}

// bundle is a seeded bank with its services, for one test. Its clock stands still at ten in the morning of
// tomorrow, so that no draw stops in the middle of a test.
type bundle struct {
	*sales.Service
	env   *testkit.Env
	pg    *storage.Postgres
	redis redis.UniversalClient
	clock *clock.Fake
	org   *org.Service
	risk  *risk.Service
	ledge *ledger.Service
	cat   *catalog.Service
	root  uuid.UUID
	stop  func() // ends Run regularly
}

// noMessages replaces the messaging domain in tests without messages.
type noMessages struct{}

func (noMessages) QueueReceiptTx(context.Context, pgx.Tx, uuid.UUID, uuid.UUID, string, string, string) (uuid.UUID, bool, error) {
	return uuid.Nil, false, nil
}

func setup(t testing.TB) *bundle {
	t.Helper()
	env := seeded.New(t)
	return setupSeeded(t, env, env.PG, env.Redis)
}

// setupOn is setup over servers of the test's own choice, with an empty database.
func setupOn(t testing.TB, env *testkit.Env, pg *storage.Postgres, client redis.UniversalClient) *bundle {
	t.Helper()
	require.NoError(t, writeSeed(t.Context(), pg))
	return setupSeeded(t, env, pg, client)
}

// seeded is the database that the tests begin with.
var seeded = testkit.NewTemplate(writeSeed) //nolint:gochecknoglobals // a lazy constant

// writeSeed writes the seed without the games that no test uses.
func writeSeed(ctx context.Context, pg *storage.Postgres) error {
	if err := seed.Run(ctx, pg, seed.Options{Root: rootID, HashPassword: func(string) (string, error) { return "-", nil }}); err != nil {
		return err
	}
	_, err := pg.Pool.Exec(ctx, `WITH few AS (DELETE FROM games WHERE short_code <> ALL ($1) RETURNING id), gone AS (
		DELETE FROM game_elements e USING few WHERE e.game_id = few.id RETURNING 1) SELECT count(*) FROM gone`,
		[]string{"lotto-activo", "la-granjita", "cazaloton", "mega-animal-40", "loto-chaima", "triple-zulia"})
	return err
}

// setupSeeded is setup over a database with the seed.
func setupSeeded(t testing.TB, env *testkit.Env, pg *storage.Postgres, client redis.UniversalClient) *bundle {
	t.Helper()
	now := clock.System{}.Now().In(caracas).AddDate(0, 0, 1)
	b := &bundle{
		env: env, pg: pg, redis: client, root: rootID,
		clock: clock.NewFake(time.Date(now.Year(), now.Month(), now.Day(), 10, 0, 0, 0, caracas)),
	}
	b.build(t)
	b.countEverything(t)
	return b
}

// caracas is the business zone; it has no daylight saving time.
var caracas = time.FixedZone("America/Caracas", -4*60*60) //nolint:gochecknoglobals // a constant

// rootID is the operator's id.
var rootID = uuid.MustParse("00000000-0000-7000-8000-000000000001") //nolint:gochecknoglobals // a constant

// build makes the services over the bundle's database and Redis and starts Run.
func (b *bundle) build(t testing.TB) {
	t.Helper()
	b.assemble(t)
	_, err := b.cat.Generate(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	service := b.Service
	go func() { defer close(done); service.Run(ctx) }()
	b.stop = func() { cancel(); <-done }
	t.Cleanup(b.stop)
}

// assemble makes the services and does not start Run.
func (b *bundle) assemble(t testing.TB) {
	t.Helper()
	renderer, err := newRenderer()
	require.NoError(t, err)
	b.cat = catalog.New(b.pg, b.clock, catalog.Options{Zone: caracas, DaysAhead: 0, SaleStop: 5 * time.Minute})
	b.ledge = ledger.New(b.pg)
	b.risk = risk.New(b.pg, b.redis, b.clock)
	options := sales.Options{MaxLines: 200, Zone: caracas, PublicURL: "http://127.0.0.1:8080"}
	if b.redis == b.env.Redis { // not a server that the test stops or pauses
		b.risk.WithTimeout(testkit.RedisTimeout)
		options.Timeout = testkit.RedisTimeout
	}
	b.org = org.New(b.pg.Gorm)
	b.Service = sales.New(sales.Deps{
		PG: b.pg, Org: b.org, Catalog: b.cat, Ledger: b.ledge, Risk: b.risk, Messages: noMessages{},
		Renderer: renderer, Objects: b.env.Objects, Clock: b.clock, Log: b.env.Log, Wake: func() {},
		Options: options,
	})
}

// newRenderer creates the renderer of all tests, which is stateless.
var newRenderer = sync.OnceValues(receipts.New) //nolint:gochecknoglobals // a lazy constant

// another is a second process over the same database and Redis: its services share nothing with b's.
func (b *bundle) another(t testing.TB) *bundle {
	t.Helper()
	c := *b
	c.build(t)
	return &c
}

// forget drops every cache, as time would.
func (b *bundle) forget() {
	b.org.Forget()
	b.cat.Forget()
	b.risk.ForgetLimits()
}

// exec changes the database behind the services' backs and makes them notice.
func (b *bundle) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := b.pg.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
	b.forget()
}

// number reads one whole number.
func (b *bundle) number(t testing.TB, sql string, args ...any) int64 {
	t.Helper()
	var n int64
	require.NoError(t, b.pg.Pool.QueryRow(t.Context(), sql, args...).Scan(&n), sql)
	return n
}

// point is the id of a seeded ticket point or other entity.
func point(code string) uuid.UUID {
	if code == seed.CodeOperator {
		return rootID
	}
	return seed.ID("entity", code)
}

// draw returns an open draw of a game, the n-th by time.
func (b *bundle) draw(t testing.TB, game string, n int) *catalog.Draw {
	t.Helper()
	draws, _, err := b.cat.Draws(t.Context(), catalog.DrawFilter{Status: models.DrawOpen, GameID: seed.ID("game", game), Limit: n + 1})
	require.NoError(t, err)
	require.Greater(t, len(draws), n)
	return draws[n]
}

// straight is a line on one element.
func straight(draw *catalog.Draw, selection, amount string) sales.Item {
	return line(draw, catalog.BetStraight, amount, selection)
}

func line(draw *catalog.Draw, bet, amount string, selection ...string) sales.Item {
	return sales.Item{DrawID: draw.ID.String(), BetType: bet, Selection: selection, Amount: amount}
}

// cashier is the user of most tests, whose scope is the whole organisation.
func cashier(permissions ...caller.Permission) caller.Caller {
	by := testkit.Operator(rootID, permissions...)
	by.UserID = seed.ID("user", "taquilla@banca.test")
	return by
}

// Sell sells for the cashier.
func (b *bundle) Sell(ctx context.Context, req *sales.SellRequest) (*sales.Sold, error) {
	return b.Service.Sell(ctx, cashier(), req)
}

// Cancel cancels for the cashier.
func (b *bundle) Cancel(ctx context.Context, req *sales.CancelRequest) (*sales.Cancelled, error) {
	return b.Service.Cancel(ctx, cashier(), req)
}

// within returns a caller whose scope is that of the entity with a code.
func (b *bundle) within(t testing.TB, code string) caller.Caller {
	t.Helper()
	by := cashier()
	by.EntityID, by.Scope = point(code), testkit.Scope(b.path(t, code))
	return by
}

// ask is a sale at the first ticket point.
func (b *bundle) ask(items ...sales.Item) *sales.SellRequest {
	return &sales.SellRequest{
		EntityID: point(seed.CodeTicketPoint), Currency: "VES", Items: items,
	}
}

// request asks for one line on an animal at the first ticket point.
func (b *bundle) request(draw *catalog.Draw, selection, amount string) *sales.SellRequest {
	return b.ask(straight(draw, selection, amount))
}

// sell sells what must be sold.
func (b *bundle) sell(t testing.TB, items ...sales.Item) *sales.Ticket {
	t.Helper()
	sold, err := b.Sell(t.Context(), b.ask(items...))
	require.NoError(t, err)
	return &sold.Ticket
}

// requireSound proves every invariant: the books, the tickets, and the counters against Postgres. The
// sweep before makes the counters ready, without which there would be nothing to compare.
func (b *bundle) requireSound(t testing.TB) {
	t.Helper()
	_, err := b.risk.Sweep(t.Context())
	require.NoError(t, err)
	for _, verify := range []func(context.Context) ([]ledger.Check, error){b.ledge.Verify, b.Verify} {
		checks, err := verify(t.Context())
		require.NoError(t, err)
		require.NotEmpty(t, checks)
		for _, c := range checks {
			require.Zero(t, c.Broken, c.Name)
		}
	}
	wrong, err := b.risk.Audit(t.Context())
	require.NoError(t, err)
	require.Empty(t, wrong)
}
