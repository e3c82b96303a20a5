package draws_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/realtime"
	"banca/internal/risk"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

func TestCloseDueClosesOnceAndOnlyWhatIsDue(t *testing.T) {
	t.Parallel()
	h := setup(t)
	open := func() int64 { return h.Number(t, `SELECT count(*) FROM draws WHERE status = 'open'`) }
	n, err := h.CloseDue(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)

	before := open()
	h.Clock.Advance(2 * time.Hour) // 12:00: the draws of 11:00 stopped at 10:55
	n, err = h.CloseDue(t.Context())
	require.NoError(t, err)
	require.Positive(t, n)
	require.Equal(t, before-int64(n), open())

	again, err := h.CloseDue(t.Context())
	require.NoError(t, err)
	require.Zero(t, again)
	require.Zero(t, h.Number(t, `SELECT count(*) FROM draws WHERE status = 'closed' AND sale_stop_at > $1`, h.Clock.Now()))
	require.Zero(t, h.Number(t, `SELECT count(*) FROM draws WHERE status = 'closed' AND (seal IS NULL OR cache_closed_at IS NULL OR poll_next_at <> draw_time + interval '5 minutes')`))
	require.Equal(t, n, h.news.named(realtime.DrawClosed), "each is told once")
	require.Equal(t, int64(n), h.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'result.poll' AND process_at IS NOT NULL`))
	require.Equal(t, int64(n), h.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'draw.close_external'`))
	h.requireSound(t)
}

// A draw's task comes a little before its stop where the stop is no whole second, or by the clock of another machine:
// it waits for the stop, rather than leave the closing to the sweep.
func TestATaskThatComesEarlyClosesAtTheStop(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	status := func() string { return h.Text(t, `SELECT status FROM draws WHERE id = $1`, draw.ID) }
	var waited time.Duration
	h.Sleep = func(_ context.Context, d time.Duration) error {
		waited += d
		h.Clock.Advance(d)
		return nil
	}
	h.Exec(t, `UPDATE draws SET sale_stop_at = $2 WHERE id = $1`, draw.ID, h.Clock.Now().Add(3*time.Second))
	require.NoError(t, h.Close(t.Context(), draw.ID))
	require.Equal(t, models.DrawOpen, status(), "it was moved on; the task of its new stop closes it")
	require.Zero(t, waited)

	h.Clock.Advance(2_250 * time.Millisecond)
	require.NoError(t, h.Close(t.Context(), draw.ID))
	require.Equal(t, models.DrawClosed, status())
	require.Equal(t, 750*time.Millisecond, waited)
	require.NoError(t, h.Close(t.Context(), draw.ID))
	require.Equal(t, 750*time.Millisecond, waited, "one that is closed is not waited for")
}

