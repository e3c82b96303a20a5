package sales_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// largestGroup is how many tickets one transaction wrote at most.
func (b *bundle) largestGroup(t testing.TB) int64 {
	t.Helper()
	return b.Number(t, `SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM tickets GROUP BY xmin::text) g`)
}

func TestSalesOneByOneGoDirectly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	for range 10 {
		b.sell(t, straight(draw, "5", "1.00"))
	}
	require.EqualValues(t, 1, b.largestGroup(t))
	b.requireSound(t)
}

func TestSalesAtOnceShareTransactions(t *testing.T) {
	t.Parallel()
	points := []string{seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeOtherPoint}
	for _, tt := range []struct {
		name    string
		wallets int
	}{{"a hot wallet", 1}, {"several wallets", 3}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			draws := []string{"lotto-activo", "la-granjita", "cazaloton", "mega-animal-40"}
			got := atOnce(t.Context(), 200, func(ctx context.Context, i int) (*sales.Sold, error) {
				first, second := b.draw(t, draws[i%4], i%2), b.draw(t, draws[(i+1)%4], 0) // in every order
				return b.Sell(ctx, at(fixture.Ticket(straight(first, "5", "1.00"), straight(second, "7", "2.00")), points[i%tt.wallets]))
			})
			require.Empty(t, got.codes)
			require.Len(t, got.tickets, 200)
			require.Greater(t, b.largestGroup(t), int64(1), "some shared a transaction")
			b.quiet(t)
			b.requireOnce(t, got.tickets)
			b.requireSound(t)
		})
	}
}

// A sale that Postgres refuses does not affect the others of its transaction.
func TestARefusedSaleDoesNotAffectItsGroup(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`)
	b.Exec(t, `CREATE TRIGGER refuse BEFORE INSERT ON ticket_items FOR EACH ROW WHEN (NEW.amount = 666) EXECUTE FUNCTION refuse()`)
	draw := b.draw(t, "lotto-activo", 0)
	got := atOnce(t.Context(), 120, func(ctx context.Context, i int) (*sales.Sold, error) {
		amount := "1.00"
		if i%20 == 19 {
			amount = "6.66"
		}
		return b.Sell(ctx, b.request(draw, "5", amount))
	})
	require.Equal(t, map[string]int{"INTERNAL": 6}, got.codes)
	require.Len(t, got.tickets, 114)
	b.quiet(t)
	require.Equal(t, "11400", b.count(t, draw.ID, seed.CodeAgency, "s", "straight|5"))
	b.requireOnce(t, got.tickets)
	b.requireSound(t)
}

// However many sell at once, in two processes, credit is never exceeded, nor left unused.
func TestConcurrentSalesNeverExceedTheCredit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.another(t)
	b.Exec(t, `UPDATE wallets SET credit_limit = 45000 WHERE entity_id = $1`, fixture.EntityID(seed.CodeTicketPoint)) // fifty sales of 10 less 10 %
	draw := b.draw(t, "lotto-activo", 0)
	got := atOnce(t.Context(), 200, func(ctx context.Context, i int) (*sales.Sold, error) {
		return []*bundle{b, other}[i%2].Sell(ctx, b.request(draw, "5", "10.00"))
	})
	require.Len(t, got.tickets, 50)
	require.Equal(t, map[string]int{"INSUFFICIENT_BALANCE": 150}, got.codes)
	require.EqualValues(t, -450_00, b.balances(t)[seed.CodeTicketPoint])
	b.quiet(t)
	require.Equal(t, "50000", b.count(t, draw.ID, seed.CodeAgency, "s", "straight|5"))
	b.requireSound(t)
}

func TestAFullQueueSellsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.stopped(t)
	b.FillQueues()
	req := keyed(b.request(draw, "5", "10.00"), "k")
	req.Customer = &sales.NewCustomer{Name: "Ana", Phone: "04141234567"}
	b.requireRefused(t, req, "BUSY")
	b.requireSound(t)
}

// At a regular stop the service finishes the accepted sales and refuses others.
func TestStoppingUnderLoad(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	tr := b.traffic(t, 40, func(worker, n int) *sales.SellRequest { return b.request(draw, "5", "1.00") })
	tr.awaitMore(t, 100)
	b.stop()
	tr.awaitRefusals(t, "BUSY", 10)
	tr.halt()
	require.Len(t, tr.codes, 1, "%v", tr.codes)
	require.EqualValues(t, len(tr.tickets), b.sold(t))
	b.requireOnce(t, tr.tickets)
	b.requireSound(t)
}
