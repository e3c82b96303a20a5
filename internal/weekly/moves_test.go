package weekly_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
	"banca/internal/weekly"
	"banca/models"
)

// A ticket point that moves to a new group takes its debt with it, and what it sold in the week before the move.
func TestAMovedEntityTakesItsDebtWithIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sellWorkedExample(t)
	b.nextWeek()
	b.draft(t)
	b.confirmAll(t)
	left := b.of(t, seed.CodeGroup)

	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(b.drawOf(t, 11), catalog.BetStraight, "100.00", "7"))
	group, err := b.Org.Create(t.Context(), b.by, &org.NewEntity{ParentID: fixture.EntityID(seed.CodeOtherAgency), Type: models.EntityGroup, Name: "Nuevo", Code: "GRU-NEW"})
	require.NoError(t, err)
	_, _, err = b.Org.Move(t.Context(), b.by, org.MoveRequest{EntityID: fixture.EntityID(seed.CodeTicketPoint), ParentID: group.ID})
	require.NoError(t, err)
	b.Forget()
	b.nextWeek()
	b.draft(t)
	b.confirmAll(t)

	point := b.of(t, seed.CodeTicketPoint)
	require.Zero(t, point.Moved, "its own debt goes on")
	old := b.of(t, seed.CodeGroup)
	require.EqualValues(t, 100_00, old.Sales, "sold when it was there")
	require.Equal(t, left.Balance(), old.Previous)
	require.Equal(t, -(b.pointBefore(t) + 90_00), old.Moved)
	require.Equal(t, -old.Moved, b.of(t, seed.CodeOtherAgency).Moved)
	require.Zero(t, b.of(t, seed.CodeSuperAgency).Moved)
	for _, code := range []string{seed.CodeTicketPoint, seed.CodeGroup, seed.CodeAgency, seed.CodeOtherAgency, seed.CodeSuperAgency} {
		require.Equal(t, b.short(t, code), b.of(t, code).Balance(), code)
	}
	for _, above := range []string{seed.CodeAgency, seed.CodeOtherAgency} {
		b.requireSums(t, &weekly.Filter{Week: old.Week, ParentID: fixture.EntityID(above), Limit: 100})
	}
	b.requireSound(t)
}

// requireSums requires that the sums of a filter equal the sums over its settlements.
func (b *bundle) requireSums(t testing.TB, f *weekly.Filter) {
	t.Helper()
	list, _, err := b.List(t.Context(), b.by, f)
	require.NoError(t, err)
	require.NotEmpty(t, list)
	sums, err := b.Sums(t.Context(), b.by, f)
	require.NoError(t, err)
	var previous, balance, owed, owing money.Amount
	for i := range list {
		previous += list[i].Previous
		balance += list[i].Balance()
		owed += max(list[i].Outstanding(), 0)
		owing += max(-list[i].Outstanding(), 0)
	}
	require.Equal(t, []money.Amount{previous, balance, owed, owing}, []money.Amount{sums.Previous, sums.Balance, sums.Owed, sums.Owing})
}

// pointBefore is what the ticket point owed at the end of the first week.
func (b *bundle) pointBefore(t testing.TB) money.Amount {
	t.Helper()
	return money.Amount(b.Number(t, `SELECT previous + moved + due FROM weekly_settlements WHERE entity_id = $1 ORDER BY week LIMIT 1`, fixture.EntityID(seed.CodeTicketPoint)))
}
