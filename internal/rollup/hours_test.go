package rollup_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/money"
	"banca/internal/rollup"
	"banca/internal/setup/seed"
)

// byHour returns the net sales of an entity by the hour of the day of the fixture's clock.
func (b *bundle) byHour(t testing.TB, code string) map[int]money.Amount {
	t.Helper()
	q := b.query(fixture.EntityID(code))
	q.From, q.To = b.today(), b.today()
	list, err := b.Hours(t.Context(), q)
	require.NoError(t, err)
	hours := map[int]money.Amount{}
	for _, h := range list {
		require.Equal(t, b.today(), h.Day)
		hours[h.Hour] = h.Sold
	}
	return hours
}

// A sale counts in its hour of the business day at every level above its ticket point, a cancellation in the hour in which it happens.
func TestSalesAreCountedByHour(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.OpenDraws(t, "lotto-activo")[2]
	first := b.Clock.Now().In(fixture.Caracas)
	b.Clock.Advance(first.Truncate(time.Hour).Add(58 * time.Minute).Sub(first))
	hour := first.Hour()
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "10.00", "5"))
	gone := b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "2.50", "6"))
	b.advance(t)
	for _, code := range []string{seed.CodeOperator, seed.CodeAgency, seed.CodeTicketPoint} {
		require.Equal(t, map[int]money.Amount{hour: 12_50}, b.byHour(t, code), code)
	}
	b.Clock.Advance(3 * time.Minute)
	b.cancel(t, gone)
	b.sellAt(t, seed.CodeTicketPoint2, fixture.Line(d, catalog.BetStraight, "4.00", "7"))
	b.advance(t)
	require.Equal(t, map[int]money.Amount{hour: 12_50, hour + 1: -2_50}, b.byHour(t, seed.CodeTicketPoint))
	require.Equal(t, map[int]money.Amount{hour: 12_50, hour + 1: 1_50}, b.byHour(t, seed.CodeOperator))
	b.requireSound(t)
	require.NoError(t, b.Rebuild(t.Context()))
	b.advance(t)
	require.Equal(t, map[int]money.Amount{hour: 12_50, hour + 1: 1_50}, b.byHour(t, seed.CodeOperator))
	require.Empty(t, b.byHour(t, seed.CodeOtherAgency))
}

// Tickets count in the minute of their sale, once, and cancelled ones, too.
func TestTicketsAreCountedByMinute(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.OpenDraws(t, "lotto-activo")[2]
	gone := b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "2.50", "6"))
	b.sellAt(t, seed.CodeTicketPoint2, fixture.Line(d, catalog.BetStraight, "4.00", "7"))
	b.advance(t)
	b.cancel(t, gone)
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "4.00", "7"))
	for range 2 {
		b.advance(t)
		require.EqualValues(t, 3, b.Number(t, `SELECT sum(tickets)::bigint FROM sale_minutes`))
	}
	require.EqualValues(t, 0, b.Number(t, `SELECT count(*) FROM (SELECT date_trunc('minute', created_at) AS minute, count(*) AS n FROM tickets GROUP BY 1) t
		FULL JOIN sale_minutes m USING (minute) WHERE t.n IS DISTINCT FROM m.tickets`))
	b.Exec(t, `INSERT INTO sale_minutes VALUES (now() - interval '3 hours', 1, now())`)
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "4.00", "7"))
	b.advance(t)
	require.EqualValues(t, 4, b.Number(t, `SELECT sum(tickets)::bigint FROM sale_minutes`), "minutes that are over are deleted")
}

// A ticket counts when it is sold, and not again when a refund of one of its draws books the rest.
func TestRefundsAreNoTicketsOfAMinute(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draws := b.OpenDraws(t, "lotto-activo")
	first, last := draws[0], draws[len(draws)-1]
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(first, catalog.BetStraight, "2.50", "6"), fixture.Line(last, catalog.BetStraight, "4.00", "7"))
	b.advance(t)
	const counted = `SELECT sum(tickets)::bigint FROM sale_minutes`
	require.EqualValues(t, 1, b.Number(t, counted))
	require.NoError(t, b.draws.Suspend(t.Context(), b.by, last.ID, "no draw"))
	require.NoError(t, b.draws.Refund(t.Context(), last.ID))
	b.advance(t)
	require.EqualValues(t, 1, b.Number(t, counted))
	require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM sale_minutes m JOIN tickets t ON m.last_at = t.created_at`), "the last sale is the ticket's")
}

// The first sale of a day deletes the hours of days that are not kept, and no others.
func TestHoursOfOldDaysAreForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.advance(t)
	const old = `INSERT INTO hourly_sales (entity_id, day, currency_id, hour, sold) SELECT id, $1, currency, 9, 1 FROM entities, (SELECT id AS currency FROM currencies WHERE code = 'VES') c`
	for _, ago := range []int{36, 35, 34} {
		b.Exec(t, old, b.today().AddDays(-ago))
	}
	d := b.OpenDraws(t, "lotto-activo")[0]
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "10.00", "5"))
	b.advance(t)
	q := &rollup.Query{EntityID: fixture.RootID, CurrencyID: seed.ID("currency", "VES"), From: b.today().AddDays(-40), To: b.today()}
	list, err := b.Hours(t.Context(), q)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, b.today().AddDays(-34), list[0].Day)
	require.Equal(t, b.today(), list[1].Day)
	b.Exec(t, old, b.today().AddDays(-36))
	b.sellAt(t, seed.CodeTicketPoint2, fixture.Line(d, catalog.BetStraight, "10.00", "5"))
	b.advance(t)
	require.Positive(t, b.Number(t, `SELECT count(*) FROM hourly_sales WHERE day = $1`, b.today().AddDays(-36)),
		"once a day")
}
