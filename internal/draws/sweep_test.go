package draws_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/models"
)

// kinds sweeps and lists what tasks that asked for.
func (h *world) kinds(t testing.TB) string {
	t.Helper()
	h.Exec(t, `DELETE FROM outbox`)
	_, err := h.Sweep(t.Context())
	require.NoError(t, err)
	return h.Text(t, `SELECT coalesce(string_agg(kind, ' ' ORDER BY kind), '') FROM outbox WHERE kind NOT IN ('draw.close_external', 'result.poll')`)
}

// A draw whose seal is broken is not retried until an operator has acknowledged the alert, and then once.
func TestABrokenSealIsNotSettledBeforeItsAcknowledgement(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	ticket := h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5"))
	h.result(t, draw, catalog.Outcome{Value: "5"})
	h.Exec(t, `UPDATE ticket_items SET selection = '6' WHERE ticket_id = $1`, ticket.ID)
	h.Clock.Advance(11 * time.Minute)
	require.Equal(t, "draw.settle", h.kinds(t))
	_, err := h.Settle(t.Context(), draw.ID)
	require.ErrorIs(t, err, draws.ErrSealBroken)
	require.Empty(t, h.kinds(t))
	alerts, _, err := h.Alerts(t.Context(), &draws.AlertFilter{Open: true}, 10, 0)
	require.NoError(t, err)
	require.Equal(t, models.AlertSealBroken, alerts[0].Kind)
	h.Exec(t, `UPDATE ticket_items SET selection = '5' WHERE ticket_id = $1`, ticket.ID)
	require.NoError(t, h.Acknowledge(t.Context(), fixture.As(fixture.Verifier), alerts[0].ID))
	require.Equal(t, "draw.settle", h.kinds(t))
	_, err = h.Settle(t.Context(), draw.ID)
	require.NoError(t, err)
	require.Equal(t, "won 15000", h.state(t, ticket))
	h.requireSound(t)
}

// A derivation whose task was lost is made up for, and a draw whose base never has a result is not forgotten in silence.
func TestDerivationsAreNotForgotten(t *testing.T) {
	t.Parallel()
	h := setup(t)
	triples, terminals := h.OpenDraws(t, "trio-activo"), h.OpenDraws(t, "terminal-activo")
	h.settle(t, triples[0], catalog.Outcome{Value: "705"})
	h.hold(t, terminals[0])
	require.Empty(t, h.kinds(t), "its task is on the way")
	h.Clock.Advance(11 * time.Minute)
	require.Equal(t, "result.derive", h.kinds(t))
	require.NoError(t, h.Derive(t.Context(), h.resultOf(t, triples[0])))
	_, err := h.Settle(t.Context(), terminals[0].ID)
	require.NoError(t, err)
	require.Empty(t, h.kinds(t))

	h.hold(t, terminals[1])
	for range 2 * len(draws.DefaultPollDelays()) {
		h.Clock.Advance(3 * time.Hour)
		require.NoError(t, h.Poll(t.Context(), terminals[1].ID))
	}
	require.EqualValues(t, 1, h.Number(t, `SELECT count(*) FROM draw_alerts WHERE draw_id = $1 AND kind = $2`, terminals[1].ID, models.AlertNoResult))
	h.requireSound(t)
}

// resultOf is the verified result of a draw.
func (h *world) resultOf(t testing.TB, draw *catalog.Draw) (id uuid.UUID) {
	t.Helper()
	require.NoError(t, h.PG.Pool.QueryRow(t.Context(), `SELECT result_id FROM draws WHERE id = $1`, draw.ID).Scan(&id))
	return id
}

// A game without sources whose result is late is an alert, once; so is a result that awaits its verification.
func TestALateResultIsAnAlertWithoutSources(t *testing.T) {
	t.Parallel()
	h := setup(t)
	list := h.OpenDraws(t, "lotto-activo")[:3]
	alerts := func(d *catalog.Draw) string {
		return h.Text(t, `SELECT coalesce(string_agg(detail || ' ' || count, ','), '') FROM draw_alerts WHERE draw_id = $1 AND kind = 'no_result'`, d.ID)
	}
	for _, d := range list {
		h.hold(t, d)
	}
	h.Exec(t, `UPDATE draws SET poll_next_at = NULL, draw_time = $1 WHERE status = 'closed'`, h.Clock.Now()) // nothing is asked
	typed, err := h.Enter(t.Context(), fixture.As(fixture.Typist), list[1].ID, catalog.Outcome{Value: "5"})
	require.NoError(t, err)
	h.result(t, list[2], catalog.Outcome{Value: "5"})
	h.Clock.Advance(29 * time.Minute)
	sweep := func() {
		_, err := h.Sweep(t.Context())
		require.NoError(t, err)
	}
	sweep()
	require.Empty(t, alerts(list[0]))
	h.Clock.Advance(2 * time.Minute)
	for range 2 {
		sweep()
	}
	require.Equal(t, "no result 30 minutes after the draw 1", alerts(list[0]))
	require.Equal(t, "a result awaits its verification 30 minutes after the draw 1", alerts(list[1]))
	require.Empty(t, alerts(list[2]))
	_, _, err = h.Verify(t.Context(), fixture.As(fixture.Verifier), typed.ID, nil)
	require.NoError(t, err)
}
