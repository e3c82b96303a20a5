package sales_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

func TestPartialSaleNamesItsCuts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw, blocked := b.draw(t, "lotto-activo", 0), b.draw(t, "la-granjita", 0)
	b.setLimits(t,
		limit{entity: seed.CodeTicketPoint, base: 50_00, game: "lotto-activo"},
		limit{entity: seed.CodeAgency, base: 20_00, game: "lotto-activo", element: "6"},
		limit{entity: seed.CodeOperator, base: 0, game: "la-granjita"},
	)
	req := fixture.Ticket(straight(draw, "5", "30.00"), straight(draw, "6", "60.00"), straight(blocked, "1", "10.00"), straight(draw, "5", "40.00"), straight(draw, "7", "50.00"))
	req.AcceptPartial, req.IdempotencyKey = true, "partial"
	sold, err := b.Sell(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, []sales.Cut{
		{Item: 0, Requested: 70_00, Accepted: 50_00, Level: models.EntityTicketPoint, Limit: 50_00},
		{Item: 1, Requested: 60_00, Accepted: 20_00, Level: models.EntityAgency, Limit: 20_00},
		{Item: 2, Requested: 10_00, Accepted: 0, Level: models.EntityOperator},
	}, sold.Cuts)
	require.Len(t, sold.Ticket.Lines, 3)
	require.EqualValues(t, 120_00, sold.Ticket.Total)
	require.EqualValues(t, 120_00*30, sold.Ticket.PotentialPrize)
	b.requireSound(t)

	before := b.state(t)
	again, err := b.Sell(t.Context(), req)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, sold.Cuts, again.Cuts)
	require.Equal(t, sold.Ticket, again.Ticket)
	require.Equal(t, before, b.state(t))
}

// The rest of a cut line is never below the least stake: then the line is dropped.
func TestPartialSaleKeepsToTheLeastStake(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.setLimits(t, limit{entity: seed.CodeTicketPoint, base: 10_99, element: "5"}, limit{entity: seed.CodeTicketPoint, base: 11_00, element: "6"})
	b.sell(t, straight(draw, "5", "10.00"), straight(draw, "6", "10.00"))
	req := fixture.Ticket(straight(draw, "5", "5.00"), straight(draw, "6", "5.00"))
	req.AcceptPartial = true
	sold, err := b.Sell(t.Context(), req)
	require.NoError(t, err)
	require.Len(t, sold.Ticket.Lines, 1)
	require.EqualValues(t, 1_00, sold.Ticket.Total)
	require.EqualValues(t, 0, sold.Cuts[0].Accepted)
	require.EqualValues(t, 1_00, sold.Cuts[1].Accepted)
	b.requireSound(t)
}

func TestPartialSaleOfNothingIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw, other := b.draw(t, "lotto-activo", 0), b.draw(t, "la-granjita", 0)
	b.setLimits(t, limit{entity: seed.CodeTicketPoint, base: 0})
	req := fixture.Ticket(straight(draw, "5", "5.00"), straight(other, "6", "5.00"))
	req.AcceptPartial = true
	b.requireLimited(t, req, "items[0]", "items[1]")
	b.requireSound(t)
}

// A cut by liability leaves the greatest stake whose prize still fits.
func TestPartialSaleByLiability(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.setLimits(t, limit{entity: seed.CodeOperator, metric: models.MetricLiability, base: 1_000_00}, limit{entity: seed.CodeAgency, base: 40_00})
	req := b.request(draw, "5", "500.00")
	req.AcceptPartial = true
	sold, err := b.Sell(t.Context(), req)
	require.NoError(t, err)
	require.EqualValues(t, 33_33, sold.Ticket.Total)
	require.EqualValues(t, 999_90, sold.Ticket.PotentialPrize)
	require.Equal(t, models.EntityOperator, sold.Cuts[0].Level, "the tightest limit is named")
	b.requireSound(t)
}
