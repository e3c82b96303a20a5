package draws_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/draws"
)

// Every element of a game has how often it was drawn, and for how many draws it has been absent; a later result counts as soon as the answer is renewed.
func TestFrequencies(t *testing.T) {
	t.Parallel()
	h := setup(t)
	list := h.OpenDraws(t, "lotto-activo")
	for i, value := range []string{"5", "18", "5", "7"} {
		h.settle(t, list[i], catalog.Outcome{Value: value})
	}
	found, err := h.Frequencies(t.Context(), list[0].GameID)
	require.NoError(t, err)
	require.Greater(t, len(found), 30, "elements that were not drawn, too")
	assert.Equal(t, []draws.Frequency{
		{Value: "5", Name: "León", Drawn: 2, Absent: 1}, {Value: "7", Name: "Perico", Drawn: 1}, {Value: "18", Name: "Burro", Drawn: 1, Absent: 2},
	}, found[:3])
	assert.Equal(t, 0, found[3].Drawn)
	assert.Equal(t, 4, found[3].Absent)

	numbers, err := h.Frequencies(t.Context(), h.OpenDraws(t, "trio-activo")[0].GameID)
	require.NoError(t, err)
	assert.Empty(t, numbers, "a game of numbers has those that were drawn")
}

// Frequencies read the draws of their period by an index, whatever was drawn before and by other games.
func TestFrequenciesOfManyResults(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	h.settle(t, draw, catalog.Outcome{Value: "5"})
	id := `('00000000-0000-7000-800` // and a digit
	for _, copied := range []string{
		`INSERT INTO draws SELECT (jsonb_populate_record(d, jsonb_build_object('id', ` + id + `1-' || lpad(to_hex(n), 12, '0'))::uuid,
			'game_id', CASE WHEN n % 8 = 0 THEN d.game_id ELSE $2::uuid END, 'draw_number', 'n' || n, 'result_id', NULL,
			'draw_time', d.draw_time - n * interval '15 minutes', 'sale_stop_at', d.sale_stop_at - n * interval '15 minutes', 'local_date', (d.draw_time - n * interval '15 minutes')::date))).*
			FROM draws d, generate_series(1, 8000) n WHERE d.id = $1`,
		`INSERT INTO results SELECT (jsonb_populate_record(r, jsonb_build_object('id', ` + id + `2-' || lpad(to_hex(n), 12, '0'))::uuid, 'draw_id', ` + id + `1-' || lpad(to_hex(n), 12, '0'))::uuid,
			'value', (n % 37)::text))).* FROM results r, generate_series(1, 8000) n WHERE r.draw_id = $1 AND $2::uuid IS NOT NULL`,
	} {
		_, err := h.PG.Pool.Exec(t.Context(), copied, draw.ID, h.OpenDraws(t, "trio-activo")[0].GameID)
		require.NoError(t, err)
	}
	h.Exec(t, `UPDATE draws d SET result_id = r.id FROM results r WHERE r.draw_id = d.id AND d.result_id IS NULL`)
	h.Exec(t, `ANALYZE draws`)
	h.Exec(t, `ANALYZE results`)
	begin := time.Now()
	found, err := h.Frequencies(t.Context(), draw.GameID)
	t.Log(time.Since(begin))
	require.NoError(t, err)
	sum := 0
	for _, one := range found {
		sum += one.Drawn
	}
	assert.InDelta(t, 360, sum, 2, "two hours apart for 30 days, the others are of another game")
	rows, err := h.PG.Pool.Query(t.Context(), "EXPLAIN (ANALYZE, COSTS OFF) "+draws.FrequencySQL, draw.GameID, h.Clock.Now().AddDate(0, 0, -30), h.Clock.Now())
	require.NoError(t, err)
	var plan []string
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		plan = append(plan, line)
	}
	require.NoError(t, rows.Err())
	text := strings.Join(plan, "\n")
	t.Log(text)
	assert.NotContains(t, text, "Seq Scan")
}
