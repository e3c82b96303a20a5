package reports_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/setup/seed"
)

// The sold figure of a draw is the sum of the stakes of its tickets, at each level.
func TestDrawTicketsSumToTheSoldFigure(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, code := range []string{seed.CodeOperator, seed.CodeAgency, seed.CodeTicketPoint, seed.CodeOtherAgency} {
		for _, d := range b.draws {
			f := &reports.Filter{EntityID: fixture.EntityID(code), Currency: "VES", GameID: d.GameID}
			sold, err := b.Sales(t.Context(), b.by, f, reports.GroupDraw)
			require.NoError(t, err)
			var figure money.Amount
			for i := range sold.Rows {
				if sold.Rows[i].ID == d.ID {
					figure = sold.Rows[i].Sold
				}
			}
			var stakes money.Amount
			seen := map[string]bool{}
			for offset := 0; ; offset++ { // a row a page
				list, err := b.DrawTickets(t.Context(), b.by, f, d.ID, 1, offset)
				require.NoError(t, err)
				require.Equal(t, figure, list.Stake)
				require.Equal(t, list.Tickets, list.Lines)
				if len(list.Rows) == 0 {
					require.EqualValues(t, offset, list.Tickets)
					break
				}
				require.False(t, seen[list.Rows[0].Serial])
				seen[list.Rows[0].Serial] = true
				stakes += list.Rows[0].Stake
			}
			require.Equal(t, figure, stakes, code)
			require.NotZero(t, stakes)
		}
	}
	f := &reports.Filter{Currency: "VES", From: b.today().AddDays(-1), To: b.today().AddDays(-1)}
	list, err := b.DrawTickets(t.Context(), b.by, f, b.draws[0].ID, 10, 0)
	require.NoError(t, err)
	require.Empty(t, list.Rows, "nothing was sold yesterday")
	_, err = b.DrawTickets(t.Context(), b.by, f, fixture.RootID, 10, 0)
	require.ErrorIs(t, err, catalog.ErrDrawNotFound)
	f.EntityID = fixture.EntityID(seed.CodeOtherAgency)
	_, err = b.DrawTickets(t.Context(), b.at(t, seed.CodeAgency), f, b.draws[0].ID, 10, 0)
	require.ErrorIs(t, err, org.ErrEntityNotFound)
}

func TestExpiredPrizesAreOfTheirDayAndBranch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, _ := b.today().Bounds(fixture.Caracas)
	b.Exec(t, `UPDATE tickets SET status = 'won', prize = 1000 + total, settled_at = $1, expired_at = $1`, first)
	b.Exec(t, `UPDATE tickets SET expired_at = $1 WHERE entity_id = $2`, first.Add(-1000), fixture.EntityID(seed.CodeTicketPoint2))
	all := b.Number(t, `SELECT sum(prize) FROM tickets`)
	f := &reports.Filter{Currency: "VES", From: b.today().AddDays(-1), To: b.today()}
	list, err := b.ExpiredPrizes(t.Context(), b.by, f, 4, 0)
	require.NoError(t, err)
	require.EqualValues(t, 9, list.Tickets)
	require.EqualValues(t, all, list.Prizes)
	require.Len(t, list.Rows, 4)
	for code, want := range map[string]int64{seed.CodeAgency: 3, seed.CodeTicketPoint2: 0, seed.CodeOtherAgency: 3} {
		list, err = b.ExpiredPrizes(t.Context(), b.by, &reports.Filter{Currency: "VES", EntityID: fixture.EntityID(code)}, 10, 0)
		require.NoError(t, err)
		require.Equal(t, want, list.Tickets, code)
		require.Len(t, list.Rows, int(want), code)
		for i := range list.Rows {
			require.Equal(t, first.UTC(), list.Rows[i].ExpiredAt)
		}
	}
	f.To = f.From
	list, err = b.ExpiredPrizes(t.Context(), b.by, f, 10, 0)
	require.NoError(t, err)
	require.EqualValues(t, 3, list.Tickets, "of the day before")
	require.Equal(t, seed.CodeTicketPoint2, list.Rows[0].TicketPoint.Code)
	f.EntityID = fixture.EntityID(seed.CodeOtherAgency)
	_, err = b.ExpiredPrizes(t.Context(), b.at(t, seed.CodeAgency), f, 10, 0)
	require.ErrorIs(t, err, org.ErrEntityNotFound)
}
