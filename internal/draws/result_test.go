package draws_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/platform/apperr"
	"banca/internal/platform/realtime"
	"banca/models"
)

// tables are the rows a refused request must not change, as one text.
func (h *world) tables(t testing.TB) string {
	t.Helper()
	return h.Text(t, `SELECT md5(coalesce((SELECT string_agg(d::text, '|' ORDER BY id) FROM draws d), '') || coalesce((SELECT string_agg(r::text, '|' ORDER BY id) FROM results r), '')
		|| coalesce((SELECT string_agg(x::text, '|' ORDER BY id) FROM tickets x), '') || (SELECT count(*) FROM outbox) || (SELECT count(*) FROM activity_logs)
		|| coalesce((SELECT string_agg(w::text, '|' ORDER BY ticket_id, line_no, result_id) FROM winning_lines w), ''))`)
}

// Everything that a result can be refused for, by name, and none of it changes anything.
func TestResultsAreRefusedByName(t *testing.T) {
	t.Parallel()
	h := setup(t)
	animal, number := h.OpenDraws(t, "lotto-activo")[0], h.OpenDraws(t, "triple-zulia")[0]
	flags := h.OpenDraws(t, "mega-animal-40")[0]
	h.sell(t, fixture.Line(animal, catalog.BetStraight, "5", "5"))
	refused := func(want error, location string, draw uuid.UUID, o catalog.Outcome) {
		t.Helper()
		before := h.tables(t)
		_, err := h.Enter(t.Context(), fixture.As(fixture.Typist), draw, o)
		require.ErrorIs(t, err, want)
		if location != "" {
			require.Equal(t, location, apperr.From(err).Details[0].Location)
		}
		require.Equal(t, before, h.tables(t), "a refused result changes nothing")
	}
	refused(draws.ErrDrawNotFound, "", uuid.New(), catalog.Outcome{Value: "5"})
	refused(draws.ErrNotClosed, "", animal.ID, catalog.Outcome{Value: "5"})
	h.Clock.Advance(animal.SaleStopAt.Sub(h.Clock.Now()))
	_, err := h.CloseDue(t.Context())
	require.NoError(t, err)
	refused(draws.ErrNotHeld, "", animal.ID, catalog.Outcome{Value: "5"})
	h.hold(t, number)
	for _, wrong := range []catalog.Outcome{{}, {Value: "05"}, {Value: "000"}, {Value: "38"}, {Value: "-1"}, {Value: "5 "}, {Value: "five"}} {
		refused(draws.ErrInvalidOutcome, "value", animal.ID, wrong)
	}
	refused(draws.ErrInvalidOutcome, "sign", animal.ID, catalog.Outcome{Value: "5", Sign: "LEO"})
	refused(draws.ErrInvalidOutcome, "flags[0]", animal.ID, catalog.Outcome{Value: "5", Flags: []string{"MEGA"}})
	refused(draws.ErrInvalidOutcome, "flags[1]", flags.ID, catalog.Outcome{Value: "5", Flags: []string{"MEGA", "OTHER"}})
	refused(draws.ErrInvalidOutcome, "wildcard", flags.ID, catalog.Outcome{Value: "5", Wildcard: "C2"})
	for _, wrong := range []string{"", "12", "1234", "12a", "١٢٣"} {
		refused(draws.ErrInvalidOutcome, "value", number.ID, catalog.Outcome{Value: wrong, Sign: "LEO"})
	}
	refused(draws.ErrInvalidOutcome, "sign", number.ID, catalog.Outcome{Value: "123"})
	refused(draws.ErrInvalidOutcome, "sign", number.ID, catalog.Outcome{Value: "123", Sign: "LEON"})

	zero, doubleZero := h.OpenDraws(t, "lotto-activo")[0], animal
	h.settle(t, doubleZero, catalog.Outcome{Value: "00"})
	refused(draws.ErrResultExists, "", doubleZero.ID, catalog.Outcome{Value: "0"})
	require.Equal(t, "0", h.result(t, zero, catalog.Outcome{Value: "0"}).Outcome.Value)
	require.NoError(t, h.Suspend(t.Context(), fixture.As(fixture.Typist), h.OpenDraws(t, "lotto-activo")[0].ID, "the machine broke"))
}

