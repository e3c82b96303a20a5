package draws_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/models"
	"banca/storage"
)

// stopped waits until so many transactions of this test's database wait for a lock, or done reports that one of them
// never will.
func (h *world) stopped(t testing.TB, waiting int, done func() bool) {
	t.Helper()
	require.Eventually(t, func() bool { return done() || h.Env.WaitingForLocks(t) >= waiting }, testkit.WaitTimeout, 5*time.Millisecond)
}

// holding runs fn while a transaction holds what sql locks.
func (h *world) holding(t testing.TB, fn func(), sql string, args ...any) {
	t.Helper()
	tx, err := h.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
	_, err = tx.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
	fn()
}

// running is a function that runs beside a test.
type running struct {
	sync.WaitGroup
	over chan struct{}
	err  error
}

func start(fn func() error) *running {
	r := &running{over: make(chan struct{})}
	r.Go(func() { defer close(r.over); r.err = fn() })
	return r
}

func (r *running) done() bool {
	select {
	case <-r.over:
		return true
	default:
		return false
	}
}

func (r *running) require(t testing.TB) {
	t.Helper()
	r.Wait()
	require.NoError(t, r.err)
}

func never() bool { return false }

// Two draws that share a ticket are settled concurrently: the later one decides it. Neither could see the other's
// settlement before its commit, so that without an order between them both left the ticket to the other.
func TestTwoSettlementsAtOnceDecideTheirCommonTicket(t *testing.T) {
	t.Parallel()
	h := setup(t)
	one, two := h.OpenDraws(t, "lotto-activo")[0], h.OpenDraws(t, "lotto-activo")[1]
	stays := h.sell(t, fixture.Line(one, catalog.BetStraight, "5", "5"))
	common := h.sell(t, fixture.Line(one, catalog.BetStraight, "5", "5"), fixture.Line(two, catalog.BetStraight, "5", "6"))
	h.result(t, one, catalog.Outcome{Value: "5"})
	h.result(t, two, catalog.Outcome{Value: "6"})
	var first, second *running
	h.holding(t, func() {
		first = start(func() error { _, err := h.Settle(t.Context(), one.ID); return err })
		h.stopped(t, 1, never)
		second = start(func() error { _, err := h.Settle(t.Context(), two.ID); return err })
		h.stopped(t, 2, second.done)
	}, `SELECT 1 FROM tickets WHERE id = $1 FOR UPDATE`, stays.ID)
	first.require(t)
	second.require(t)
	require.Equal(t, "won 30000", h.state(t, common))
	h.requireSound(t)
}

// A draw is corrected while another one settles their common ticket: the ticket has the prize of both results as they are.
func TestACorrectionWhileAnotherDrawSettles(t *testing.T) {
	t.Parallel()
	h := setup(t)
	one, two := h.OpenDraws(t, "lotto-activo")[0], h.OpenDraws(t, "lotto-activo")[1]
	stays := h.sell(t, fixture.Line(two, catalog.BetStraight, "5", "5"))
	common := h.sell(t, fixture.Line(one, catalog.BetStraight, "5", "5"), fixture.Line(two, catalog.BetStraight, "5", "6"))
	r := h.settle(t, one, catalog.Outcome{Value: "5"})
	h.result(t, two, catalog.Outcome{Value: "6"})
	entered, _, err := h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: "7"}, "read wrongly", false)
	require.NoError(t, err)
	var settling, correcting *running
	h.holding(t, func() {
		settling = start(func() error { _, err := h.Settle(t.Context(), two.ID); return err })
		h.stopped(t, 1, never)
		correcting = start(func() error {
			_, _, err := h.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
			return err
		})
		h.stopped(t, 2, correcting.done)
	}, `SELECT 1 FROM tickets WHERE id = $1 FOR UPDATE`, stays.ID)
	settling.require(t)
	correcting.require(t)
	require.Equal(t, "won 15000", h.state(t, common))
	h.requireSound(t)
}

