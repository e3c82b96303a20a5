package weekly_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/seed"
	"banca/internal/testkit/fixture"
	"banca/internal/weekly"
)

// A prize that a corrected result makes wrong restates the week in which it was paid.
func TestACorrectionRestatesTheWeekOfThePayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.drawOf(t, 0)
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "9760.00", "7"))
	winner := b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "240.00", "5"))
	result := b.settle(t, d, "5")
	b.pay(t, winner)
	b.nextWeek()
	b.draft(t)
	b.confirmAll(t)
	before := b.of(t, seed.CodeAgency)

	b.correct(t, result, "6")
	b.settleDifference(t)
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(b.drawOf(t, 11), catalog.BetStraight, "1000.00", "7"))
	b.nextWeek()
	b.draft(t)
	s := b.of(t, seed.CodeAgency)
	require.EqualValues(t, 1_000_00, s.Sales)
	require.Zero(t, s.Prizes, "the prize given back is of the week before")
	require.EqualValues(t, 820_00/4, s.Participation)
	list, err := b.Adjustments(t.Context(), s.ID)
	require.NoError(t, err)
	require.Equal(t, []weekly.Adjustment{{RestatesID: before.ID, Week: before.Week, Prizes: -7_200_00, Participation: 7_200_00 / 4}}, list)
	require.EqualValues(t, 7_200_00-1_800_00, s.Adjustments)
	require.Equal(t, before, b.of2(t, before), "the settlement itself never changes")
	b.confirmAll(t)
	for _, code := range branch() {
		require.Equal(t, b.short(t, code), b.of(t, code).Balance(), code)
	}
	b.requireSound(t)

	dist, err := b.Distribution(t.Context(), b.by, &weekly.DistributionFilter{From: before.Week, To: s.To(), Currency: "VES"})
	require.NoError(t, err)
	require.EqualValues(t, 8_200_00+820_00, dist.Result)
	require.Equal(t, dist.Result*40/100, dist.Children[0].Participation)
}

// of2 reads a settlement again, without what later weeks change of its state.
func (b *bundle) of2(t testing.TB, s *weekly.Settlement) *weekly.Settlement {
	t.Helper()
	again, err := b.Get(t.Context(), b.by, s.ID)
	require.NoError(t, err)
	again.Status = s.Status
	return again
}
