package draws_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/models"
)

// Two people accept tickets that do not fit their seal; then the draw is settled by what there is.
func TestASecondPersonAcceptsABrokenSeal(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	ticket := h.sell(t, fixture.Line(draw, catalog.BetStraight, "5", "5"))
	h.result(t, draw, catalog.Outcome{Value: "6"})
	_, err := h.AcceptSeal(t.Context(), fixture.As(fixture.Typist), draw.ID, "looked at it")
	require.ErrorIs(t, err, draws.ErrSealHolds)
	h.Exec(t, `UPDATE ticket_items SET selection = '6' WHERE ticket_id = $1`, ticket.ID)
	_, err = h.Settle(t.Context(), draw.ID)
	require.ErrorIs(t, err, draws.ErrSealBroken)
	before := h.tables(t)
	_, err = h.AcceptSeal(t.Context(), fixture.As(fixture.Typist), draw.ID, " ")
	require.ErrorIs(t, err, draws.ErrReasonMissing)
	require.Equal(t, before, h.tables(t))

	proposed, err := h.AcceptSeal(t.Context(), fixture.As(fixture.Typist), draw.ID, "restored from the backup")
	require.NoError(t, err)
	require.True(t, proposed.AcceptedAt.IsZero())
	require.Equal(t, [2]int{1, 1}, [2]int{proposed.Sealed, proposed.Tickets})
	_, err = h.AcceptSeal(t.Context(), fixture.As(fixture.Typist), draw.ID, "restored from the backup")
	require.ErrorIs(t, err, draws.ErrSamePerson)
	_, err = h.Settle(t.Context(), draw.ID)
	require.ErrorIs(t, err, draws.ErrSealBroken, "one person decides nothing")

	h.Exec(t, `UPDATE ticket_items SET amount = 600 WHERE ticket_id = $1`, ticket.ID)
	again, err := h.AcceptSeal(t.Context(), fixture.As(fixture.Verifier), draw.ID, "looks right")
	require.NoError(t, err)
	require.True(t, again.AcceptedAt.IsZero(), "other tickets than those that were proposed")
	require.NotEqual(t, proposed.Seal, again.Seal)
	h.Exec(t, `UPDATE ticket_items SET amount = 500 WHERE ticket_id = $1`, ticket.ID)
	_, err = h.AcceptSeal(t.Context(), fixture.As(fixture.Verifier), draw.ID, "it is what was printed")
	require.NoError(t, err)
	h.Exec(t, `DELETE FROM outbox`)
	accepted, err := h.AcceptSeal(t.Context(), fixture.As(fixture.Typist), draw.ID, "so it is")
	require.NoError(t, err)
	require.Equal(t, fixture.Typist, accepted.AcceptedBy)
	require.EqualValues(t, 1, h.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'draw.settle'`))
	require.EqualValues(t, 3, h.Number(t, `SELECT count(*) FROM activity_logs WHERE action = 'propose_seal'`))
	require.EqualValues(t, 1, h.Number(t, `SELECT count(*) FROM activity_logs WHERE action = 'accept_seal' AND details ->> 'broken' = $1`, proposed.Broken))
	open, _, err := h.Alerts(t.Context(), &draws.AlertFilter{Open: true}, 10, 0)
	require.NoError(t, err)
	require.Empty(t, open)
	_, err = h.Settle(t.Context(), draw.ID)
	require.NoError(t, err)
	require.Equal(t, "won 15000", h.state(t, ticket))
	_, err = h.AcceptSeal(t.Context(), fixture.As(fixture.Verifier), draw.ID, "again")
	require.ErrorIs(t, err, draws.ErrSealHolds)
	require.Equal(t, models.DrawSettled, h.Text(t, `SELECT status FROM draws WHERE id = $1`, draw.ID))
	h.requireSound(t)
}
