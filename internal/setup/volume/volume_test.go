package volume_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/prizes"
	"banca/internal/rollup"
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

	totals := rollup.New(o.PG, fixture.Caracas)
	for folded := 1; folded > 0; {
		var err error
		folded, err = o.Ledger.Fold(t.Context())
		require.NoError(t, err)
	}
	o.CountTotals(t, totals.Advance)

	sales, err := o.NewSales()
	require.NoError(t, err)
	paying := prizes.New(prizes.Deps{PG: o.PG, Org: o.Org, Catalog: o.Catalog, Ledger: o.Ledger, Clock: o.Clock, Zone: fixture.Caracas})
	drawing := draws.New(draws.Deps{PG: o.PG, Catalog: catalog.New(o.PG, o.Clock, catalog.Options{Zone: fixture.Caracas}), Clock: o.Clock, Log: o.Env.Log})
	o.RequireSound(t, sales.Verify, paying.Verify, drawing.Checks, totals.Verify)

	require.InDelta(t, 9_000, o.Number(t, `SELECT count(*) FROM ticket_lines`), 900)
	for _, status := range []string{models.TicketCancelled, models.TicketLost, models.TicketWon, models.TicketPaid} {
		require.Positive(t, o.Number(t, `SELECT count(*) FROM tickets WHERE status = $1`, status), status)
	}
	require.Positive(t, o.Number(t, `SELECT count(*) FROM tickets WHERE expired_at IS NOT NULL`))
	require.Positive(t, o.Number(t, `SELECT count(*) FROM transactions WHERE type = 'deposit'`))
	require.Zero(t, o.Number(t, `SELECT count(*) FROM daily_totals WHERE sold < 0`))
}