// A derivation that began before its base was corrected does not bring the old value back.
func TestAStaleDerivationInsertsNoResult(t *testing.T) {
	t.Parallel()
	h := setup(t)
	triple, terminal := h.OpenDraws(t, "trio-activo")[0], h.OpenDraws(t, "terminal-activo")[0]
	base := h.settle(t, triple, catalog.Outcome{Value: "705"})
	require.NoError(t, h.Derive(t.Context(), base.ID))
	entered, _, err := h.Correct(t.Context(), fixture.As(fixture.Typist), base.ID, catalog.Outcome{Value: "706"}, "read wrongly", false)
	require.NoError(t, err)
	h.Exec(t, `UPDATE results SET status = 'superseded', closed_at = now() WHERE draw_id = $1`, terminal.ID) // it has none yet, again
	h.Exec(t, `UPDATE draws SET status = 'closed', result_id = NULL WHERE id = $1`, terminal.ID)
	var late *running
	h.holding(t, func() {
		late = start(func() error { return h.Derive(t.Context(), base.ID) })
		h.stopped(t, 1, never)
		_, _, err = h.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
		require.NoError(t, err)
	}, `SELECT pg_advisory_xact_lock($1)`, storage.DrawLock(terminal.ID))
	late.require(t)
	require.NoError(t, h.Derive(t.Context(), entered.ID))
	require.Equal(t, "06", h.Text(t, `SELECT value FROM results WHERE draw_id = $1 AND status = 'verified'`, terminal.ID))
	require.Zero(t, h.Number(t, `SELECT count(*) FROM results WHERE draw_id = $1 AND version > 1 AND value = '05'`, terminal.ID))
	h.requireSound(t)
}

// A paid ticket whose window a correction opened again has its prize again when the window is won again.
func TestAPaidWindowThatOpensAndIsWonAgain(t *testing.T) {
	t.Parallel()
	h := setup(t)
	list := h.OpenDraws(t, "loto-chaima")
	ticket := h.sell(t, fixture.Line(list[0], catalog.BetTripleta, "5", "1", "2", "3"))
	h.settle(t, list[0], catalog.Outcome{Value: "1"})
	second := h.settle(t, list[1], catalog.Outcome{Value: "2"})
	h.settle(t, list[2], catalog.Outcome{Value: "3"})
	won := h.state(t, ticket)
	require.Contains(t, won, "won ")
	h.pay(t, ticket.ID)
	h.correct(t, second, catalog.Outcome{Value: "9"})
	require.Equal(t, "paid 0", h.state(t, ticket))
	require.EqualValues(t, 1, h.Number(t, `SELECT count(*) FROM prize_differences WHERE status = 'open' AND due = 0`))
	h.settle(t, list[3], catalog.Outcome{Value: "2"})
	require.Equal(t, "paid "+won[len("won "):], h.state(t, ticket))
	require.Zero(t, h.Number(t, `SELECT count(*) FROM prize_differences WHERE status = 'open'`), "it was paid what it is worth")
	h.requireSound(t)
}

// correct corrects a verified result.
func (h *world) correct(t testing.TB, r *draws.Result, outcome catalog.Outcome) *draws.Result {
	t.Helper()
	entered, _, err := h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, outcome, "read wrongly", false)
	require.NoError(t, err)
	verified, _, err := h.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
	require.NoError(t, err)
	return verified
}

// A result that is not settled decides no window: it may be corrected before, and nothing would take the prize back.
func TestAResultThatIsNotSettledDecidesNoWindow(t *testing.T) {
	t.Parallel()
	h := setup(t)
	list := h.OpenDraws(t, "loto-chaima")
	ticket := h.sell(t, fixture.Line(list[0], catalog.BetTripleta, "5", "1", "2", "3"))
	h.settle(t, list[0], catalog.Outcome{Value: "1"})
	second := h.result(t, list[1], catalog.Outcome{Value: "2"})
	h.settle(t, list[2], catalog.Outcome{Value: "3"})
	require.Equal(t, "pending 0", h.state(t, ticket))
	h.correct(t, second, catalog.Outcome{Value: "9"})
	_, err := h.Settle(t.Context(), list[1].ID)
	require.NoError(t, err)
	require.Equal(t, "pending 0", h.state(t, ticket), "2 was never drawn")
	h.settle(t, list[3], catalog.Outcome{Value: "2"})
	require.Contains(t, h.state(t, ticket), "won ")
	h.requireSound(t)
}

// A ticket that was inserted after the settlement does not win by a correction.
func TestACorrectionVerifiesTheSeal(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	sold := h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5"))
	r := h.settle(t, draw, catalog.Outcome{Value: "5"})
	entered, _, err := h.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: "6"}, "read wrongly", false)
	require.NoError(t, err)
	h.Exec(t, `UPDATE ticket_items SET selection = '6' WHERE ticket_id = $1`, sold.ID)
	before := h.tables(t)
	_, _, err = h.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
	require.ErrorIs(t, err, draws.ErrSealBroken)
	require.Equal(t, before, h.tables(t))
	require.EqualValues(t, 1, h.Number(t, `SELECT count(*) FROM draw_alerts WHERE draw_id = $1 AND kind = $2`, draw.ID, models.AlertSealBroken))
	_, err = h.PreviewOf(t.Context(), entered.ID)
	require.ErrorIs(t, err, draws.ErrSealBroken, "the preview shows no difference that the verification refuses")
	_, err = h.Reject(t.Context(), fixture.As(fixture.Verifier), entered.ID, "the tickets are not those that were sold")
	require.NoError(t, err)
}
