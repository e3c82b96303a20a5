package rollup_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/internal/rollup"
	"banca/internal/setup/seed"
)

// The worked example of the contract: sales of 10,000 and prizes of 7,200 at one ticket point, with commissions of 10, 13, 15 and 18 %.
func TestTheWorkedExampleOfCommissions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.OpenDraws(t, "lotto-activo")[0]
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "9760.00", "7"))
	winner := b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "240.00", "5"))
	b.settle(t, d, "5")
	require.NoError(t, b.pay(t, winner))
	b.advance(t)

	want := rollup.Figures{
		Tickets: 2, Lines: 2, Sold: 10_000_00, Won: 7_200_00, Paid: 7_200_00,
		Commission: rollup.Commission{TicketPoint: 1_000_00, Group: 300_00, Agency: 200_00, SuperAgency: 300_00},
	}
	for _, code := range []string{seed.CodeTicketPoint, seed.CodeGroup, seed.CodeAgency, seed.CodeSuperAgency, seed.CodeOperator} {
		require.Equal(t, want, b.of(t, code), code)
	}
	require.EqualValues(t, 1_000_00, want.Cash())
	require.Zero(t, b.of(t, seed.CodeOtherAgency))
	b.requireSound(t)
}

// Each event counts on the day on which it happens, and changes no other day.
func TestEventsCountOnTheirOwnDay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := b.OpenDraws(t, "lotto-activo")
	first, last := list[0], list[len(list)-1]
	day := b.today()

	gone := b.sellAt(t, seed.CodeTicketPoint, fixture.Line(first, catalog.BetStraight, "7.00", "9"))
	b.cancel(t, gone)
	both := b.sellAt(t, seed.CodeTicketPoint, fixture.Line(first, catalog.BetStraight, "10.00", "5"), fixture.Line(last, catalog.BetStraight, "20.00", "5"))
	result := b.settle(t, first, "5")
	err := b.draws.Suspend(t.Context(), b.by, last.ID, "no draw")
	require.NoError(t, err)
	require.NoError(t, b.draws.Refund(t.Context(), last.ID))
	b.Clock.Advance(24 * time.Hour)
	require.NoError(t, b.pay(t, both))
	b.Clock.Advance(24 * time.Hour)
	b.correct(t, result, "6")
	b.advance(t)

	rows, err := b.Sum(t.Context(), b.query(fixture.RootID), rollup.ByDay)
	require.NoError(t, err)
	require.Len(t, rows, 3)
	require.Equal(t, rollup.Row{Day: day, Figures: rollup.Figures{
		Tickets: 2, VoidedTickets: 1, Lines: 1, Sold: 37_00, Voided: 7_00, Refunded: 20_00, Won: 300_00,
		Commission: rollup.Commission{TicketPoint: 1_00, Group: 30, Agency: 20, SuperAgency: 30},
	}}, rows[0])
	require.Equal(t, rollup.Row{Day: day.AddDays(1), Figures: rollup.Figures{Paid: 300_00}}, rows[1])
	require.Equal(t, rollup.Row{Day: day.AddDays(2), Figures: rollup.Figures{Won: -300_00}}, rows[2])
	b.requireSound(t)
}

func TestTotalsAreGroupedAndFiltered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	activo, granjita := b.OpenDraws(t, "lotto-activo")[0], b.OpenDraws(t, "la-granjita")[0]
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(activo, catalog.BetStraight, "10.00", "5"), fixture.Line(granjita, catalog.BetStraight, "30.00", "5"))
	b.sellAt(t, seed.CodeTicketPoint2, fixture.Line(activo, catalog.BetStraight, "5.00", "5"))
	b.sellAt(t, seed.CodeOtherPoint, fixture.Line(granjita, catalog.BetStraight, "1.00", "5"))
	b.advance(t)

	q := b.query(fixture.EntityID(seed.CodeSuperAgency))
	q.Children = true
	rows, err := b.Sum(t.Context(), q, rollup.ByEntity)
	require.NoError(t, err)
	sold := map[string]money.Amount{}
	for _, r := range rows {
		sold[r.EntityID.String()] = r.Sold
	}
	require.Equal(t, map[string]money.Amount{
		fixture.EntityID(seed.CodeAgency).String(): 45_00, fixture.EntityID(seed.CodeOtherAgency).String(): 1_00,
	}, sold)

	q = b.query(fixture.RootID)
	q.GameID = granjita.GameID
	rows, err = b.Sum(t.Context(), q, rollup.ByGame)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.EqualValues(t, 31_00, rows[0].Sold)
	require.EqualValues(t, 2, rows[0].Lines)

	q.CurrencyID = seed.ID("currency", "USD")
	rows, err = b.Sum(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, []rollup.Row{{}}, rows)
}