// A typed result counts once a second person has verified it by typing the value again.
func TestASecondPersonVerifies(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	won := h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5"))
	h.hold(t, draw)
	entered, err := h.Enter(t.Context(), fixture.As(fixture.Typist), draw.ID, catalog.Outcome{Value: "5"})
	require.NoError(t, err)
	require.Equal(t, models.ResultProposed, entered.Status)
	_, err = h.Enter(t.Context(), fixture.As(fixture.Verifier), draw.ID, catalog.Outcome{Value: "6"})
	require.ErrorIs(t, err, draws.ErrResultPending)
	_, err = h.Settle(t.Context(), draw.ID)
	require.ErrorContains(t, err, "RESULT_NOT_VERIFIED")
	before := h.tables(t)
	_, _, err = h.Verify(t.Context(), fixture.As(fixture.Typist), entered.ID, nil)
	require.ErrorIs(t, err, draws.ErrSamePerson)
	_, _, err = h.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, &catalog.Outcome{Value: "05"})
	require.ErrorIs(t, err, draws.ErrResultMismatch)
	_, _, err = h.Verify(t.Context(), fixture.As(fixture.Verifier), uuid.New(), nil)
	require.ErrorIs(t, err, draws.ErrResultNotFound)
	require.Equal(t, before, h.tables(t))

	_, err = h.Reject(t.Context(), fixture.As(fixture.Verifier), entered.ID, "  ")
	require.ErrorIs(t, err, draws.ErrReasonMissing)
	rejected, err := h.Reject(t.Context(), fixture.As(fixture.Verifier), entered.ID, "read from the wrong page")
	require.NoError(t, err)
	require.Equal(t, models.ResultRejected, rejected.Status)
	_, _, err = h.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
	require.ErrorIs(t, err, draws.ErrResultClosed)

	again, err := h.Enter(t.Context(), fixture.As(fixture.Verifier), draw.ID, catalog.Outcome{Value: "5"})
	require.NoError(t, err)
	require.Equal(t, 2, again.Version)
	require.Zero(t, h.news.named(realtime.ResultPublished))
	verified, difference, err := h.Verify(t.Context(), fixture.As(fixture.Typist), again.ID, &catalog.Outcome{Value: "5"})
	require.NoError(t, err)
	require.Nil(t, difference)
	require.Equal(t, models.ResultVerified, verified.Status)
	require.Equal(t, 1, h.news.named(realtime.ResultPublished))
	require.EqualValues(t, 1, h.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'draw.settle'`))
	require.Equal(t, "pending 0", h.state(t, won))
	settled, err := h.Settle(t.Context(), draw.ID)
	require.NoError(t, err)
	require.Equal(t, draws.Settlement{Won: 1}, *settled)
	require.Equal(t, "won 15000", h.state(t, won))
	require.Equal(t, 1, h.news.named(realtime.TicketUpdated))
	require.EqualValues(t, 3, h.Number(t, `SELECT count(*) FROM activity_logs WHERE module = 'results' AND target = $1 OR action = 'reject'`, again.ID.String()))
	h.requireSound(t)
}

// Twenty people type, twenty verify, twenty settle at once: one of each counts.
func TestResultsAtOnce(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	won := h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5"))
	h.hold(t, draw)
	at := func(fn func() error) (done int64) {
		var all sync.WaitGroup
		var ok atomic.Int64
		for range 20 {
			all.Go(func() {
				if fn() == nil {
					ok.Add(1)
				}
			})
		}
		all.Wait()
		return ok.Load()
	}
	require.EqualValues(t, 1, at(func() error {
		_, err := h.Enter(t.Context(), fixture.As(fixture.Typist), draw.ID, catalog.Outcome{Value: "5"})
		return err
	}))
	list, total, err := h.Results(t.Context(), fixture.As(fixture.Typist), &draws.ResultFilter{DrawID: draw.ID, Limit: 10})
	require.NoError(t, err)
	require.EqualValues(t, 1, total)
	require.EqualValues(t, 1, at(func() error {
		_, _, err := h.Verify(t.Context(), fixture.As(fixture.Verifier), list[0].ID, nil)
		return err
	}))
	require.EqualValues(t, 20, at(func() error { _, err := h.Settle(t.Context(), draw.ID); return err }), "a repeat is no error")
	require.Equal(t, "won 15000", h.state(t, won))
	require.EqualValues(t, 1, h.Number(t, `SELECT count(*) FROM winning_lines`))
	h.requireSound(t)
}

// The correction of a settled draw: the same value is refused, the difference is shown, its author cannot verify it,
// the old winner is annulled, the new one wins, and an amount paid already becomes a receivable.
func TestACorrectionAnnulsEarlierWinners(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	paid, old, fresh := h.sell(t, fixture.Line(draw, catalog.BetStraight, "4", "5")), h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5")), h.sell(t, fixture.Line(draw, catalog.BetStraight, "7", "6"))
	first := h.settle(t, draw, catalog.Outcome{Value: "5"})
	h.pay(t, paid.ID)
	before := h.tables(t)
	_, _, err := h.Correct(t.Context(), fixture.As(fixture.Typist), first.ID, catalog.Outcome{Value: "5"}, "again", false)
	require.ErrorIs(t, err, draws.ErrResultUnchanged)
	_, _, err = h.Correct(t.Context(), fixture.As(fixture.Typist), first.ID, catalog.Outcome{Value: "05"}, "again", false)
	require.ErrorIs(t, err, draws.ErrInvalidOutcome)
	_, _, err = h.Correct(t.Context(), fixture.As(fixture.Typist), first.ID, catalog.Outcome{Value: "6"}, "", false)
	require.ErrorIs(t, err, draws.ErrReasonMissing)
	r, shown, err := h.Correct(t.Context(), fixture.As(fixture.Typist), first.ID, catalog.Outcome{Value: "6"}, "read wrongly", true)
	require.NoError(t, err)
	require.Nil(t, r)
	require.Equal(t, before, h.tables(t), "a dry run changes nothing")
	require.Len(t, shown.Currencies, 1)
	c := shown.Currencies[0]
	require.Equal(t, [4]int{2, 1, 1, 0}, [4]int{c.Lowered, c.Raised, c.OverpaidTickets, c.UnderpaidTickets})
	require.Equal(t, [4]int64{270_00, 210_00, 120_00, 0}, [4]int64{int64(c.Before), int64(c.After), int64(c.Overpaid), int64(c.Underpaid)})

	r, _, err = h.Correct(t.Context(), fixture.As(fixture.Typist), first.ID, catalog.Outcome{Value: "6"}, "read wrongly", false)
	require.NoError(t, err)
	_, _, err = h.Verify(t.Context(), fixture.As(fixture.Typist), r.ID, nil)
	require.ErrorIs(t, err, draws.ErrSamePerson)
	_, done, err := h.Verify(t.Context(), fixture.As(fixture.Verifier), r.ID, nil)
	require.NoError(t, err)
	require.Equal(t, shown.Currencies, done.Currencies)
	require.Equal(t, []string{"paid 0", "lost 0", "won 21000"}, []string{h.state(t, paid), h.state(t, old), h.state(t, fresh)})
	require.Equal(t, models.ResultSuperseded, h.Text(t, `SELECT status FROM results WHERE id = $1`, first.ID))
	require.EqualValues(t, 2, h.Number(t, `SELECT count(*) FROM winning_lines WHERE annulled_by = $1`, r.ID))
	require.EqualValues(t, 1, h.Number(t, `SELECT count(*) FROM prize_differences WHERE ticket_id = $1 AND status = 'open' AND paid = 12000 AND due = 0`, paid.ID))
	require.EqualValues(t, -60_00, h.Number(t, `SELECT sum(after - before) FROM result_adjustments WHERE result_id = $1`, r.ID))

	back, _, err := h.Correct(t.Context(), fixture.As(fixture.Verifier), r.ID, catalog.Outcome{Value: "5"}, "it was right", false)
	require.NoError(t, err)
	_, _, err = h.Verify(t.Context(), fixture.As(fixture.Typist), back.ID, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"paid 12000", "won 15000", "lost 0"}, []string{h.state(t, paid), h.state(t, old), h.state(t, fresh)})
	require.EqualValues(t, 0, h.Number(t, `SELECT count(*) FROM prize_differences WHERE status = 'open'`), "what came right is no difference any more")
	_, _, err = h.Correct(t.Context(), fixture.As(fixture.Typist), first.ID, catalog.Outcome{Value: "7"}, "stale", false)
	require.ErrorIs(t, err, draws.ErrNoResult, "only the verified one is corrected")
}

// pay marks a ticket as paid, as internal/prizes does; its money is that package's business.
func (h *world) pay(t testing.TB, ticket uuid.UUID) {
	t.Helper()
	h.Exec(t, `INSERT INTO paid_prizes (id, ticket_id, entity_id, wallet_id, currency_id, amount, transaction_id, paid_by, paid_at)
		SELECT gen_random_uuid(), id, entity_id, wallet_id, currency_id, prize, gen_random_uuid(), user_id, now() FROM tickets WHERE id = $1`, ticket)
	h.Exec(t, `UPDATE tickets SET status = 'paid' WHERE id = $1`, ticket)
}

// A terminal follows from the triple of the same instant, and is corrected with it; a typed one is left alone, and an
// alert reports that it differs.
func TestTerminalsAreDerivedFromTriples(t *testing.T) {
	t.Parallel()
	h := setup(t)
	triples, terminals := h.OpenDraws(t, "trio-activo"), h.OpenDraws(t, "terminal-activo")
	require.Equal(t, triples[0].Time, terminals[0].Time)
	ticket := h.sell(t, fixture.Line(terminals[0], catalog.BetTerminal, "5", "05"))
	base := h.settle(t, triples[0], catalog.Outcome{Value: "705"})
	for range 2 { // a repeat does nothing
		require.NoError(t, h.Derive(t.Context(), base.ID))
	}
	_, err := h.Settle(t.Context(), terminals[0].ID)
	require.NoError(t, err)
	require.Equal(t, "won 30000", h.state(t, ticket))
	require.Equal(t, "derived 1", h.Text(t, `SELECT string_agg(origin || ' ' || version, ',') FROM results WHERE draw_id = $1`, terminals[0].ID))

	r, _, err := h.Correct(t.Context(), fixture.As(fixture.Typist), base.ID, catalog.Outcome{Value: "706"}, "read wrongly", false)
	require.NoError(t, err)
	_, _, err = h.Verify(t.Context(), fixture.As(fixture.Verifier), r.ID, nil)
	require.NoError(t, err)
	require.NoError(t, h.Derive(t.Context(), base.ID), "a superseded result is not followed")
	require.Equal(t, "won 30000", h.state(t, ticket))
	require.NoError(t, h.Derive(t.Context(), r.ID))
	require.Equal(t, "lost 0", h.state(t, ticket))

	other := h.result(t, terminals[1], catalog.Outcome{Value: "99"})
	second := h.result(t, triples[1], catalog.Outcome{Value: "123"})
	require.NoError(t, h.Derive(t.Context(), second.ID))
	require.Equal(t, "99", h.Text(t, `SELECT value FROM results r JOIN draws d ON d.result_id = r.id WHERE d.id = $1 AND r.id = $2`, terminals[1].ID, other.ID))
	require.EqualValues(t, 1, h.Number(t, `SELECT count(*) FROM draw_alerts WHERE draw_id = $1 AND kind = 'differs'`, terminals[1].ID))
	h.Exec(t, `UPDATE draws SET status = 'open', closed_at = NULL, seal = NULL, sale_stop_at = draw_time WHERE id = $1`, terminals[2].ID)
	third := h.result(t, triples[2], catalog.Outcome{Value: "123"})
	h.Exec(t, `UPDATE draws SET status = 'open' WHERE id = $1`, terminals[2].ID)
	require.ErrorIs(t, h.Derive(t.Context(), third.ID), draws.ErrNotClosed, "a draw that sells gets no result; the task tries again")
	h.Clock.Advance(time.Hour)
	_, err = h.CloseDue(t.Context())
	require.NoError(t, err)
	require.NoError(t, h.Derive(t.Context(), third.ID))
}
