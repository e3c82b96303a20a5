package draws_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
	"banca/storage"
)

// lockEverything takes every lock that a preview of a draw could wait for, or make others wait for.
func lockEverything(t testing.TB, tx pgx.Tx, draw *catalog.Draw) {
	t.Helper()
	_, err := tx.Exec(t.Context(), `SET LOCAL lock_timeout = '2s'`)
	require.NoError(t, err)
	require.NoError(t, storage.LockDraws(t.Context(), tx, storage.UUIDs{draw.ID}))
	_, err = tx.Exec(t.Context(), `SELECT 1 FROM draws FOR UPDATE`)
	require.NoError(t, err)
	require.NoError(t, storage.LockSettlements.Take(t.Context(), tx))
	for _, table := range []string{"wallets", "tickets", "results", "winning_lines", "window_bets", "activity_chain"} {
		_, err = tx.Exec(t.Context(), `SELECT 1 FROM `+table+` FOR UPDATE`)
		require.NoError(t, err, table)
	}
}

// A preview waits for no lock of others, and nothing waits for a preview that is under way.
func TestAPreviewHoldsNoLock(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	for range 5 {
		h.sell(t, fixture.Line(draw, catalog.BetStraight, "4", "5"), fixture.Line(draw, catalog.BetStraight, "3", "6"))
	}
	r := h.settle(t, draw, catalog.Outcome{Value: "5"})
	before := h.tables(t)
	preview := func(ctx context.Context) (*draws.Difference, error) {
		_, shown, err := h.Correct(ctx, fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: "6"}, "read wrongly", true)
		return shown, err
	}

	others, err := h.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	lockEverything(t, others, draw)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	shown, err := preview(ctx)
	require.NoError(t, err)
	require.Equal(t, 5, shown.Currencies[0].Lowered)
	require.NoError(t, others.Rollback(t.Context()))

	var under *running
	h.holding(t, func() {
		under = start(func() error { _, err := preview(t.Context()); return err })
		h.stopped(t, 1, under.done) // at its last statement
		require.NoError(t, h.PG.InTx(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `SELECT 1 FROM activity_logs`)
			lockEverything(t, tx, draw)
			return err
		}))
		require.False(t, under.done(), "the preview is under way")
	}, `LOCK TABLE paid_prizes IN ACCESS EXCLUSIVE MODE`)
	under.require(t)
	require.Equal(t, before, h.tables(t), "a preview writes nothing")
}

// A preview of a result that cannot be filed is refused with the errors of filing it.
func TestAPreviewIsRefusedAsTheCorrectionIs(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	h.sell(t, fixture.Line(draw, catalog.BetStraight, "4", "5"))
	r := h.settle(t, draw, catalog.Outcome{Value: "5"})
	for _, dryRun := range []bool{true, false} {
		for outcome, want := range map[string]error{"5": draws.ErrResultUnchanged, "05": draws.ErrInvalidOutcome, "99": draws.ErrInvalidOutcome} {
			_, _, err := h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: outcome}, "read wrongly", dryRun)
			require.ErrorIs(t, err, want, outcome)
		}
		_, _, err := h.Correct(t.Context(), fixture.As(fixture.Typist), draw.ID, catalog.Outcome{Value: "6"}, "read wrongly", dryRun)
		require.ErrorIs(t, err, draws.ErrResultNotFound)
	}
	_, _, err := h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: "6"}, "read wrongly", false)
	require.NoError(t, err)
	_, _, err = h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: "7"}, "read wrongly", true)
	require.ErrorIs(t, err, draws.ErrResultPending)
}

// A preview of a correction is refused where the seal is broken, as its verification is, until two people accept the tickets.
func TestAPreviewRequiresTheSeal(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	ticket := h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5"))
	r := h.settle(t, draw, catalog.Outcome{Value: "5"})
	preview := func() (*draws.Difference, error) {
		_, shown, err := h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: "6"}, "read wrongly", true)
		return shown, err
	}
	entered, _, err := h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: "6"}, "read wrongly", false)
	require.NoError(t, err)
	h.Exec(t, `UPDATE ticket_items SET amount = 600 WHERE ticket_id = $1`, ticket.ID)
	_, err = h.PreviewOf(t.Context(), entered.ID)
	require.ErrorIs(t, err, draws.ErrSealBroken)
	open, _, err := h.Alerts(t.Context(), &draws.AlertFilter{Open: true}, 10, 0)
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.Equal(t, models.AlertSealBroken, open[0].Kind)
	_, _, err = h.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
	require.ErrorIs(t, err, draws.ErrSealBroken, "as the verification is")
	_, err = h.Reject(t.Context(), fixture.As(fixture.Verifier), entered.ID, "look at the tickets first")
	require.NoError(t, err)
	_, err = preview()
	require.ErrorIs(t, err, draws.ErrSealBroken)

	for _, person := range []uuid.UUID{fixture.Typist, fixture.Verifier} {
		_, err = h.AcceptSeal(t.Context(), fixture.As(person), draw.ID, "it is what was printed")
		require.NoError(t, err)
	}
	shown, err := preview()
	require.NoError(t, err)
	require.Equal(t, 1, shown.Currencies[0].Lowered)
}

