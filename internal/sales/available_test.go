package sales_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// left asks for the remaining stakes at the first ticket point.
func (b *bundle) left(
	t testing.TB, change func(*sales.AvailableRequest), draws ...uuid.UUID,
) ([]sales.Availability, error) {
	t.Helper()
	req := &sales.AvailableRequest{EntityID: fixture.EntityID(seed.CodeTicketPoint), Currency: "VES", Draws: draws, BetType: catalog.BetStraight}
	if change != nil {
		change(req)
	}
	return b.Available(t.Context(), cashier(), req)
}

// Several draws are answered as each of them alone, in the order of the request, also one that is closed, one past
// the stop of the seller, and one without a limit.
func TestAvailableOnSeveralDraws(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, later, closed := b.draw(t, "lotto-activo", 0), b.draw(t, "lotto-activo", 5), b.draw(t, "lotto-activo", 1)
	forty, numbers := b.draw(t, "mega-animal-40", 4), b.draw(t, "triple-zulia", 0)
	b.setLimits(t, limit{entity: seed.CodeTicketPoint, base: 70_00, game: "lotto-activo"}, limit{entity: seed.CodeAgency, base: 0, pct: 5_000, draw: later.ID, element: "7"})
	b.sell(t, straight(first, "5", "60.00"), straight(later, "6", "40.00"))
	b.Exec(t, `UPDATE draws SET status = 'closed' WHERE id = $1`, closed.ID)
	b.Exec(t, `UPDATE entities SET config_info = '{"sale_stop_seconds": 900}' WHERE id = $1`, fixture.EntityID(seed.CodeGroup))
	b.Clock.Advance(first.Time.Add(-15 * time.Minute).Sub(b.Clock.Now()))

	ids := []uuid.UUID{later.ID, closed.ID, forty.ID, first.ID}
	var separately []sales.Availability
	for _, id := range ids {
		own, err := b.left(t, nil, id)
		require.NoError(t, err)
		separately = append(separately, own...)
	}
	at := map[string]sales.Availability{}
	for _, v := range separately {
		at[v.DrawID.String()+v.Selection] = v
	}
	require.EqualValues(t, 30_00, at[later.ID.String()+"6"].Remaining.Stake)
	require.EqualValues(t, 20_00, at[later.ID.String()+"7"].Remaining.Stake, "half of what the draw sold")
	require.True(t, at[forty.ID.String()+"5"].Remaining.Unlimited)
	require.True(t, at[closed.ID.String()+"5"].Stopped)
	require.True(t, at[first.ID.String()+"5"].Stopped)
	require.EqualValues(t, 10_00, at[first.ID.String()+"5"].Remaining.Stake)
	require.False(t, at[later.ID.String()+"5"].Stopped)

	ids = append(ids, numbers.ID) // which has no straight bet
	together, err := b.left(t, nil, ids...)
	require.NoError(t, err)
	require.Equal(t, separately, together)
	again, err := b.left(t, nil, append(append([]uuid.UUID{}, ids...), ids...)...)
	require.NoError(t, err)
	require.Equal(t, together, again, "a draw that is named again is ignored")
}

// Of several draws, those that do not have the bet are left out; a single one refuses it.
func TestAvailableLeavesOutWhatADrawDoesNotOffer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	animals, forty, numbers := b.draw(t, "lotto-activo", 0), b.draw(t, "mega-animal-40", 0), b.draw(t, "triple-zulia", 0)
	triple := func(r *sales.AvailableRequest) { r.BetType, r.Selection = "triple", []string{"123"} }
	list, err := b.left(t, triple, animals.ID, numbers.ID)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, numbers.ID, list[0].DrawID)
	_, err = b.left(t, triple, animals.ID)
	require.ErrorIs(t, err, sales.ErrInvalidTicket)
	every := func(r *sales.AvailableRequest) { r.BetType = "triple" }
	list, err = b.left(t, every, numbers.ID)
	require.NoError(t, err)
	require.Len(t, list, 1000)
	list, err = b.left(t, every, numbers.ID, b.draw(t, "triple-zulia", 1).ID)
	require.NoError(t, err)
	require.Empty(t, list, "numbers are named")

	b.Exec(t, `UPDATE game_elements SET status = 'retired' WHERE game_id = $1 AND code = '36'`, animals.GameID)
	last := func(r *sales.AvailableRequest) { r.Selection = []string{"36", "5"} }
	list, err = b.left(t, last, animals.ID, forty.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"5", "36", "5"}, []string{list[0].Selection, list[1].Selection, list[2].Selection})
	_, err = b.left(t, last, animals.ID)
	require.ErrorIs(t, err, sales.ErrInvalidTicket)
	list, err = b.left(t, func(r *sales.AvailableRequest) { r.BetType = "no such bet" }, animals.ID, numbers.ID)
	require.NoError(t, err)
	require.Empty(t, list)
}

func TestAvailableRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	stranger := func(by caller.Caller) error {
		_, err := b.Available(t.Context(), by, &sales.AvailableRequest{
			EntityID: fixture.EntityID(seed.CodeTicketPoint), Currency: "VES", Draws: []uuid.UUID{draw.ID, draw.ID}, BetType: catalog.BetStraight,
		})
		return err
	}
	require.ErrorIs(t, stranger(b.within(t, seed.CodeOtherAgency)), org.ErrEntityNotFound)
	require.ErrorIs(t, stranger(testkit.Operator(uuid.New())), org.ErrEntityNotFound)
	for want, ids := range map[error][]uuid.UUID{catalog.ErrDrawNotFound: {draw.ID, uuid.New()}} {
		_, err := b.left(t, nil, ids...)
		require.ErrorIs(t, err, want)
	}
	_, err := b.left(t, func(r *sales.AvailableRequest) { r.Currency = "XXX" }, draw.ID)
	require.ErrorIs(t, err, ledger.ErrCurrencyNotFound)
	list, err := b.left(t, nil)
	require.NoError(t, err)
	require.Empty(t, list)
}

// A draw of long ago has no counts, and nothing is counted again for it.
func TestAvailableOnADrawOfLongAgo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old, draw := b.draw(t, "lotto-activo", 0), b.draw(t, "lotto-activo", 5)
	b.setLimits(t, limit{entity: seed.CodeTicketPoint, base: 70_00})
	b.Exec(t, `UPDATE draws SET status = 'settled', draw_time = draw_time - interval '30 days', sale_stop_at = sale_stop_at - interval '30 days' WHERE id = $1`, old.ID)
	epoch := b.Number(t, `SELECT risk_epoch FROM draws WHERE id = $1`, old.ID)
	list, err := b.left(t, func(r *sales.AvailableRequest) { r.Selection = []string{"5"} }, old.ID, draw.ID)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.True(t, list[0].Stopped)
	require.EqualValues(t, 70_00, list[1].Remaining.Stake)
	require.Equal(t, epoch, b.Number(t, `SELECT risk_epoch FROM draws WHERE id = $1`, old.ID))
}
