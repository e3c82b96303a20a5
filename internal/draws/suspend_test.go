package draws_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/platform/money"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

// balance is a wallet's exact balance.
func (h *world) balance(t testing.TB, entity string) money.Amount {
	t.Helper()
	return money.Amount(h.Number(t, `SELECT balance + coalesce((SELECT sum(amount) FROM pending_balances p WHERE p.wallet_id = w.id), 0)::bigint FROM wallets w
		WHERE entity_id = $1 AND currency_id = $2 AND kind = 'main'`, seed.ID("entity", entity), seed.ID("currency", "VES")))
}

// A suspension refuses sales at once, refuses a result, and refunds every stake with its commissions; of tickets on
// several draws only the stakes on this one, with the commissions of the rest exact to the centimo.
func TestSuspensionRefundsEveryTicket(t *testing.T) {
	t.Parallel()
	h := setup(t)
	list := h.OpenDraws(t, "lotto-activo")
	first, second := list[0], list[1]
	kept := h.sell(t, fixture.Line(second, catalog.BetStraight, "3.33", "7"))
	pointAfter, agencyAfter := h.balance(t, seed.CodeTicketPoint), h.balance(t, seed.CodeAgency)
	whole := h.sell(t, fixture.Line(first, catalog.BetStraight, "5", "5"), fixture.Line(first, catalog.BetStraight, "6.01", "6"))
	mixed := h.sell(t, fixture.Line(first, catalog.BetStraight, "5", "5"))
	_, err := h.sales.Cancel(t.Context(), cashier(), &sales.CancelRequest{TicketID: mixed.ID})
	require.NoError(t, err)
	mixed = h.sell(t, fixture.Line(first, catalog.BetStraight, "9.99", "5"), fixture.Line(second, catalog.BetStraight, "3.33", "7"))

	before := h.tables(t)
	require.ErrorIs(t, h.Suspend(t.Context(), fixture.As(fixture.Typist), first.ID, " "), draws.ErrReasonMissing)
	require.Equal(t, before, h.tables(t))
	require.NoError(t, h.Suspend(t.Context(), fixture.As(fixture.Typist), first.ID, "the machine broke"))
	require.NoError(t, h.Suspend(t.Context(), fixture.As(fixture.Typist), first.ID, "again"), "a repeat does nothing")
	require.Equal(t, "the machine broke", h.Text(t, `SELECT suspend_reason FROM draws WHERE id = $1`, first.ID))
	_, err = h.sales.Sell(t.Context(), cashier(), &sales.SellRequest{
		EntityID: seed.ID("entity", seed.CodeTicketPoint), Currency: "VES", Items: []sales.Item{fixture.Line(first, catalog.BetStraight, "5", "5")},
	})
	require.ErrorIs(t, err, sales.ErrInvalidTicket)
	h.Clock.Advance(first.Time.Sub(h.Clock.Now()))
	_, err = h.Enter(t.Context(), fixture.As(fixture.Typist), first.ID, catalog.Outcome{Value: "5"})
	require.ErrorIs(t, err, draws.ErrSuspended)

	for range 2 {
		require.NoError(t, h.Refund(t.Context(), first.ID))
	}
	require.Equal(t, models.TicketCancelled+" 0", h.state(t, whole))
	require.Equal(t, models.TicketPending+" 0", h.state(t, mixed))
	require.EqualValues(t, 9_99, h.Number(t, `SELECT refunded FROM tickets WHERE id = $1`, mixed.ID))
	h.requireSound(t)
	again := h.sell(t, fixture.Line(second, catalog.BetStraight, "3.33", "7")) // the price of the rest of the mixed ticket, for comparison
	require.EqualValues(t, 3, h.Number(t, `SELECT count(*) FROM tickets WHERE status <> 'cancelled'`))
	require.Equal(t, (h.balance(t, seed.CodeTicketPoint)-pointAfter)/2, pointAfter, "each of the three points' sales cost the same")
	require.Equal(t, (h.balance(t, seed.CodeAgency)-agencyAfter)/2, agencyAfter)
	require.ErrorIs(t, h.Suspend(t.Context(), fixture.As(fixture.Typist), h.settled(t, second).DrawID, "late"), draws.ErrCannotSuspend)
	for _, ticket := range []*sales.Ticket{kept, mixed, again} {
		require.Equal(t, "won 9990", h.state(t, ticket))
	}
	h.requireSound(t)
	require.EqualValues(t, 1, h.Number(t, `SELECT count(*) FROM activity_logs WHERE module = 'draws' AND action = 'suspend'`))
}

func (h *world) settled(t testing.TB, draw *catalog.Draw) *draws.Result {
	t.Helper()
	return h.settle(t, draw, catalog.Outcome{Value: "7"})
}

