package prizes_test

import (
	"context"
	"fmt"
	"os"
	"strings"
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
	"banca/internal/prizes"
	"banca/internal/ratelimit"
	"banca/internal/realtime"
	"banca/internal/receipts"
	"banca/internal/risk"
	"banca/internal/sales"
	"banca/internal/seed"
	"banca/internal/testkit"
	"banca/models"
	"banca/storage"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// caracas is the business zone; it has no daylight saving time.
var caracas = time.FixedZone("America/Caracas", -4*60*60) //nolint:gochecknoglobals // a constant

// newRenderer creates the renderer of all tests, which is stateless.
var newRenderer = sync.OnceValues(receipts.New) //nolint:gochecknoglobals // a lazy constant

type noMessages struct{}

func (noMessages) QueueReceiptTx(context.Context, pgx.Tx, uuid.UUID, uuid.UUID, string, string, string) (uuid.UUID, bool, error) {
	return uuid.Nil, false, nil
}

// heard counts the news of tickets.
type heard struct {
	mu      sync.Mutex
	tickets int
}

func (h *heard) Publish(_ context.Context, _ realtime.Audience, e realtime.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.Name == realtime.TicketUpdated {
		h.tickets++
	}
}

func (h *heard) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tickets
}

// bundle is a seeded bank with its services, for one test. Its clock stands at ten in the morning of tomorrow.
type bundle struct {
	*prizes.Service
	env   *testkit.Env
	clock *clock.Fake
	cat   *catalog.Service
	ledge *ledger.Service
	sales *sales.Service
	draws *draws.Service
	news  *heard
	root  uuid.UUID
	by    caller.Caller // the cashier, whose scope is the whole organisation
}

// The persons who type and verify results, and the one who pays.
var (
	typist   = uuid.MustParse("00000000-0000-7000-8000-0000000000a1") //nolint:gochecknoglobals // a constant
	verifier = uuid.MustParse("00000000-0000-7000-8000-0000000000a2") //nolint:gochecknoglobals // a constant
	cashier  = seed.ID("user", "taquilla@banca.test")                 //nolint:gochecknoglobals // a constant
)

// rootID is the operator's id.
var rootID = uuid.MustParse("00000000-0000-7000-8000-000000000001") //nolint:gochecknoglobals // a constant

// seeded is the database that the tests begin with: the seed with one game and no limits.
var seeded = testkit.NewTemplate(func(ctx context.Context, pg *storage.Postgres) error { //nolint:gochecknoglobals // a lazy constant
	if err := seed.Run(ctx, pg, seed.Options{Root: rootID, HashPassword: func(string) (string, error) { return "-", nil }}); err != nil {
		return err
	}
	_, err := pg.Pool.Exec(ctx, `WITH few AS (DELETE FROM games WHERE short_code <> 'lotto-activo' RETURNING id), gone AS (
		DELETE FROM game_elements e USING few WHERE e.game_id = few.id RETURNING 1), wallet AS (
		UPDATE wallets SET credit_limit = 100000000), risk AS (DELETE FROM risk_limits) SELECT count(*) FROM gone`)
	return err
})

func setup(t testing.TB) *bundle {
	t.Helper()
	env := seeded.New(t)
	now := clock.System{}.Now().In(caracas).AddDate(0, 0, 1)
	b := &bundle{env: env, root: rootID, news: &heard{}}
	b.by = testkit.Operator(b.root)
	b.by.UserID = cashier
	b.clock = clock.NewFake(time.Date(now.Year(), now.Month(), now.Day(), 10, 0, 0, 0, caracas))
	b.assemble(t)
	_, err := b.cat.Generate(t.Context())
	require.NoError(t, err)
	return b
}

// assemble makes the services over the environment, as a process does at its start.
func (b *bundle) assemble(t testing.TB) {
	t.Helper()
	env := b.env
	b.cat = catalog.New(env.PG, b.clock, catalog.Options{Zone: caracas, SaleStop: 5 * time.Minute})
	b.ledge = ledger.New(env.PG)
	limits := risk.New(env.PG, env.Redis, b.clock).WithTimeout(testkit.RedisTimeout)
	entities := org.New(env.PG.Gorm)
	renderer, err := newRenderer()
	require.NoError(t, err)
	b.sales = sales.New(sales.Deps{
		PG: env.PG, Org: entities, Catalog: b.cat, Ledger: b.ledge, Risk: limits, Messages: noMessages{}, Renderer: renderer, Objects: env.Objects,
		Clock: b.clock, Log: env.Log, Wake: func() {}, Options: sales.Options{MaxLines: 200, Zone: caracas, PublicURL: "http://127.0.0.1:8080"},
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); b.sales.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	b.draws = draws.New(draws.Deps{
		PG: env.PG, Catalog: b.cat, Cache: limits, Refunds: b.sales, Clock: b.clock, Log: env.Log, Events: realtime.Discard{}, Root: b.root,
	})
	b.Service = prizes.New(prizes.Deps{
		PG: env.PG, Org: entities, Catalog: b.cat, Ledger: b.ledge, Guesses: ratelimit.NewGuesses(env.Redis, b.clock).WithTimeout(testkit.RedisTimeout), Clock: b.clock, Events: b.news,
		Root: b.root, Zone: caracas,
	})
}

func (b *bundle) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := b.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
}

func (b *bundle) number(t testing.TB, sql string, args ...any) int64 {
	t.Helper()
	var n int64
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), sql, args...).Scan(&n), sql)
	return n
}

