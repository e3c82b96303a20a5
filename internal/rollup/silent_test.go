package rollup_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/businessday"
	"banca/internal/rollup"
	"banca/internal/setup/seed"
)

// A ticket point is silent if it sold by the hour of the earlier day and has sold nothing on the day.
func TestSilentTicketPoints(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.OpenDraws(t, "lotto-activo")[2]
	const day = 24 * time.Hour
	b.Clock.Advance(-7 * day)
	before := b.Clock.Now().In(fixture.Caracas)
	for _, code := range []string{seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeOtherPoint} {
		b.sellAt(t, code, fixture.Line(d, catalog.BetStraight, "3.00", "5"))
	}
	b.sellAt(t, seed.CodeTicketPoint2, fixture.Line(d, catalog.BetStraight, "3.00", "6"))
	b.Clock.Advance(7 * day)
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "1.00", "5"))
	b.advance(t)

	q := &rollup.SilentQuery{
		Pattern: "%", CurrencyID: seed.ID("currency", "VES"), Day: b.today(), Before: businessday.Of(before, fixture.Caracas), Hour: before.Hour() + 1, Limit: 1,
	}
	list, total, err := b.Silent(t.Context(), q)
	require.NoError(t, err)
	require.EqualValues(t, 2, total)
	require.Len(t, list, 1)
	require.Equal(t, fixture.EntityID(seed.CodeTicketPoint2), list[0].EntityID, "the largest usual sales first")
	require.EqualValues(t, 6_00, list[0].Usual)

	q.Hour = before.Hour()
	_, total, err = b.Silent(t.Context(), q)
	require.NoError(t, err)
	require.Zero(t, total, "it did not sell before that hour")
	q.Hour = before.Hour() + 1
	b.Exec(t, `UPDATE entities SET status = 'suspended' WHERE id = $1`, fixture.EntityID(seed.CodeTicketPoint2))
	_, total, err = b.Silent(t.Context(), q)
	require.NoError(t, err)
	require.EqualValues(t, 1, total, "a suspended one is not expected to sell")
}