// A draw is opened when its sales begin; one that was not opened in time is still closed and sealed like any other.
func TestScheduledDrawsAreOpenedInTime(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[3]
	h.Exec(t, `UPDATE draws SET status = 'scheduled', opens_at = $2 WHERE id = $1`, draw.ID, h.Clock.Now().Add(time.Hour))
	status := func() string { return h.Text(t, `SELECT status FROM draws WHERE id = $1`, draw.ID) }
	n, err := h.OpenDue(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	require.Equal(t, models.DrawScheduled, status())
	h.Clock.Advance(time.Hour)
	n, err = h.OpenDue(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	h.Catalog.Forget()
	h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5"))

	h.Exec(t, `UPDATE draws SET status = 'scheduled', opens_at = sale_stop_at - interval '1 second' WHERE id = $1`, draw.ID)
	h.Clock.Advance(8 * time.Hour)
	_, err = h.OpenDue(t.Context())
	require.NoError(t, err)
	_, err = h.CloseDue(t.Context())
	require.NoError(t, err)
	require.Equal(t, models.DrawClosed, status())
}

// Nothing is sold from the stop on, although neither the task nor the sweep runs and the row is still open.
func TestNothingIsSoldAfterTheStopWithoutAClosingTask(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	ask := &sales.SellRequest{
		EntityID: seed.ID("entity", seed.CodeTicketPoint), Currency: "VES",
		Items: []sales.Item{fixture.Line(draw, catalog.BetStraight, "5", "5")},
	}
	h.Clock.Advance(draw.SaleStopAt.Sub(h.Clock.Now()) - time.Nanosecond)
	_, err := h.sales.Sell(t.Context(), cashier(), ask)
	require.NoError(t, err)
	h.Clock.Advance(time.Nanosecond)
	sold := h.Number(t, `SELECT count(*) FROM tickets`)
	for range 3 {
		_, err = h.sales.Sell(t.Context(), cashier(), ask)
		require.ErrorIs(t, err, sales.ErrInvalidTicket)
	}
	require.Equal(t, models.DrawOpen, h.Text(t, `SELECT status FROM draws WHERE id = $1`, draw.ID))
	require.Equal(t, sold, h.Number(t, `SELECT count(*) FROM tickets`))
}

// The counts of a closed draw refuse by themselves, and keep refusing when they are rebuilt.
func TestTheCacheRefusesAClosedDraw(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5"))
	h.hold(t, draw)
	chain := h.chain(t)
	reserve := func() error {
		_, err := h.Risk.Reserve(t.Context(), &risk.Request{
			TicketID: draw.GameID, Chain: chain, Currency: risk.Currency{ID: seed.ID("currency", "VES"), Code: "VES", Digits: 2},
			Lines: []risk.Line{{DrawID: draw.ID, GameID: draw.GameID, BetType: catalog.BetStraight, Selection: "5", Stake: 100, Payout: 3000, Prize: 3000}},
		})
		return err
	}
	require.ErrorIs(t, reserve(), risk.ErrDrawClosed)
	require.NoError(t, h.Risk.Rebuild(t.Context(), []uuid.UUID{draw.ID}, true))
	require.ErrorIs(t, reserve(), risk.ErrDrawClosed)
	require.NoError(t, h.Redis.FlushAll(t.Context()).Err())
	require.ErrorIs(t, reserve(), risk.ErrDrawClosed, "lost counts come back closed")
	h.requireSound(t)
}

// A ticket slipped in after the closing, or one altered or taken out, breaks the seal; the draw is not settled then.
func TestTheSealDetectsAlteredTickets(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	kept, other := h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5")), h.sell(t, fixture.Line(draw, catalog.BetStraight, "7", "6"))
	cancelled := h.sell(t, fixture.Line(draw, catalog.BetStraight, "7", "7"))
	_, err := h.sales.Cancel(t.Context(), cashier(), &sales.CancelRequest{TicketID: cancelled.ID})
	require.NoError(t, err)
	h.result(t, draw, catalog.Outcome{Value: "5"})
	require.EqualValues(t, 2, h.Number(t, `SELECT sealed_tickets FROM draws WHERE id = $1`, draw.ID))
	for name, change := range map[string][2]string{
		"a line's selection":    {`UPDATE ticket_items SET selection = '5' WHERE ticket_id = $1`, `UPDATE ticket_items SET selection = '6' WHERE ticket_id = $1`},
		"a line's payout":       {`UPDATE ticket_items SET payout = payout + 1 WHERE ticket_id = $1`, `UPDATE ticket_items SET payout = payout - 1 WHERE ticket_id = $1`},
		"a ticket's code":       {`UPDATE tickets SET validation_code = validation_code || '0' WHERE id = $1`, `UPDATE tickets SET validation_code = left(validation_code, -1) WHERE id = $1`},
		"a ticket taken out":    {`UPDATE tickets SET status = 'cancelled' WHERE id = $1`, `UPDATE tickets SET status = 'pending' WHERE id = $1`},
		"a line moved away":     {`UPDATE ticket_items SET draw_id = gen_random_uuid() WHERE ticket_id = $1`, `UPDATE ticket_items SET draw_id = '` + draw.ID.String() + `' WHERE ticket_id = $1`},
		"a ticket slipped in":   {slipIn, `DELETE FROM ticket_items WHERE ticket_id <> $1 AND ticket_id IN (SELECT id FROM tickets WHERE serial_code = 'SLIPPED')`},
		"another's line of now": {`UPDATE ticket_items SET amount = amount + 100 WHERE ticket_id = $1`, `UPDATE ticket_items SET amount = amount - 100 WHERE ticket_id = $1`},
	} {
		h.Exec(t, change[0], other.ID)
		_, err := h.Settle(t.Context(), draw.ID)
		require.Error(t, err, name)
		require.ErrorContains(t, err, "SEAL_BROKEN", name)
		require.Equal(t, "pending 0", h.state(t, kept), name)
		h.Exec(t, change[1], other.ID)
		h.Exec(t, `DELETE FROM tickets WHERE serial_code = 'SLIPPED'`)
	}
	require.Positive(t, h.Number(t, `SELECT count FROM draw_alerts WHERE draw_id = $1 AND kind = 'seal_broken'`, draw.ID))
	h.Clock.Advance(time.Hour)
	sweep := func() int64 {
		_, err := h.Sweep(t.Context())
		require.NoError(t, err)
		return h.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'draw.settle'`)
	}
	tasked := sweep()
	require.Equal(t, tasked, sweep(), "nobody settles it until somebody has looked at the alert")
	h.Exec(t, `UPDATE draw_alerts SET acknowledged_at = now(), acknowledged_by = gen_random_uuid()`)
	require.Equal(t, tasked+1, sweep())
	_, err = h.Settle(t.Context(), draw.ID)
	require.NoError(t, err)
	require.Equal(t, "won 15000", h.state(t, kept))
	require.Equal(t, "lost 0", h.state(t, other))
	h.requireSound(t)
	h.Exec(t, `UPDATE ticket_items SET selection = '5' WHERE ticket_id = $1`, other.ID)
	checks, err := h.Checks(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, checks[len(checks)-1].Broken, "the nightly proof finds it after the settlement, too")
}

// slipIn copies a ticket with its lines, as an intruder with access to the database could.
const slipIn = `WITH t AS (INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, total, potential_prize, cancel_before, expires_at, created_at)
	SELECT gen_random_uuid(), 'SLIPPED', validation_code, entity_id, user_id, wallet_id, currency_id, status, total, potential_prize, cancel_before, expires_at, created_at FROM tickets WHERE id = $1 RETURNING id)
	INSERT INTO ticket_items SELECT t.id, line_no, draw_id, game_id, bet_type, '5', amount, payout, potential_prize, rule_version, commission_rates FROM ticket_items, t WHERE ticket_id = $1`
