package draws_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/realtime"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

// A game's stop moves while tickets are sold on its draws: another process changes it, so that the sellers' catalogue is
// behind. Nothing is sold after the change, the draws close at their new stop, and each seller gets draw.closed once.
func TestAGamesStopMovesWhileSelling(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw, later := h.OpenDraws(t, "lotto-activo")[0], h.OpenDraws(t, "lotto-activo")[1]
	elsewhere := h.Process(h.Clock).Catalog
	count := func() int64 {
		return h.Number(t, `SELECT count(*) FROM ticket_items WHERE draw_id IN ($1, $2)`, draw.ID, later.ID)
	}
	var all sync.WaitGroup
	moved := make(chan struct{})
	for range 6 {
		all.Go(func() {
			for n, after := 0, 0; after < 3 && n < 2_000; n++ {
				select {
				case <-moved:
					after++
				default:
				}
				_, _ = h.sales.Sell(t.Context(), cashier(), &sales.SellRequest{
					EntityID: seed.ID("entity", seed.CodeTicketPoint), Currency: "VES",
					Items: []sales.Item{fixture.Line(draw, catalog.BetStraight, "1", "5"), fixture.Line(later, catalog.BetStraight, "1", "5")},
				})
			}
		})
	}
	require.Eventually(t, func() bool { return count() > 50 }, 20*time.Second, time.Millisecond)
	stop := new(catalog.MaxSaleStop)
	_, err := elsewhere.UpdateGame(t.Context(), draw.GameID, &catalog.GameChange{SaleStop: &stop})
	require.NoError(t, err)
	sold := count()
	close(moved)
	all.Wait()
	require.Equal(t, sold, count(), "nothing is sold after the new stop")
	require.EqualValues(t, 2, h.Number(t, `SELECT count(*) FROM draws WHERE id IN ($1, $2) AND sale_stop_at = $3 AND status = 'open'`, draw.ID, later.ID, h.Clock.Now()))

	for range 2 {
		require.NoError(t, h.Close(t.Context(), draw.ID))
		require.NoError(t, h.Close(t.Context(), later.ID))
	}
	require.Equal(t, 2, h.news.named(realtime.DrawClosed))
	require.Equal(t, models.DrawClosed, h.Text(t, `SELECT status FROM draws WHERE id = $1`, draw.ID))
	require.Equal(t, sold, 2*h.Number(t, `SELECT sealed_tickets FROM draws WHERE id = $1`, draw.ID))

	stop = new(0)
	_, err = elsewhere.UpdateGame(t.Context(), draw.GameID, &catalog.GameChange{SaleStop: &stop})
	require.NoError(t, err)
	require.Equal(t, models.DrawClosed, h.Text(t, `SELECT status FROM draws WHERE id = $1`, draw.ID), "a later stop reopens nothing")
	require.EqualValues(t, 1, h.Number(t, `SELECT count(*) FROM draws WHERE id = $1 AND sale_stop_at = $2`, draw.ID, h.Clock.Now()))
	h.settle(t, draw, catalog.Outcome{Value: "5"})
	h.requireSound(t)
}
