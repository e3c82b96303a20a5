package volume_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/businessday"
	"banca/internal/setup/volume"
	"banca/models"
)

// The sales of today are as the platform would have written them: those on draws that are over are decided, and the others pending.
func TestTodayIsSound(t *testing.T) {
	t.Parallel()
	o := fixture.New(t, fixture.Rows{DrawDays: 1}.Template())
	options := volume.Options{Root: fixture.RootID, Now: o.Clock.Now(), Zone: fixture.Caracas, Points: 12, Progress: &bytes.Buffer{}}
	w, err := volume.Open(t.Context(), o.PG, options)
	require.NoError(t, err)
	today := businessday.Of(o.Clock.Now(), fixture.Caracas)
	require.NoError(t, w.WriteDay(t.Context(), today.AddDays(-1), 600))
	require.NoError(t, w.WriteToday(t.Context(), 3_000))

	sound(t, o)

	for _, status := range []string{models.TicketPending, models.TicketLost} {
		require.Positive(t, o.Number(t, `SELECT count(*) FROM tickets WHERE status = $1 AND created_at >= $2`, status, today.At(0, 0, fixture.Caracas)), status)
	}
	require.Zero(t, o.Number(t, `SELECT count(*) FROM tickets WHERE greatest(created_at, cancelled_at, settled_at, expired_at) > $1`, options.Now))
	require.Zero(t, o.Number(t, `SELECT count(*) FROM tickets t WHERE status = 'pending' AND NOT EXISTS (
		SELECT 1 FROM ticket_lines l JOIN draws d ON d.id = l.draw_id WHERE l.ticket_id = t.id AND d.status = 'open')`))
	require.Positive(t, o.Number(t, `SELECT count(*) FROM ticket_lines l JOIN draws d ON d.id = l.draw_id WHERE d.status = 'open'`))
}
