package draws_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/platform/businessday"
	"banca/internal/setup/seed"
	"banca/models"
	"banca/storage"
)

// Lists of the operator's draws read the draws they list, not all draws of ten years.
func TestViewsReadFewBlocksOfManyDraws(t *testing.T) {
	t.Parallel()
	h := setup(t)
	const days, hours = 3_650, 12
	date := businessday.Of(h.Clock.Now(), fixture.Caracas)
	game := seed.ID("game", "lotto-activo")
	h.Exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status, closed_at)
		SELECT gen_random_uuid(), $1, 'OLD-' || n, $2::date - d, $2::date - d + interval '12 hours' + n * interval '1 hour', $2::date - d + interval '11 hours' + n * interval '1 hour', 'settled', now()
		FROM generate_series(1, $3::integer) d CROSS JOIN generate_series(1, $4::integer) n`, game, date, days, hours)
	waiting := h.Number(t, `WITH old AS (UPDATE draws SET status = 'closed' WHERE draw_number = 'OLD-3' AND local_date >= $1::date - 5 RETURNING 1) SELECT count(*) FROM old`, date)
	h.Exec(t, `VACUUM (ANALYZE) draws, results`)
	for _, tt := range []struct {
		name   string
		filter draws.ViewFilter
		total  int64
		most   int64 // blocks; a sequential scan reads some 1,300
	}{
		{"a past day", draws.ViewFilter{Date: date.AddDays(-700)}, hours, 60},
		{"a past day of a game", draws.ViewFilter{Date: date.AddDays(-700), GameID: game}, hours, 60},
		{"closed ones", draws.ViewFilter{Status: models.DrawClosed}, waiting, 60},
		{"waiting ones", draws.ViewFilter{Waiting: true}, waiting, 150},
		{"none of a day", draws.ViewFilter{Date: date.AddDays(-700), Status: models.DrawOpen}, 0, 60},
	} {
		tt.filter.Now, tt.filter.Limit = h.Clock.Now(), 100
		blocks := h.Env.BlocksRead(t, "draws", func(pg *storage.Postgres) {
			deps := h.Deps
			deps.PG = pg
			list, total, err := draws.New(deps).Views(t.Context(), &tt.filter)
			require.NoError(t, err, tt.name)
			assert.Equal(t, tt.total, total, tt.name)
			assert.Len(t, list, int(tt.total), tt.name)
		})
		t.Logf("%s: %d blocks", tt.name, blocks)
		assert.Less(t, blocks, tt.most, tt.name)
	}
	old, _, err := h.Views(t.Context(), &draws.ViewFilter{Date: date.AddDays(-700), GameID: game, Now: h.Clock.Now(), Limit: 3})
	require.NoError(t, err)
	nearest, total, err := h.Views(t.Context(), &draws.ViewFilter{Date: date.AddDays(-700), GameID: game, Nearest: true, Now: old[1].Time.Add(30 * time.Minute), Limit: 4})
	require.NoError(t, err)
	assert.EqualValues(t, hours, total)
	assert.Equal(t, []uuid.UUID{old[2].ID, old[1].ID, old[0].ID}, []uuid.UUID{nearest[0].ID, nearest[1].ID, nearest[2].ID}, "the draw of the next hour, then those before it")
	assert.True(t, nearest[3].Time.After(old[2].Time))
	drawn, _, err := h.Views(t.Context(), &draws.ViewFilter{Date: date.AddDays(-700), GameID: game, Nearest: true, Drawn: true, Now: old[1].Time.Add(30 * time.Minute), Limit: 3})
	require.NoError(t, err)
	assert.Equal(t, []uuid.UUID{old[1].ID, old[0].ID, old[2].ID}, []uuid.UUID{drawn[0].ID, drawn[1].ID, drawn[2].ID}, "the past ones, then the next ones")
	h.Exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status)
		SELECT gen_random_uuid(), game_id, 'EXTRA', local_date, draw_time + interval '20 minutes', sale_stop_at, 'open' FROM draws WHERE id = $1`, old[1].ID)
	var parts []string
	for i := range nearest {
		parts = append(parts, nearest[i].Nearness(old[1].Time.Add(30*time.Minute)))
	}
	assert.Equal(t, []string{"soon", "past", "past", "later"}, parts)
	next, _, err := h.Views(t.Context(), &draws.ViewFilter{Date: date.AddDays(-700), GameID: game, Nearest: true, Now: old[1].Time.Add(-30 * time.Minute), Limit: 4})
	require.NoError(t, err)
	assert.Equal(t, []uuid.UUID{old[1].ID, old[0].ID, old[2].ID}, []uuid.UUID{next[0].ID, next[2].ID, next[3].ID}, "the draws of the next hour by time, then those before them")
	h.Exec(t, `DELETE FROM draws WHERE id = $1`, next[1].ID)
	blocks := h.Env.BlocksRead(t, "draws", func(pg *storage.Postgres) {
		deps := h.Deps
		deps.PG = pg
		before, after, err := draws.New(deps).Neighbours(t.Context(), &old[1])
		require.NoError(t, err)
		assert.Equal(t, []uuid.UUID{old[0].ID, old[2].ID}, []uuid.UUID{before.ID, after.ID})
		assert.Equal(t, []time.Time{old[0].Time, old[2].Time}, []time.Time{before.Time, after.Time})
	})
	assert.Less(t, blocks, int64(20), "neighbours of a draw")
	count := func(f draws.ViewFilter) int64 {
		f.Waiting, f.Now, f.Limit = true, h.Clock.Now(), 1
		_, total, err := h.Views(t.Context(), &f)
		require.NoError(t, err)
		return total
	}
	held := h.OpenDraws(t, "lotto-activo")[0]
	h.hold(t, held)
	ofToday := count(draws.ViewFilter{Date: date})
	require.Positive(t, ofToday)
	require.Equal(t, waiting+ofToday, count(draws.ViewFilter{}))
	r := h.result(t, held, catalog.Outcome{Value: "5"})
	require.Equal(t, waiting+ofToday-1, count(draws.ViewFilter{}), "it has its result")
	h.Exec(t, `INSERT INTO results (id, draw_id, version, value, status, origin, entered_by, entered_at)
		SELECT gen_random_uuid(), draw_id, version + 1, '6', 'proposed', 'typed', entered_by, entered_at FROM results WHERE id = $1`, r.ID)
	require.Equal(t, waiting+ofToday, count(draws.ViewFilter{}), "and a correction that waits")
}
