package volume_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/setup/volume"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// A volume is a history as the platform would have written it: every invariant of books, tickets, results, prizes and totals holds.
func TestAVolumeIsSound(t *testing.T) {
	t.Parallel()
	o := fixture.New(t, fixture.Rows{}.Template())
	options := volume.Options{Root: fixture.RootID, Now: o.Clock.Now(), Zone: fixture.Caracas, Days: 9, Points: 12, Lines: 9_000, Progress: &bytes.Buffer{}}
	require.NoError(t, volume.Run(t.Context(), o.PG, options))
	require.ErrorIs(t, volume.Run(t.Context(), o.PG, options), volume.ErrExists)

	sound(t, o)

	require.InDelta(t, 9_000, o.Number(t, `SELECT count(*) FROM ticket_lines`), 900)
	for _, status := range []string{models.TicketCancelled, models.TicketLost, models.TicketWon, models.TicketPaid} {
		require.Positive(t, o.Number(t, `SELECT count(*) FROM tickets WHERE status = $1`, status), status)
	}
	require.Positive(t, o.Number(t, `SELECT count(*) FROM tickets WHERE expired_at IS NOT NULL`))
	require.Positive(t, o.Number(t, `SELECT count(*) FROM transactions WHERE type = 'deposit'`))
	require.Zero(t, o.Number(t, `SELECT count(*) FROM daily_totals WHERE sold < 0`))
}