// A preview of a draw with a broken seal files an alert once: it neither counts up nor reopens one that is
// acknowledged. The verification does.
func TestAPreviewLeavesAnAcknowledgedAlert(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	ticket := h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5"))
	r := h.settle(t, draw, catalog.Outcome{Value: "5"})
	entered, _, err := h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: "6"}, "read wrongly", false)
	require.NoError(t, err)
	h.Exec(t, `UPDATE ticket_items SET amount = 600 WHERE ticket_id = $1`, ticket.ID)
	_, err = h.PreviewOf(t.Context(), entered.ID)
	require.ErrorIs(t, err, draws.ErrSealBroken)
	open, _, err := h.Alerts(t.Context(), &draws.AlertFilter{Open: true}, 10, 0)
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.NoError(t, h.Acknowledge(t.Context(), fixture.As(fixture.Verifier), open[0].ID))

	before := h.tables(t)
	_, err = h.PreviewOf(t.Context(), entered.ID)
	require.ErrorIs(t, err, draws.ErrSealBroken)
	_, _, err = h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: "7"}, "read wrongly", true)
	require.Error(t, err)
	open, _, err = h.Alerts(t.Context(), &draws.AlertFilter{Open: true}, 10, 0)
	require.NoError(t, err)
	require.Empty(t, open, "a view does not reopen it")
	require.EqualValues(t, 1, h.Number(t, `SELECT count FROM draw_alerts WHERE draw_id = $1`, draw.ID))
	require.Equal(t, before, h.tables(t), "a preview writes nothing")

	_, _, err = h.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
	require.ErrorIs(t, err, draws.ErrSealBroken)
	require.EqualValues(t, 2, h.Number(t, `SELECT count FROM draw_alerts WHERE draw_id = $1`, draw.ID))
}

// A preview counts the lines of the draw, also where their tickets wait for other draws, and none of other draws: its sums are the sums of the
// draw's sales before and after.
func TestAPreviewCountsTheLinesOfTheDraw(t *testing.T) {
	t.Parallel()
	h := setup(t)
	all := h.OpenDraws(t, "lotto-activo")
	draw, earlier, open := all[1], all[0], all[2]
	line := func(d *catalog.Draw, amount, selection string) sales.Item {
		return fixture.Line(d, catalog.BetStraight, amount, selection)
	}
	h.sell(t, line(draw, "4", "5"), line(earlier, "9", "1")) // loses 120, keeps what it won on the earlier draw
	h.sell(t, line(draw, "2", "5"), line(open, "1", "1"))    // loses 60, waits
	h.sell(t, line(draw, "3", "6"), line(open, "1", "1"))    // wins 90, waits
	h.sell(t, line(draw, "1", "6"))                          // wins 30
	h.settle(t, earlier, catalog.Outcome{Value: "1"})
	r := h.settle(t, draw, catalog.Outcome{Value: "5"})
	sold := func() draws.Sold {
		list, err := h.SoldOn(t.Context(), draw.ID)
		require.NoError(t, err)
		require.Len(t, list, 1)
		return list[0]
	}
	before := sold()
	_, shown, err := h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: "6"}, "read wrongly", true)
	require.NoError(t, err)
	require.Len(t, shown.Currencies, 1)
	c := shown.Currencies[0]
	require.Equal(t, draws.Change{
		Lowered: 2, Raised: 2, WinnersBefore: 2, WinnersAfter: 2, Before: 180_00, After: 120_00, UndecidedTickets: 1, Undecided: 90_00,
	}, c.Change)
	require.Equal(t, []draws.PointDifference{{EntityID: fixture.EntityID(seed.CodeTicketPoint), Change: c.Change}}, c.Points)
	require.Equal(t, [2]any{c.WinnersBefore, c.Before}, [2]any{before.Winners, before.Prizes})

	entered, _, err := h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: "6"}, "read wrongly", false)
	require.NoError(t, err)
	_, done, err := h.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
	require.NoError(t, err)
	require.Equal(t, shown.Currencies, done.Currencies)
	after := sold()
	require.Equal(t, [2]any{c.WinnersAfter, c.After}, [2]any{after.Winners, after.Prizes})
}