// open lists the draws that are open now, by time.
func (b *bundle) open(t testing.TB) []*catalog.Draw {
	t.Helper()
	list, _, err := b.cat.Draws(t.Context(), catalog.DrawFilter{Status: models.DrawOpen, Limit: 100})
	require.NoError(t, err)
	return list
}

// sell sells a ticket at the first ticket point: 10.00 on an animal of each draw, which pays 30 times as much.
func (b *bundle) sell(t testing.TB, animal string, list ...*catalog.Draw) *sales.Ticket {
	t.Helper()
	req := &sales.SellRequest{EntityID: seed.ID("entity", seed.CodeTicketPoint), Currency: "VES"}
	for _, d := range list {
		req.Items = append(req.Items, sales.Item{DrawID: d.ID.String(), BetType: catalog.BetStraight, Selection: []string{animal}, Amount: "10.00"})
	}
	sold, err := b.sales.Sell(t.Context(), b.by, req)
	require.NoError(t, err)
	return &sold.Ticket
}

// settle gives a draw its result and settles it.
func (b *bundle) settle(t testing.TB, d *catalog.Draw, animal string) *draws.Result {
	t.Helper()
	if wait := d.Time.Sub(b.clock.Now()); wait > 0 {
		b.clock.Advance(wait)
	}
	_, err := b.draws.CloseDue(t.Context())
	require.NoError(t, err)
	entered, err := b.draws.Enter(t.Context(), b.as(typist), d.ID, catalog.Outcome{Value: animal})
	require.NoError(t, err)
	verified, _, err := b.draws.Verify(t.Context(), b.as(verifier), entered.ID, nil)
	require.NoError(t, err)
	_, err = b.draws.Settle(t.Context(), d.ID)
	require.NoError(t, err)
	return verified
}

// correct supersedes the result of a settled draw.
func (b *bundle) correct(t testing.TB, result *draws.Result, animal string) *draws.Result {
	t.Helper()
	proposed, _, err := b.draws.Correct(t.Context(), b.as(typist), result.ID, catalog.Outcome{Value: animal}, "misread", false)
	require.NoError(t, err)
	verified, _, err := b.draws.Verify(t.Context(), b.as(verifier), proposed.ID, nil)
	require.NoError(t, err)
	return verified
}

// winner sells a ticket on the next draw and settles it in its favour: 300.00.
func (b *bundle) winner(t testing.TB) (*sales.Ticket, *draws.Result) {
	t.Helper()
	d := b.open(t)[0]
	ticket := b.sell(t, "5", d)
	return ticket, b.settle(t, d, "5")
}

// as returns the caller with the id of another user.
func (b *bundle) as(user uuid.UUID) caller.Caller {
	by := b.by
	by.UserID = user
	return by
}

func (b *bundle) ask(ticket *sales.Ticket, key string) *prizes.PayRequest {
	return &prizes.PayRequest{
		TicketID: ticket.ID, ValidationCode: ticket.ValidationCode, IdempotencyKey: key,
	}
}

func (b *bundle) unask(ticket *sales.Ticket, key string) *prizes.CancelRequest {
	return &prizes.CancelRequest{
		TicketID: ticket.ID, Reason: "wrong ticket", IdempotencyKey: key,
	}
}

// state is a digest of every table a prize could change.
func (b *bundle) state(t testing.TB) string {
	t.Helper()
	var parts []string
	for _, table := range []string{"tickets", "paid_prizes", "prize_differences", "transactions", "postings", "pending_balances", "wallets", "idempotency_keys", "activity_logs", "winning_lines"} {
		var digest string
		require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), fmt.Sprintf(`SELECT count(*) || ' ' || coalesce(md5(string_agg(x::text, '|' ORDER BY x::text)), '') FROM %s x`, table)).Scan(&digest))
		parts = append(parts, table+" "+digest)
	}
	return strings.Join(parts, "\n")
}

// balance returns the balance of the ticket's point, its pending part included.
func (b *bundle) balance(t testing.TB, ticket *sales.Ticket) int64 {
	t.Helper()
	return b.number(t, `SELECT w.balance + coalesce((SELECT sum(amount) FROM pending_balances WHERE wallet_id = w.id), 0)::bigint
		FROM wallets w JOIN tickets t ON t.wallet_id = w.id WHERE t.id = $1`, ticket.ID)
}

func (b *bundle) status(t testing.TB, ticket *sales.Ticket) (status string) {
	t.Helper()
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT status FROM tickets WHERE id = $1`, ticket.ID).Scan(&status))
	return status
}

// difference is the open one of a ticket.
func (b *bundle) difference(t testing.TB, ticket *sales.Ticket) *prizes.Difference {
	t.Helper()
	list, total, err := b.Differences(t.Context(), b.by, &prizes.DifferenceFilter{TicketID: ticket.ID, Status: prizes.DifferenceOpen, Limit: 10})
	require.NoError(t, err)
	require.EqualValues(t, 1, total)
	return &list[0]
}

// requireSound proves every invariant of books, tickets, draws and prizes.
func (b *bundle) requireSound(t testing.TB) {
	t.Helper()
	for _, verify := range []func(context.Context) ([]ledger.Check, error){b.ledge.Verify, b.sales.Verify, b.draws.Checks, b.Verify} {
		checks, err := verify(t.Context())
		require.NoError(t, err)
		require.NotEmpty(t, checks)
		for _, c := range checks {
			require.Zero(t, c.Broken, c.Name)
		}
	}
}
