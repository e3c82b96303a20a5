package draws_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/models"
)

// kinds sweeps and lists what tasks that asked for.
func (h *house) kinds(t testing.TB) string {
	t.Helper()
	h.exec(t, `DELETE FROM outbox`)
	_, err := h.Sweep(t.Context())
	require.NoError(t, err)
	return h.text(t, `SELECT coalesce(string_agg(kind, ' ' ORDER BY kind), '') FROM outbox WHERE kind NOT IN ('draw.close_external', 'result.poll')`)
}

// A draw whose seal is broken is not tried again and again: somebody looks at it, and when he has, it is tried once more.
func TestABrokenSealIsLeftAloneUntilSomebodyLooked(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.open(t, "lotto-activo")[0]
	ticket := h.sell(t, line(draw, catalog.BetStraight, "5", "5"))
	h.result(t, draw, catalog.Outcome{Value: "5"})
	h.exec(t, `UPDATE ticket_items SET selection = '6' WHERE ticket_id = $1`, ticket.ID)
	h.clock.Advance(11 * time.Minute)
	require.Equal(t, "draw.settle", h.kinds(t))
	_, err := h.Settle(t.Context(), draw.ID)
	require.ErrorIs(t, err, draws.ErrSealBroken)
	require.Empty(t, h.kinds(t))
	alerts, _, err := h.Alerts(t.Context(), true, 10, 0)
	require.NoError(t, err)
	require.Equal(t, models.AlertSealBroken, alerts[0].Kind)
	h.exec(t, `UPDATE ticket_items SET selection = '5' WHERE ticket_id = $1`, ticket.ID)
	require.NoError(t, h.Acknowledge(t.Context(), verifier, alerts[0].ID))
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
	triples, terminals := h.open(t, "trio-activo"), h.open(t, "terminal-activo")
	h.settle(t, triples[0], catalog.Outcome{Value: "705"})
	h.hold(t, terminals[0])
	require.Empty(t, h.kinds(t), "its task is on the way")
	h.clock.Advance(11 * time.Minute)
	require.Equal(t, "result.derive", h.kinds(t))
	require.NoError(t, h.Derive(t.Context(), h.resultOf(t, triples[0])))
	_, err := h.Settle(t.Context(), terminals[0].ID)
	require.NoError(t, err)
	require.Empty(t, h.kinds(t))

	h.hold(t, terminals[1])
	for range 2 * len(draws.DefaultPollDelays()) {
		h.clock.Advance(3 * time.Hour)
		require.NoError(t, h.Poll(t.Context(), terminals[1].ID))
	}
	require.EqualValues(t, 1, h.number(t, `SELECT count(*) FROM draw_alerts WHERE draw_id = $1 AND kind = $2`, terminals[1].ID, models.AlertNoResult))
	h.requireSound(t)
}

// resultOf is the verified result of a draw.
func (h *house) resultOf(t testing.TB, draw *catalog.Draw) (id uuid.UUID) {
	t.Helper()
	require.NoError(t, h.env.PG.Pool.QueryRow(t.Context(), `SELECT result_id FROM draws WHERE id = $1`, draw.ID).Scan(&id))
	return id
}
