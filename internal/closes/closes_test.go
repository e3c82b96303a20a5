package closes_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/closes"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/prizes"
	"banca/internal/setup/seed"
)

// Every kind of event is in the close of the day on which it happens, and the cash follows from them.
func TestACloseHasEveryKindOfEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := b.OpenDraws(t, "")
	first, second := list[0], list[1]
	b.cancel(t, b.sell(t, point, first))
	b.sell(t, point, first, second)
	winner := b.sell(t, point, second)
	require.NoError(t, b.draws.Suspend(t.Context(), fixture.As(fixture.Typist), first.ID, "the machine broke"))
	require.NoError(t, b.draws.Refund(t.Context(), first.ID))
	b.settle(t, second)
	_, err := b.prizes.Pay(t.Context(), b.by, &prizes.PayRequest{TicketID: winner.ID, ValidationCode: winner.ValidationCode})
	require.NoError(t, err)
	b.move(t, point, 50_00)
	b.move(t, point, -20_00)

	open := b.open(t, point)
	wallet := b.Number(t, `SELECT balance::bigint FROM wallet_balances WHERE id = $1`, open.WalletID)
	require.Equal(t, "sales 40.00 voids 10.00 refunds 10.00 prizes 300.00 commissions 2.00 deposits 50.00 withdrawals 20.00 late 0 0.00", totals(open))
	require.EqualValues(t, wallet, open.Change(), "the close explains the balance")
	require.Equal(t, []int64{3, 1, 1, 1}, []int64{open.Tickets, open.Voided, open.Refunded, open.Paid})
	require.Equal(t, "-310.00", open.ExpectedCash().Format(2))
	closed, _, err := b.Close(t.Context(), b.by, &closes.CloseRequest{
		ID: open.ID, OpeningCash: "400.00", Note: " falta un billete ", Cash: closes.Cash{Counts: []closes.TypedCount{{"50", 1}, {"10.00", 3}, {"5", 0}}, Other: "0.50"},
	})
	require.NoError(t, err)
	require.Equal(t, totals(open), totals(closed))
	require.Equal(t, []string{"90.00", "80.50", "-9.50", "falta un billete"},
		[]string{closed.ExpectedCash().Format(2), closed.CashTotal.Format(2), closed.Variance().Format(2), closed.Note})
	require.Equal(t, []closes.Count{{Denomination: 50_00, Count: 1}, {Denomination: 10_00, Count: 3}}, closed.Counts)
	require.Equal(t, fixture.Cashier, closed.ClosedBy)
	require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM activity_logs WHERE module = 'closes' AND action = 'close' AND target = $1`, closed.ID.String()))
	b.requireSound(t)

	for _, format := range []string{"", "png1", "escpos", "escpos-raster"} {
		picture, _, err := b.Receipt(t.Context(), b.by, closed.ID, format)
		require.NoError(t, err)
		require.NotEmpty(t, picture)
	}
	_, _, err = b.Receipt(t.Context(), b.by, closed.ID, "pdf")
	require.Error(t, err)
}

// What happens after a close of the same day is in the next close, among its late events; a close has no other's events.
func TestEventsAfterACloseAreLateInTheNext(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.OpenDraws(t, "")[5]
	early := b.sell(t, point, draw)
	first := b.finish(t, b.open(t, point), "10.00")
	require.Zero(t, first.Variance())
	different, _, err := b.List(t.Context(), b.by, &closes.Filter{Different: true, Limit: 10})
	require.NoError(t, err)
	require.Empty(t, different)
	b.Clock.Advance(time.Minute)
	b.sell(t, point, draw)
	b.cancel(t, early)
	_, _, err = b.Open(t.Context(), b.by, &closes.OpenRequest{EntityID: point, Currency: "VES"})
	require.ErrorIs(t, err, closes.ErrClosed)
	_, err = b.tryFinish(t, first, "1", "")
	require.ErrorIs(t, err, closes.ErrClosed)

	b.next()
	b.sell(t, point, b.OpenDraws(t, "")[0])
	second := b.finish(t, b.open(t, point), "0")
	require.Equal(t, "sales 20.00 voids 10.00 refunds 0.00 prizes 0.00 commissions 1.00 deposits 0.00 withdrawals 0.00 late 4 0.00", totals(second))
	require.Equal(t, first.ID, second.PreviousID)
	require.Equal(t, "sales 10.00 voids 0.00 refunds 0.00 prizes 0.00 commissions 1.00 deposits 0.00 withdrawals 0.00 late 0 0.00",
		totals(&b.ofDay(t, point, first.Day)[0]), "a closed row does not change")
	b.requireSound(t)
}

func TestRefusedCloses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sell(t, point, b.OpenDraws(t, "")[5])
	today := b.today()
	for name, tt := range map[string]struct {
		req  closes.OpenRequest
		want error
	}{
		"tomorrow":     {closes.OpenRequest{EntityID: point, Currency: "VES", Day: today.AddDays(1)}, closes.ErrFuture},
		"next year":    {closes.OpenRequest{EntityID: point, Currency: "VES", Day: today.AddDays(400)}, closes.ErrFuture},
		"years ago":    {closes.OpenRequest{EntityID: point, Currency: "VES", Day: today.AddDays(-3650)}, closes.ErrTooOld},
		"no entity":    {closes.OpenRequest{EntityID: uuid.New(), Currency: "VES"}, closes.ErrEntityNotFound},
		"opening cash": {closes.OpenRequest{EntityID: point, Currency: "VES", OpeningCash: "1.005"}, closes.ErrCash},
	} {
		_, _, err := b.Open(t.Context(), b.by, &tt.req)
		require.ErrorIs(t, err, tt.want, name)
	}
	_, _, err := b.Open(t.Context(), b.by, &closes.OpenRequest{EntityID: point, Currency: "XXX"})
	require.Error(t, err)

	open := b.open(t, point)
	for name, cash := range map[string]closes.Cash{
		"unknown":  {Counts: []closes.TypedCount{{"3", 1}}},
		"negative": {Counts: []closes.TypedCount{{"5", -1}}},
		"many":     {Counts: []closes.TypedCount{{"5", 1_000_001}}},
		"twice":    {Counts: []closes.TypedCount{{"5", 1}, {"5.00", 1}}},
		"digits":   {Other: "1.005"},
		"minus":    {Other: "-1"},
		"words":    {Counts: []closes.TypedCount{{"five", 1}}},
	} {
		_, _, err := b.Close(t.Context(), b.by, &closes.CloseRequest{ID: open.ID, Cash: cash})
		require.ErrorIs(t, err, closes.ErrCash, name)
	}
	_, _, err = b.Close(t.Context(), b.by, &closes.CloseRequest{ID: open.ID, Note: strings.Repeat("x", 501)})
	require.ErrorIs(t, err, closes.ErrNote)
	_, _, err = b.Close(t.Context(), b.by, &closes.CloseRequest{ID: uuid.New()})
	require.ErrorIs(t, err, closes.ErrNotFound)
	foreign := b.by
	foreign.EntityID = other
	foreign.Scope, err = b.Org.Scope(t.Context(), other)
	require.NoError(t, err)
	for _, err := range []error{
		func() error { _, err := b.Get(t.Context(), foreign, open.ID); return err }(),
		func() error {
			_, _, err := b.Close(t.Context(), foreign, &closes.CloseRequest{ID: open.ID})
			return err
		}(),
		func() error { _, _, err := b.Receipt(t.Context(), foreign, open.ID, ""); return err }(),
	} {
		require.ErrorIs(t, err, closes.ErrNotFound)
	}
	require.Empty(t, b.Number(t, `SELECT count(*) FROM daily_closes WHERE status = 'closed'`))

	b.next() // the day that is over has to be closed before the next one
	late := b.open(t, point)
	_, err = b.tryFinish(t, late, "0", "")
	require.ErrorIs(t, err, closes.ErrEarlierOpen)
	b.finish(t, open, "10")
	b.finish(t, late, "0")
	_, _, err = b.Open(t.Context(), b.by, &closes.OpenRequest{EntityID: point, Currency: "VES", Day: open.Day})
	require.ErrorIs(t, err, closes.ErrClosed)
	_, _, err = b.List(t.Context(), b.by, &closes.Filter{From: today, To: today.AddDays(-1), Limit: 1})
	require.ErrorIs(t, err, closes.ErrRange)
	_, _, err = b.List(t.Context(), b.by, &closes.Filter{From: today, To: today.AddDays(3650), Limit: 1})
	require.ErrorIs(t, err, closes.ErrRange)

	for _, sql := range []string{
		`UPDATE daily_closes SET note = 'x' WHERE status = 'closed'`, `UPDATE daily_closes SET status = 'open', closed_at = NULL, seen = NULL, ends_at = NULL`,
		`DELETE FROM daily_closes`, `TRUNCATE daily_closes CASCADE`,
	} {
		_, err := b.PG.Pool.Exec(t.Context(), sql)
		require.ErrorContains(t, err, "is not allowed", sql)
	}
	b.requireSound(t)
}

// The opening cash of a day is set before its first event and again later, up to the greatest amount.
func TestTheOpeningCashIsAnyAmount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, cash := range []string{"21474836.48", money.MaxAmount.Format(2), "0.00"} {
		open, _, err := b.Open(t.Context(), b.by, &closes.OpenRequest{EntityID: point, Currency: "VES", OpeningCash: cash})
		require.NoError(t, err, cash)
		require.Equal(t, cash, open.OpeningCash.Format(2))
	}
	open, _, err := b.Open(t.Context(), b.by, &closes.OpenRequest{EntityID: point, Currency: "VES", OpeningCash: "7"})
	require.NoError(t, err)
	closed, _, err := b.Close(t.Context(), b.by, &closes.CloseRequest{ID: open.ID, OpeningCash: money.MaxAmount.Format(2)})
	require.NoError(t, err)
	require.Equal(t, money.MaxAmount, closed.OpeningCash)
}

// A sale that is reserved and neither committed nor given up keeps its ticket point, and no other, from closing.
func TestACloseWaitsForSalesOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.OpenDraws(t, "")[5]
	ticket := b.sell(t, point, draw)
	b.PendingWait = 100 * time.Millisecond
	chain, err := b.Org.Chain(t.Context(), point)
	require.NoError(t, err)
	self := chain.Self()
	key := "risk:{" + draw.ID.String() + "}:r"
	keys, err := b.Redis.Keys(t.Context(), "risk:{"+draw.ID.String()+"}*").Result()
	require.NoError(t, err)
	for _, name := range keys {
		if !strings.HasSuffix(name, ":n") {
			key = name
		}
	}
	reserve := func(id uuid.UUID) {
		require.NoError(t, b.Redis.HSet(t.Context(), key, id.String(), "r;1@"+b.Text(t, `SELECT no::text FROM entities WHERE id = $1`, self.ID)+";0").Err())
	}
	reserve(ticket.ID) // committed, and not confirmed yet
	lost := uuid.Must(uuid.NewV7())
	reserve(lost)
	open := b.open(t, point)
	n, err := b.Risk.Undecided(t.Context(), &self)
	require.NoError(t, err)
	require.Equal(t, 1, n, key)
	_, err = b.tryFinish(t, open, "10", "")
	require.ErrorIs(t, err, closes.ErrPending)
	b.finish(t, b.open(t, other), "0")
	require.NoError(t, b.Redis.HDel(t.Context(), key, lost.String()).Err())
	b.finish(t, open, "10")
}

// The task opens the day of a ticket point with events, closes it after midnight with what came late, and then the days of the
// entities above, each summed once.
func TestTheTaskClosesDaysThatAreOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, agency := t.Context(), fixture.EntityID(seed.CodeAgency)
	day := b.today()
	draw := b.OpenDraws(t, "")[5]
	b.sell(t, point, draw)
	n, err := b.Due(ctx)
	require.NoError(t, err)
	require.Zero(t, n, "the day is not over")
	require.Equal(t, closes.Open, b.ofDay(t, point, day)[0].Status)
	require.Empty(t, b.ofDay(t, other, day), "nothing happened there")

	list, err := b.Missing(ctx, b.by, uuid.Nil, day)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, point, list[0].EntityID)
	require.Equal(t, day, list[0].Since)
	above := b.open(t, agency)
	_, _, err = b.Close(ctx, b.by, &closes.CloseRequest{ID: above.ID})
	require.ErrorIs(t, err, closes.ErrMissing)

	b.Clock.Advance(b.today().AddDays(1).At(0, 1, fixture.Caracas).Sub(b.Clock.Now()))
	n, err = b.Due(ctx)
	require.NoError(t, err)
	require.Zero(t, n, "sales of the last minute may still commit")
	b.next()
	b.sell(t, point, b.OpenDraws(t, "")[5])
	n, err = b.Due(ctx)
	require.NoError(t, err)
	require.Equal(t, 1+4, n, "the ticket point, its group, agency and super-agency, and the operator")
	closed := b.ofDay(t, point, day)[0]
	require.Equal(t, closes.Closed, closed.Status)
	require.Equal(t, uuid.Nil, closed.ClosedBy)
	require.False(t, closed.Counted)
	require.Equal(t, "sales 10.00 voids 0.00 refunds 0.00 prizes 0.00 commissions 1.00 deposits 0.00 withdrawals 0.00 late 0 0.00", totals(&closed), "the sale of today is not in it")
	root := b.ofDay(t, fixture.RootID, day)[0]
	require.Equal(t, totals(&closed), totals(&root))
	parts, err := b.Parts(ctx, b.by, b.ofDay(t, agency, day)[0].ID)
	require.NoError(t, err)
	require.Len(t, parts, 1)
	again, err := b.Due(ctx)
	require.NoError(t, err)
	require.Zero(t, again)
	require.Equal(t, closes.Open, b.ofDay(t, point, b.today())[0].Status)
	list, err = b.Missing(ctx, b.by, uuid.Nil, day)
	require.NoError(t, err)
	require.Empty(t, list)
	b.requireSound(t)

	b.finish(t, &b.ofDay(t, point, b.today())[0], "10")
	_, _, err = b.Close(ctx, b.by, &closes.CloseRequest{ID: b.open(t, agency).ID, Cash: closes.Cash{Other: "1"}})
	require.ErrorIs(t, err, closes.ErrCash, "an agency counts no cash")
	sum, _, err := b.Close(ctx, b.by, &closes.CloseRequest{ID: b.open(t, agency).ID})
	require.NoError(t, err)
	require.Equal(t, "10.00", sum.CashTotal.Format(2))
	require.True(t, sum.Counted)
	b.requireSound(t)
}

// A broken connection at any statement of a close leaves the day open or closes it, once.
func TestABrokenCloseHasNoEffect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sell(t, point, b.OpenDraws(t, "")[5])
	open := b.open(t, point)
	breaker := b.Env.Breaker(t)
	deps := b.Deps
	deps.PG = breaker.PG
	broken := closes.New(deps)
	state := func() string {
		return b.Text(t, `SELECT string_agg(c::text, ' ') FROM daily_closes c`) + b.Text(t, `SELECT count(*)::text FROM activity_logs`)
	}
	before := state()
	positive := breaker.Each(t, func() error {
		_, _, err := broken.Close(t.Context(), b.by, &closes.CloseRequest{ID: open.ID, Cash: closes.Cash{Other: "10"}, IdempotencyKey: "k"})
		return err
	}, func(error) { require.Equal(t, before, state()) })
	assert.Positive(t, positive)
	closed, err := b.Get(t.Context(), b.by, open.ID)
	require.NoError(t, err)
	require.Equal(t, closes.Closed, closed.Status)
	b.requireSound(t)
}

// After a dump was restored into another cluster, the ids of transactions are of the old one: a close is refused until
// AdoptTx marks the events of closes, and then loses and repeats no event.
func TestCloseAfterARestoreIntoAnotherCluster(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.OpenDraws(t, "")[5]
	b.sell(t, point, draw)
	b.finish(t, b.open(t, point), "10")
	b.sell(t, point, draw) // after the close of its day
	b.Exec(t, `ALTER TABLE daily_closes DISABLE TRIGGER daily_closes_final`)
	b.Exec(t, `ALTER TABLE transactions DISABLE TRIGGER transactions_append_only`)
	far := b.Number(t, `SELECT max(xid) FROM transactions`)
	b.Exec(t, `UPDATE transactions SET xid = xid + 1000000000`)
	b.Exec(t, `UPDATE daily_closes SET seen = format('%s:%s:', $1::bigint + 1000000000, $1::bigint + 1000000000)::pg_snapshot`, far)
	b.next()
	b.sell(t, point, b.OpenDraws(t, "")[5])
	_, _, err := b.Open(t.Context(), b.by, &closes.OpenRequest{EntityID: point, Currency: "VES"})
	require.ErrorIs(t, err, closes.ErrOtherCluster)

	b.Exec(t, `UPDATE transactions SET xid = xid + 1000000000 WHERE xid < 1000000000`) // the newest sale, too, was made before the dump
	foreign, err := closes.IsForeign(t.Context(), b.PG.Pool)
	require.NoError(t, err)
	require.True(t, foreign)
	require.NoError(t, b.PG.InTx(t.Context(), func(tx pgx.Tx) error { return closes.AdoptTx(t.Context(), tx) }))
	foreign, err = closes.IsForeign(t.Context(), b.PG.Pool)
	require.NoError(t, err)
	require.False(t, foreign)
	closed := b.finish(t, b.open(t, point), "0")
	require.Equal(t, "sales 20.00 voids 0.00 refunds 0.00 prizes 0.00 commissions 2.00 deposits 0.00 withdrawals 0.00 late 2 9.00", totals(closed))
	b.requireSound(t)
}

// The first run over a history closes a bounded number of days, the oldest first, and the next ones go on until all are closed.
func TestAHistoryIsClosedInBatches(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.today()
	const days = 4
	for range days {
		draw := b.OpenDraws(t, "")[5]
		b.sell(t, point, draw)
		b.sell(t, other, draw)
		b.next()
	}
	oldest := func() (days []businessday.Day) { // of the closes of both ticket points, in the order in which they were made
		rows, err := b.PG.Pool.Query(t.Context(), `SELECT c.day FROM daily_closes c JOIN entities e ON e.id = c.entity_id WHERE c.status = 'closed' AND e.entity_type = 'TICKET_POINT' ORDER BY c.closed_at, c.day`)
		require.NoError(t, err)
		days, err = pgx.CollectRows(rows, pgx.RowTo[businessday.Day])
		require.NoError(t, err)
		return days
	}
	for run := 1; len(oldest()) < 2*days; run++ {
		_, err := b.DueUpTo(t.Context(), 3)
		require.NoError(t, err)
		require.Len(t, oldest(), min(3*run, 2*days))
		for i, day := range oldest() {
			require.Equal(t, first.AddDays(i/2), day)
		}
		above := b.ofDay(t, fixture.RootID, first.AddDays(3*run/2-1))
		require.NotEmpty(t, above, "a day that all ticket points have closed is closed above in the same run")
	}
	_, err := b.Due(t.Context())
	require.NoError(t, err)
	again, err := b.Due(t.Context())
	require.NoError(t, err)
	require.Zero(t, again)
	b.requireSound(t)
}
