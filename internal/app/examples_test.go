package app

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/internal/setup/seed"
)

// A run of seedExamples that was interrupted after the sale is continued, and a further run changes nothing.
func TestExampleSeedIsContinued(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	cfg := settings(env)
	cfg.Business.MaxTicketLines = 10
	a, err := Open(t.Context(), cfg, config.Mode(RoleAPI), env.Log)
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	require.NoError(t, a.Seed(t.Context()))
	require.NoError(t, seed.Examples(t.Context(), env.PG, a.seedOptions(), a.clock.Now()))
	draw, err := a.services.draws.Show(t.Context(), uuid.MustParse(seed.ExampleSettledDraw))
	require.NoError(t, err)
	s, err := newServices(a.stores, cfg, a.mode, clock.NewFake(draw.SaleStopAt.Add(-time.Minute)), env.Log)
	require.NoError(t, err)
	require.NoError(t, s.sellExample(t.Context(), uuid.MustParse(seed.RootEntityID)))

	for range 2 {
		require.NoError(t, a.SeedExamples(t.Context()))
		var tickets int
		var status, closed string
		require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM tickets), (SELECT status FROM tickets WHERE id = $1),
			(SELECT status FROM draws WHERE id = $2)`, seed.ExampleTicket, seed.ExampleClosedDraw).Scan(&tickets, &status, &closed))
		assert.Equal(t, 1, tickets)
		assert.Equal(t, "won", status)
		assert.Equal(t, "closed", closed)
	}
}
