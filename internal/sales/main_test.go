package sales_test

import (
	"context"
	"os"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/sales"
	"banca/storage"
)

// TestMain runs the tests or, called by TestSigkillLosesNoAcknowledgedSale, a process that sells until it is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sellerCommand {
		os.Exit(runSeller(os.Args[2:]))
	}
	os.Exit(testkit.Run(m))
}

// bundle is a seeded operator that sells, for one test.
type bundle struct {
	*fixture.Operator
	*sales.Service
	stop func() // stops Run
}

// rows are what the tests begin with.
func rows() fixture.Rows {
	return fixture.Rows{
		Games:    []string{"lotto-activo", "la-granjita", "cazaloton", "mega-animal-40", "loto-chaima", "triple-zulia"},
		Change:   []string{countEverything},
		DrawDays: 1,
	}
}

var seeded = rows().Template() //nolint:gochecknoglobals // a lazy constant

func setup(t testing.TB) *bundle {
	t.Helper()
	return start(t, fixture.New(t, seeded))
}

// setupOn is setup over servers of the test's own choice, with an empty database.
func setupOn(t testing.TB, env *testkit.Env, pg *storage.Postgres, client redis.UniversalClient) *bundle {
	t.Helper()
	require.NoError(t, rows().Write(t.Context(), pg))
	return start(t, fixture.Over(env, pg, client, clock.NewFake(fixture.TenTomorrow())))
}

// start starts the sales of an operator.
func start(t testing.TB, operator *fixture.Operator) *bundle {
	t.Helper()
	b := &bundle{Operator: operator}
	b.Service, b.stop = operator.StartSales(t)
	return b
}

// stopped replaces the sales by a process whose Run is not started.
func (b *bundle) stopped(t testing.TB) {
	t.Helper()
	var err error
	b.Operator = b.Process(b.Clock)
	b.Service, err = b.NewSales()
	require.NoError(t, err)
}

// another is a second process over the same database and Redis.
func (b *bundle) another(t testing.TB) *bundle {
	t.Helper()
	c := &bundle{Operator: b.Process(b.Clock)}
	c.Service, c.stop = c.StartSales(t)
	return c
}

// draw returns an open draw of a game, the n-th by time.
func (b *bundle) draw(t testing.TB, game string, n int) *catalog.Draw {
	t.Helper()
	draws := b.OpenDraws(t, game)
	require.Greater(t, len(draws), n)
	return draws[n]
}

// straight is a line on one element.
func straight(draw *catalog.Draw, selection, amount string) sales.Item {
	return fixture.Line(draw, catalog.BetStraight, amount, selection)
}

// cashier is the user of most tests, whose scope is the whole organisation.
func cashier(permissions ...caller.Permission) caller.Caller {
	return fixture.As(fixture.Cashier, permissions...)
}

// Sell sells for the cashier.
func (b *bundle) Sell(ctx context.Context, req *sales.SellRequest) (*sales.Sold, error) {
	return b.Service.Sell(ctx, cashier(), req)
}

// Cancel cancels for the cashier.
func (b *bundle) Cancel(ctx context.Context, req *sales.CancelRequest) (*sales.Cancelled, error) {
	return b.Service.Cancel(ctx, cashier(), req)
}

// within returns a caller with the scope of the entity with a code.
func (b *bundle) within(t testing.TB, code string) caller.Caller {
	t.Helper()
	by := cashier()
	by.EntityID, by.Scope = fixture.EntityID(code), testkit.Scope(b.path(t, code))
	return by
}

// request asks for one line on an animal at the first ticket point.
func (b *bundle) request(draw *catalog.Draw, selection, amount string) *sales.SellRequest {
	return fixture.Ticket(straight(draw, selection, amount))
}

// sell sells what must be sold.
func (b *bundle) sell(t testing.TB, items ...sales.Item) *sales.Ticket {
	t.Helper()
	sold, err := b.Sell(t.Context(), fixture.Ticket(items...))
	require.NoError(t, err)
	return &sold.Ticket
}

// requireSound proves every invariant: the books, the tickets, and the counts against Postgres. The
// sweep before makes the counts ready, without which there would be nothing to compare.
func (b *bundle) requireSound(t testing.TB) {
	t.Helper()
	_, err := b.Risk.Sweep(t.Context())
	require.NoError(t, err)
	b.RequireSound(t, b.Verify)
	wrong, err := b.Risk.Audit(t.Context())
	require.NoError(t, err)
	require.Empty(t, wrong)
}
