package rollup_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// What tickets were paid with counts at every level above their ticket point: a cancellation on its own day, change less, exact cash not at all.
func TestMeansAreCounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Ledger.SetRate(t.Context(), b.by, &ledger.RateRequest{BaseID: seed.ID("currency", "USD"), Quote: "VES", Day: b.today(), Rate: "40"})
	require.NoError(t, err)
	d := b.OpenDraws(t, "lotto-activo")[2]
	sell := func(point, total string, paid []sales.PaymentItem, change ...sales.ChangeItem) *sales.Ticket {
		req := fixture.Ticket(fixture.Line(d, catalog.BetStraight, total, "5"))
		req.EntityID, req.Payments, req.Change = fixture.EntityID(point), paid, change
		sold, err := b.sales.Sell(t.Context(), b.by, req)
		require.NoError(t, err)
		return &sold.Ticket
	}
	sell(seed.CodeTicketPoint, "100.00", []sales.PaymentItem{{Means: "cash", Currency: "USD", Amount: "3"}}, sales.ChangeItem{Amount: "20"})
	sell(seed.CodeTicketPoint, "50.00", []sales.PaymentItem{{Means: "card", Amount: "30"}, {Means: "cash", Amount: "20"}})
	sell(seed.CodeTicketPoint2, "10.00", []sales.PaymentItem{{Means: "card", Amount: "10"}})
	sell(seed.CodeTicketPoint2, "7.00", nil)
	gone := sell(seed.CodeTicketPoint, "25.00", []sales.PaymentItem{{Means: "card", Amount: "25"}})
	b.advance(t)
	b.Clock.Advance(time.Minute)
	b.cancel(t, gone)
	b.advance(t)
	ves, usd := seed.ID("currency", "VES"), seed.ID("currency", "USD")
	means := func(code string) map[rollup.Means]bool {
		list, err := b.Means(t.Context(), b.query(fixture.EntityID(code)))
		require.NoError(t, err)
		found := map[rollup.Means]bool{}
		for _, m := range list {
			found[m] = true
		}
		return found
	}
	row := func(name string, dollars bool, amount, sold, voided money.Amount) rollup.Means {
		m := rollup.Means{Means: name, CurrencyID: ves, Amount: amount, Sold: sold, Voided: voided}
		if dollars {
			m.CurrencyID = usd
		}
		return m
	}
	for range 2 {
		for _, code := range []string{seed.CodeOperator, seed.CodeAgency} {
			require.Equal(t, map[rollup.Means]bool{row("cash", true, 3_00, 120_00, 0): true, row("card", false, 40_00, 65_00, 25_00): true}, means(code), code)
		}
		require.Equal(t, map[rollup.Means]bool{row("card", false, 10_00, 10_00, 0): true}, means(seed.CodeTicketPoint2))
		b.requireSound(t)
		require.NoError(t, b.Rebuild(t.Context()))
		b.advance(t)
	}
	require.Empty(t, means(seed.CodeOtherAgency))
	b.Exec(t, `UPDATE means_totals SET sold = sold + 1 WHERE entity_id = $1`, fixture.EntityID(seed.CodeTicketPoint))
	checks, err := b.Verify(t.Context())
	require.NoError(t, err)
	broken := 0
	for _, c := range checks {
		if c.Broken > 0 {
			broken++
		}
	}
	require.Equal(t, 2, broken, checks)
}
