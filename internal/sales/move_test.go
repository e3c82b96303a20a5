package sales_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/org"
	"banca/internal/setup/seed"
)

// A moved seller's sales count where it stands now: for the ancestors it came to and no more for those it left.
func TestLimitsFollowAMove(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.setLimits(t, limit{entity: seed.CodeAgency, base: 100_00}, limit{entity: seed.CodeOtherAgency, base: 100_00}, limit{entity: seed.CodeSuperAgency, base: 150_00})
	ticket := b.sell(t, straight(draw, "5", "60.00"))
	moved, what, err := b.Org.Move(t.Context(), cashier(), org.MoveRequest{EntityID: fixture.EntityID(seed.CodeTicketPoint), ParentID: fixture.EntityID("GRU-101")})
	require.NoError(t, err)
	require.Empty(t, what.Violations)
	require.NoError(t, b.Risk.RebuildAll(t.Context()))
	b.requireSound(t)

	d := b.requireLimited(t, at(b.request(draw, "5", "40.01"), seed.CodeOtherPoint), "items[0]")[0]
	require.Equal(t, []string{"100.00", "60.00", "40.00"}, []string{d.Limit, d.Sold, d.Available}, "it came with what it had sold")
	d = b.requireLimited(t, at(b.request(draw, "5", "90.01"), seed.CodeTicketPoint2), "items[0]")[0]
	require.Equal(t, []string{"150.00", "60.00", "90.00"}, []string{d.Limit, d.Sold, d.Available}, "the old agency has none of it, and above both nothing changed")

	_, err = b.Cancel(t.Context(), b.cancel(ticket.ID))
	require.NoError(t, err)
	b.requireSound(t)
	_, err = b.Sell(t.Context(), at(b.request(draw, "5", "100.00"), seed.CodeOtherPoint))
	require.NoError(t, err, "and it takes back where it stands")
	require.Contains(t, moved.Path, fixture.EntityID(seed.CodeOtherAgency).String())
	b.requireSound(t)
}

// Sellers go on while their entities are moved. Afterwards the counts equal the sales.
func TestMovesDuringSales(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	var wait sync.WaitGroup
	for _, code := range []string{seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeOtherPoint} {
		wait.Go(func() {
			for range 25 {
				if _, err := b.Sell(t.Context(), at(b.request(draw, "7", "1.00"), code)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 10 {
		to := fixture.EntityID([]string{"GRU-101", seed.CodeGroup}[i%2])
		_, _, err := b.Org.Move(t.Context(), cashier(), org.MoveRequest{EntityID: fixture.EntityID(seed.CodeTicketPoint), ParentID: to})
		require.NoError(t, err)
	}
	wait.Wait()
	require.Equal(t, int64(10), b.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'risk.rebuild'`), "each move asks for it")
	b.Forget()
	require.NoError(t, b.Risk.RebuildAll(t.Context()))
	b.requireSound(t)
	require.Equal(t, int64(75), b.Number(t, `SELECT count(*) FROM tickets`))
	chain, err := b.Org.Chain(t.Context(), fixture.EntityID(seed.CodeTicketPoint))
	require.NoError(t, err)
	require.Contains(t, chain.Path(), fixture.EntityID(seed.CodeGroup).String(), "where the last move put it")
}
