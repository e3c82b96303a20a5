package catalog_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/models"
	"banca/storage"
)

// stops returns the stop of each draw by its date and number.
func (s *shop) stops(t testing.TB) map[string]string {
	t.Helper()
	list := map[string]string{}
	for key, d := range s.model(t) {
		list[key] = d.stop
	}
	return list
}

// setStop changes the game's own stop; nil removes it.
func (s *shop) setStop(t testing.TB, seconds *int) {
	t.Helper()
	_, err := s.UpdateGame(t.Context(), s.game, &catalog.GameChange{SaleStop: &seconds})
	require.NoError(t, err)
}

// unclosed counts the draws on sale without a closing task at their stop.
func (s *shop) unclosed(t testing.TB) int {
	t.Helper()
	var n int
	require.NoError(t, s.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM draws d WHERE status IN ('scheduled', 'open') AND sale_stop_at >= $1 AND NOT EXISTS (
		SELECT 1 FROM outbox WHERE kind = 'draw.close' AND payload->>'draw_id' = d.id::text AND process_at = d.sale_stop_at)`, s.clock.Now()).Scan(&n))
	return n
}

// planned generates the schedule's draws, sells on one of them, and plans 2026-11-25 by hand.
func planned(t testing.TB) *shop {
	t.Helper()
	s := stock(t)
	require.Equal(t, 8, s.generate(t))
	s.sell(t, "2026-11-24", "1")
	for date, specs := range map[int][]catalog.DrawSpec{
		25: {
			{Number: "HAND", Time: day(25).At(20, 0, time.UTC)},
			{Number: "WAITS", Time: day(25).At(20, 0, time.UTC), OpensAt: day(25).At(19, 50, time.UTC)},
			{Number: "EXPLICIT", Time: day(25).At(20, 0, time.UTC), SaleStopAt: day(25).At(18, 0, time.UTC)},
		},
	} {
		_, err := s.SyncDraws(t.Context(), s.game, &catalog.DrawSync{From: day(date), To: day(date), Draws: specs})
		require.NoError(t, err)
	}
	return s
}

// A game's changed stop is the stop of each of its coming draws that has no explicit one: also of draws with tickets, of
// draws planned by hand, and of draws whose new stop has passed, which close at once.
func TestAChangedStopMovesTheStopOfEveryDraw(t *testing.T) {
	t.Parallel()
	s := planned(t)
	now := stamp(s.clock.Now())
	s.setStop(t, new(3*3600))
	require.Equal(t, map[string]string{
		"2026-11-23 2": now, "2026-11-23 3": "2026-11-23T19:00:00Z",
		"2026-11-24 1": "2026-11-24T10:00:00Z", "2026-11-24 2": "2026-11-24T13:00:00Z", "2026-11-24 3": "2026-11-24T19:00:00Z",
		"2026-11-25 HAND": "2026-11-25T17:00:00Z", "2026-11-25 WAITS": "2026-11-25T17:00:00Z", "2026-11-25 EXPLICIT": "2026-11-25T18:00:00Z",
	}, s.stops(t))
	require.Equal(t, "2026-11-25T17:00:00Z", s.model(t)["2026-11-25 WAITS"].opens, "an opening is not after the stop")
	require.Zero(t, s.unclosed(t))

	s.setStop(t, nil)
	require.Equal(t, map[string]string{
		"2026-11-23 2": now, "2026-11-23 3": "2026-11-23T21:55:00Z",
		"2026-11-24 1": "2026-11-24T12:55:00Z", "2026-11-24 2": "2026-11-24T15:55:00Z", "2026-11-24 3": "2026-11-24T21:55:00Z",
		"2026-11-25 HAND": "2026-11-25T19:55:00Z", "2026-11-25 WAITS": "2026-11-25T19:55:00Z", "2026-11-25 EXPLICIT": "2026-11-25T18:00:00Z",
	}, s.stops(t), "a stop that has passed does not move")
	require.Zero(t, s.unclosed(t))
}

// The stop of a game that is not active moves, too: the draws are on sale again once the game is.
func TestAChangedStopOfASuspendedGame(t *testing.T) {
	t.Parallel()
	s := planned(t)
	_, err := s.SetGameStatus(t.Context(), s.game, models.StatusSuspended)
	require.NoError(t, err)
	_, err = s.SyncDraws(t.Context(), s.game, &catalog.DrawSync{From: day(423), To: day(423), Draws: []catalog.DrawSpec{{Number: "FAR", Time: day(423).At(20, 0, time.UTC)}}})
	require.NoError(t, err)
	draws := len(s.model(t))
	s.setStop(t, new(600))
	require.Len(t, s.model(t), draws, "it gets no new draws and loses none")
	require.Equal(t, "2026-11-23T15:50:00Z", s.stops(t)["2026-11-23 2"])
	require.Equal(t, "2026-11-24T12:50:00Z", s.stops(t)["2026-11-24 1"])
	require.Equal(t, "2026-11-25T19:50:00Z", s.stops(t)["2026-11-25 HAND"])
	require.Equal(t, "2027-12-28T19:50:00Z", s.stops(t)["2027-12-28 FAR"])
	require.Zero(t, s.unclosed(t))
}

// A draw whose sales are over keeps its stop, whether or not its closing was recorded.
func TestAChangedStopReopensNoDraw(t *testing.T) {
	t.Parallel()
	s := planned(t)
	s.clock.Advance(time.Date(2026, 11, 23, 15, 55, 0, 0, time.UTC).Sub(s.clock.Now())) // the stop of #2
	s.exec(t, `UPDATE draws SET status = 'closed' WHERE local_date = '2026-11-24' AND draw_number = '2'`)
	s.exec(t, `UPDATE draws SET status = 'suspended' WHERE local_date = '2026-11-24' AND draw_number = '3'`)
	before := s.stops(t)
	s.setStop(t, new(0))
	after := s.stops(t)
	for _, key := range []string{"2026-11-23 2", "2026-11-24 2", "2026-11-24 3"} {
		require.Equal(t, before[key], after[key], key)
	}
	require.Equal(t, "2026-11-23T22:00:00Z", after["2026-11-23 3"])
	require.NotContains(t, s.all(t, catalog.DrawFilter{Status: models.DrawOpen}), "2026-11-23 #2 11-23 16:00 stop 15:55")
}

// A moved stop waits for the sales that are committing, and is not before any of them.
func TestMovingAStopWaitsForCommittingSales(t *testing.T) {
	t.Parallel()
	s := planned(t)
	ctx := t.Context()
	var draw uuid.UUID
	require.NoError(t, s.env.PG.Pool.QueryRow(ctx, `SELECT id FROM draws WHERE draw_number = '2' AND local_date = '2026-11-23'`).Scan(&draw))
	conn, err := s.env.PG.Pool.Acquire(ctx)
	require.NoError(t, err)
	defer conn.Release()
	sale, err := conn.Begin(ctx)
	require.NoError(t, err)
	_, err = sale.Exec(ctx, `SELECT pg_advisory_xact_lock_shared($1)`, storage.DrawLock(draw))
	require.NoError(t, err)
	moved := make(chan error, 1)
	go func() {
		_, err := s.UpdateGame(context.WithoutCancel(ctx), s.game, &catalog.GameChange{SaleStop: new(new(3 * 3600))})
		moved <- err
	}()
	require.Eventually(t, func() bool {
		var waiting bool
		require.NoError(t, s.env.PG.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)`).Scan(&waiting))
		return waiting
	}, 10*time.Second, time.Millisecond)
	s.clock.Advance(time.Minute)
	sold := s.clock.Now()
	s.clock.Advance(time.Minute)
	require.NoError(t, sale.Commit(ctx))
	require.NoError(t, <-moved)
	stop := s.stops(t)["2026-11-23 2"]
	require.Equal(t, stamp(s.clock.Now()), stop, "sold at %s", sold)
}
