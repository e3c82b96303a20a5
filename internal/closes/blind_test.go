package closes_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/closes"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/money"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// A user of a ticket point that counts blindly sees no amount of an open day; after the count, and above the ticket point, all are there.
func TestADrawerIsCountedBlindly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `UPDATE entities SET config_info = config_info || '{"blind_count": true}' WHERE id = $1`, fixture.EntityID(seed.CodeAgency))
	b.Org.Forget()
	draw := b.OpenDraws(t, "lotto-activo")[3]
	b.pay(t, draw, []sales.PaymentItem{{Means: "card", Amount: "60"}, {Means: "cash", Amount: "40"}})
	own := b.by
	own.EntityID = point
	opened, _, err := b.Open(t.Context(), own, &closes.OpenRequest{EntityID: point, Currency: "VES", OpeningCash: "10"})
	require.NoError(t, err)
	read, err := b.Get(t.Context(), own, opened.ID)
	require.NoError(t, err)
	list, _, err := b.List(t.Context(), own, &closes.Filter{EntityID: point, Limit: 10})
	require.NoError(t, err)
	for _, c := range []*closes.Close{opened, read, &list[0]} {
		require.True(t, c.Blind)
		require.Equal(t, closes.Totals{}, c.Totals)
		require.Equal(t, "card VES - of 0.00", taken(c.Means), "what is counted has a row")
	}
	above, err := b.Get(t.Context(), b.by, opened.ID)
	require.NoError(t, err)
	require.False(t, above.Blind)
	require.Equal(t, money.Amount(50_00), above.ExpectedCash())
	closed, _, err := b.Close(t.Context(), own, &closes.CloseRequest{ID: opened.ID, OpeningCash: "10", Cash: closes.Cash{Other: "45"}})
	require.NoError(t, err)
	require.False(t, closed.Blind)
	require.Equal(t, []money.Amount{50_00, -5_00}, []money.Amount{closed.ExpectedCash(), closed.Variance()})
	list, _, err = b.List(t.Context(), own, &closes.Filter{Different: true, Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 1)
}