// A moved entity takes its later sales to its new place. What it sold before stays where it was.
func TestAMoveChangesNoTotalOfThePast(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.OpenDraws(t, "lotto-activo")[0]
	line := fixture.Line(d, catalog.BetStraight, "10.00", "5")
	before := b.sellAt(t, seed.CodeTicketPoint, line)
	_, _, err := b.Org.Move(t.Context(), b.by, org.MoveRequest{EntityID: fixture.EntityID(seed.CodeTicketPoint), ParentID: fixture.EntityID("GRU-101")})
	require.NoError(t, err)
	b.Forget()
	b.sellAt(t, seed.CodeTicketPoint, line)
	b.cancel(t, before) // on the totals of the place where it was sold
	b.advance(t)

	require.EqualValues(t, 20_00, b.of(t, seed.CodeTicketPoint).Sold)
	old, other := b.of(t, seed.CodeAgency), b.of(t, seed.CodeOtherAgency)
	require.EqualValues(t, 10_00, old.Sold)
	require.EqualValues(t, 10_00, old.Voided)
	require.EqualValues(t, 10_00, other.Sold)
	require.Zero(t, other.Voided)
	q := b.query(fixture.EntityID(seed.CodeGroup))
	q.Children = true
	rows, err := b.Sum(t.Context(), q, rollup.ByEntity)
	require.NoError(t, err)
	require.Len(t, rows, 1, "the group that it left still lists it")
	require.Equal(t, fixture.EntityID(seed.CodeTicketPoint), rows[0].EntityID)
	b.requireSound(t)
}

// A ticket of the release before has no path.
func TestATicketWithoutAPathIsAtThePlaceOfItsSeller(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.OpenDraws(t, "lotto-activo")[0]
	ticket := b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "10.00", "5"))
	b.Exec(t, `UPDATE tickets SET path_id = NULL WHERE id = $1`, ticket.ID)
	b.advance(t)
	require.EqualValues(t, 10_00, b.of(t, seed.CodeAgency).Sold)
	b.requireSound(t)
}

// Every figure that is changed by hand is found by a check.
func TestVerifyFindsAWrongTotal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.OpenDraws(t, "lotto-activo")[0]
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "10.00", "5"))
	b.advance(t)
	require.Empty(t, b.broken(t))
	for _, column := range []string{
		"tickets", "voided_tickets", "lines", "sold", "voided", "refunded", "commission_super_agency", "commission_agency", "commission_group", "commission_ticket_point", "won", "paid",
	} {
		for _, kind := range []string{"OPERATOR", "AGENCY", "TICKET_POINT"} {
			const change = `UPDATE daily_totals d SET %s = %s FROM entities e WHERE e.id = d.entity_id AND e.entity_type = '%s'`
			b.Exec(t, fmt.Sprintf(change, column, column+" + 1", kind))
			require.NotEmpty(t, b.broken(t), "%s of %s", column, kind)
			b.Exec(t, fmt.Sprintf(change, column, column+" - 1", kind))
		}
	}
	require.Empty(t, b.broken(t))
	for _, kind := range []string{"OPERATOR", "TICKET_POINT"} {
		const change = `UPDATE hourly_sales h SET sold = sold + %d FROM entities e WHERE e.id = h.entity_id AND e.entity_type = '%s'`
		b.Exec(t, fmt.Sprintf(change, 1, kind))
		require.NotEmpty(t, b.broken(t), "hours of %s", kind)
		b.Exec(t, fmt.Sprintf(change, -1, kind))
	}
	require.Empty(t, b.broken(t))
}

// A draw is suspended long after its tickets were sold, and then their month is archived: the refunds of this day are still proved.
func TestVerifyProvesTheRefundsOfArchivedTickets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	open := b.OpenDraws(t, "lotto-activo")
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(open[0], catalog.BetStraight, "10.00", "5"), fixture.Line(open[0], catalog.BetStraight, "2.00", "6"))
	const guarded = `BEGIN; SET LOCAL session_replication_role = replica; %s; COMMIT`
	b.Exec(t, fmt.Sprintf(guarded, `UPDATE transactions SET created_at = created_at - interval '90 days'; UPDATE postings SET created_at = created_at - interval '90 days'`))
	b.advance(t)
	require.NoError(t, b.draws.Suspend(t.Context(), b.by, open[0].ID, "no draw"))
	require.NoError(t, b.draws.Refund(t.Context(), open[0].ID))
	b.advance(t)
	require.Empty(t, b.broken(t))
	require.EqualValues(t, 12_00, b.of(t, seed.CodeAgency).Refunded)

	b.Exec(t, fmt.Sprintf(guarded, `DELETE FROM tickets; DELETE FROM ticket_items;
		INSERT INTO month_archives (label, least_id, before_id, ends, state, manifest, sha256, rows, bytes, frozen_at, written_at)
			VALUES ('before_202601', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', now() - interval '60 days', 'archived', '', '', 0, 0, now(), now())`))
	require.Empty(t, b.broken(t))
	b.Exec(t, `UPDATE daily_totals SET refunded = refunded + 1 WHERE refunded > 0`)
	require.NotEmpty(t, b.broken(t))
}