// Concurrent sales, cancellations and a suspension: every sold ticket is refunded or was cancelled, and nothing is
// sold afterwards.
func TestSuspensionWhileSelling(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	var all sync.WaitGroup
	var sold atomic.Int64
	for worker := range 8 {
		all.Go(func() {
			for n := range 15 {
				s, err := h.sales.Sell(t.Context(), cashier(), &sales.SellRequest{
					EntityID: seed.ID("entity", seed.CodeTicketPoint), Currency: "VES",
					Items: []sales.Item{fixture.Line(draw, catalog.BetStraight, "5", "5")},
				})
				if err != nil {
					continue
				}
				sold.Add(1)
				if n%5 == worker%5 {
					_, _ = h.sales.Cancel(t.Context(), cashier(auth.SalesCancelAny), &sales.CancelRequest{TicketID: s.Ticket.ID})
				}
			}
		})
	}
	all.Go(func() {
		for sold.Load() < 20 {
			time.Sleep(time.Millisecond)
		}
		if err := h.Suspend(t.Context(), fixture.As(fixture.Typist), draw.ID, "the machine broke"); err != nil {
			t.Error(err)
		}
		for range 3 { // the task, its repeat, and the sweep's
			all.Go(func() {
				if err := h.Refund(t.Context(), draw.ID); err != nil {
					t.Error(err)
				}
			})
		}
	})
	all.Wait()
	require.NoError(t, h.Refund(t.Context(), draw.ID))
	require.Positive(t, h.Number(t, `SELECT count(*) FROM draw_refunds`))
	require.Zero(t, h.Number(t, `SELECT count(*) FROM tickets WHERE status <> 'cancelled'`))
	require.Zero(t, h.balance(t, seed.CodeTicketPoint))
	h.requireSound(t)
}

// The sweep finds the work of lost tasks.
func TestTheSweepEnqueuesLostTasksAgain(t *testing.T) {
	t.Parallel()
	h := setup(t)
	list := h.OpenDraws(t, "lotto-activo")
	h.sell(t, fixture.Line(list[0], catalog.BetStraight, "5", "5"))
	require.NoError(t, h.Suspend(t.Context(), fixture.As(fixture.Typist), list[0].ID, "the machine broke"))
	h.result(t, list[1], catalog.Outcome{Value: "5"})
	h.Exec(t, `DELETE FROM outbox`)
	h.Exec(t, `UPDATE draws SET external_closed_at = closed_at, poll_next_at = NULL`) // closings in the external system are swept, too
	n, err := h.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n, "the suspension is some time ago, the result is new")
	h.Clock.Advance(11 * time.Minute)
	_, err = h.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, "2 draw.refund, 1 draw.settle", h.Text(t, `SELECT string_agg(n || ' ' || kind, ', ' ORDER BY kind) FROM (SELECT kind, count(*) AS n FROM outbox WHERE kind IN ('draw.settle', 'draw.refund') GROUP BY kind) k`))
	require.NoError(t, h.Refund(t.Context(), list[0].ID))
	_, err = h.Settle(t.Context(), list[1].ID)
	require.NoError(t, err)
	n, err = h.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}

// A ticket whose lines were altered in the database is not refunded, and does not keep the others from their refund.
func TestARefusedRefundDoesNotBlockTheOthers(t *testing.T) {
	t.Parallel()
	h := setup(t)
	list := h.OpenDraws(t, "lotto-activo")
	var tickets []*sales.Ticket
	for range 5 {
		tickets = append(tickets, h.sell(t, fixture.Line(list[0], catalog.BetStraight, "5", "5"), fixture.Line(list[1], catalog.BetStraight, "7", "5")))
	}
	altered := tickets[2]
	h.Exec(t, `UPDATE ticket_items SET amount = amount + 100000 WHERE ticket_id = $1`, altered.ID)
	require.NoError(t, h.Suspend(t.Context(), fixture.As(fixture.Typist), list[0].ID, "the machine broke"))
	for range 2 {
		require.ErrorContains(t, h.Refund(t.Context(), list[0].ID), altered.ID.String())
		require.EqualValues(t, 4, h.Number(t, `SELECT count(*) FROM tickets WHERE refunds = 1 AND refunded = 500`))
	}
	h.Exec(t, `UPDATE ticket_items SET amount = amount - 100000 WHERE ticket_id = $1`, altered.ID)
	require.NoError(t, h.Refund(t.Context(), list[0].ID))
	require.EqualValues(t, 5, h.Number(t, `SELECT count(*) FROM draw_refunds`))
	h.requireSound(t)
}

// A ticket that cannot be refunded keeps no other ticket undecided, and the draw is refunded when its bookings are
// repaired.
func TestARefusedRefundDoesNotKeepTheOthersUndecided(t *testing.T) {
	t.Parallel()
	h := setup(t)
	list := h.OpenDraws(t, "lotto-activo")
	winner := h.mixed(t, list[:2])
	altered := h.mixed(t, list[:2])
	h.settle(t, list[1], catalog.Outcome{Value: "5"})
	h.Exec(t, `UPDATE ticket_items SET amount = amount + 100000 WHERE ticket_id = $1`, altered.ID)
	require.NoError(t, h.Suspend(t.Context(), fixture.As(fixture.Typist), list[0].ID, "the machine broke"))
	require.ErrorIs(t, h.Refund(t.Context(), list[0].ID), sales.ErrBookings)
	require.Equal(t, "won 29970", h.state(t, winner))
	require.Zero(t, h.Number(t, `SELECT count(refunded_at) FROM draws`))
	h.Exec(t, `UPDATE ticket_items SET amount = amount - 100000 WHERE ticket_id = $1`, altered.ID)
	require.NoError(t, h.Refund(t.Context(), list[0].ID))
	require.EqualValues(t, 1, h.Number(t, `SELECT count(refunded_at) FROM draws`))
	require.EqualValues(t, 2, h.Number(t, `SELECT count(*) FROM draw_refunds`))
	h.requireSound(t)
}
