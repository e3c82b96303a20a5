package sales_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

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

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// bundle is a seeded bank with its services, for one test.
type bundle struct {
	*sales.Service
	env   *testkit.Env
	pg    *storage.Postgres
	redis redis.UniversalClient
	clock clock.Clock
	risk  *risk.Service
	ledge *ledger.Service
	cat   *catalog.Service
	root  uuid.UUID
	stop  func() // ends the committer, as a killed process would end
}

// noMessages stands for the messaging domain where a test does not look at messages.
type noMessages struct{}

func (noMessages) QueueReceiptTx(context.Context, pgx.Tx, uuid.UUID, uuid.UUID, string, string, string) (uuid.UUID, bool, error) {
	return uuid.Nil, false, nil
}

func setup(t testing.TB) *bundle {
	t.Helper()
	env := testkit.New(t)
	b := &bundle{env: env, pg: env.PG, redis: env.Redis}
	b.seed(t)
	b.build(t)
	return b
}

// seed fills the bundle's database.
func (b *bundle) seed(t testing.TB) {
	t.Helper()
	b.root = uuid.MustParse("00000000-0000-7000-8000-000000000001")
	err := seed.Run(t.Context(), b.pg, seed.Options{Root: b.root, HashPassword: func(string) (string, error) { return "-", nil }})
	require.NoError(t, err)
}

// build makes the services over the bundle's database and Redis and starts the committer.
func (b *bundle) build(t testing.TB) {
	t.Helper()
	zone, err := time.LoadLocation("America/Caracas")
	require.NoError(t, err)
	if b.clock == nil {
		b.clock = clock.System{}
	}
	b.cat = catalog.New(b.pg.Gorm, b.clock, catalog.Options{Zone: zone, DaysAhead: 2, SaleStop: 5 * time.Minute})
	b.ledge = ledger.New(b.pg)
	b.risk = risk.New(b.pg, b.redis, b.clock)
	renderer, err := receipts.New()
	require.NoError(t, err)
	b.Service = sales.New(sales.Deps{
		PG: b.pg, Org: org.New(b.pg.Gorm), Catalog: b.cat, Ledger: b.ledge, Risk: b.risk, Messages: noMessages{},
		Renderer: renderer, Objects: b.env.Objects, Clock: b.clock, Log: b.env.Log, Wake: func() {},
		Options: sales.Options{MaxLines: 200, Zone: zone, PublicURL: "http://127.0.0.1:8080"},
	})
	_, err = b.cat.Generate(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); b.Run(ctx) }()
	b.stop = func() { cancel(); <-done }
	t.Cleanup(b.stop)
}

// point is the id of a seeded ticket point or other entity.
func point(code string) uuid.UUID { return seed.ID("entity", code) }

// draw returns an open draw of a game, the n-th by time.
func (b *bundle) draw(t testing.TB, game string, n int) *catalog.Draw {
	t.Helper()
	draws, _, err := b.cat.Draws(t.Context(), catalog.DrawFilter{Status: models.DrawOpen, GameID: seed.ID("game", game), Limit: n + 1})
	require.NoError(t, err)
	require.Greater(t, len(draws), n)
	return draws[n]
}

// request asks for one line on an animal at the first ticket point.
func (b *bundle) request(draw *catalog.Draw, selection, amount string) *sales.SellRequest {
	return &sales.SellRequest{
		UserID: seed.ID("user", "taquilla@banca.test"), Scope: "/" + b.root.String() + "/", EntityID: point(seed.CodeTicketPoint), Currency: "VES",
		Items: []sales.Item{{DrawID: draw.ID.String(), BetType: catalog.BetStraight, Selection: []string{selection}, Amount: amount}},
	}
}

// requireSound proves every invariant: the books, the tickets, and the counters against Postgres.
func (b *bundle) requireSound(t testing.TB) {
	t.Helper()
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
