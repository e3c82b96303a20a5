package weekly_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
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

// A prize that is corrected twice is one of the week in which it was first paid: the payment of the corrected prize is a booking of a later week.
func TestASecondCorrectionRestatesTheSameWeek(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `UPDATE entities SET config_info = config_info || '{"prize_expiry_hours": 720}'`)
	d := b.drawOf(t, 0)
	winner := b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "240.00", "5"), fixture.Line(d, catalog.BetStraight, "100.00", "6"))
	result := b.settle(t, d, "5")
	b.pay(t, winner)
	first := b.week()
	for _, next := range []struct {
		animal  string
		changes money.Amount
	}{{"6", 3_000_00 - 7_200_00}, {"5", 7_200_00 - 3_000_00}} {
		b.nextWeek()
		b.draft(t)
		b.confirmAll(t)
		result = b.correct(t, result, next.animal)
		b.settleDifference(t)
		b.nextWeek()
		b.draft(t)
		b.confirmAll(t)
		list, err := b.Adjustments(t.Context(), b.of(t, seed.CodeAgency).ID)
		require.NoError(t, err)
		require.NotEmpty(t, list)
		require.Equal(t, []any{first, next.changes}, []any{list[0].Week, list[0].Prizes}, next.animal)
		for i := range list[1:] {
			require.Zero(t, list[i+1].Prizes)
		}
	}
	for _, code := range branch() {
		require.Equal(t, b.short(t, code), b.of(t, code).Balance(), code)
	}
	b.requireSound(t)
}

// of2 reads a settlement again, without what later weeks change of its state.
func (b *bundle) of2(t testing.TB, s *weekly.Settlement) *weekly.Settlement {
	t.Helper()
	again, err := b.Get(t.Context(), b.by, s.ID)
	require.NoError(t, err)
	again.Status = s.Status
	return again
}
