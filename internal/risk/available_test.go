package risk_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/risk"
)

// spread returns two selections on each of the draws, not adjacent.
func (e *engine) spread() []risk.Line {
	lines := e.request(1, e.draws...).Lines
	for _, draw := range e.draws {
		line := e.request(1, draw).Lines[0]
		line.Selection = "6"
		lines = append(lines, line)
	}
	return lines
}

// requireSeparately requires that one call for all lines and one call for each line agree.
func (e *engine) requireSeparately(t *testing.T, lines []risk.Line) []risk.Remaining {
	t.Helper()
	remaining, err := e.Available(t.Context(), e.chain, e.request(1).Currency, lines)
	require.NoError(t, err)
	require.Len(t, remaining, len(lines))
	for i := range lines {
		own, err := e.Available(t.Context(), e.chain, e.request(1).Currency, lines[i:i+1])
		require.NoError(t, err)
		require.Equal(t, own, remaining[i:i+1], i)
	}
	return remaining
}

// limitEach sets a limit that slides with the sales of a draw, one on each draw, and a block in the last one.
func (e *engine) limitEach(t *testing.T) {
	t.Helper()
	e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base, pct_bps) VALUES (gen_random_uuid(), $1, $2, 'liability', 90000, 5000)`, e.chain[1].ID, e.currency)
	for i, draw := range e.draws {
		e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, draw_id, base) VALUES (gen_random_uuid(), $1, $2, 'stake', $3, $4)`, e.chain[2].ID, e.currency, draw, 1000*(i+1))
	}
	e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, draw_id, element, base) VALUES (gen_random_uuid(), $1, $2, 'stake', $3, '6', 0)`, e.chain[0].ID, e.currency, e.draws[len(e.draws)-1])
	for i, draw := range e.draws {
		e.sell(t, draw, int64(100*(i+1)))
	}
}

// The remaining stakes on several draws equal the remaining stake on each, also after counts are lost.
func TestAvailableOnSeveralDraws(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.limitEach(t)
	remaining := e.requireSeparately(t, e.spread())
	for i := range e.draws {
		require.EqualValues(t, 900*(i+1), remaining[i].Stake)
		require.EqualValues(t, 100*(i+1), remaining[i].Sold)
	}
	require.Zero(t, remaining[len(remaining)-1].Stake, "blocked")
	require.EqualValues(t, 2000, remaining[len(remaining)-2].Stake)

	before := []int64{e.epoch(t, e.draws[0]), e.epoch(t, e.draws[1])}
	require.NoError(t, e.env.Redis.Del(t.Context(), "risk:{"+e.draws[1].String()+"}:n").Err())
	again, err := e.Available(t.Context(), e.chain, e.request(1).Currency, e.spread())
	require.NoError(t, err)
	require.Equal(t, remaining, again)
	require.Equal(t, before[0], e.epoch(t, e.draws[0]), "only the lost draw is counted again")
	require.Greater(t, e.epoch(t, e.draws[1]), before[1])

	e.exec(t, `UPDATE risk_limits SET base = 2500 WHERE draw_id = $1 AND base = 1000`, e.draws[0])
	e.exec(t, `UPDATE draws SET risk_rev = risk_rev + 1 WHERE id = $1`, e.draws[0]) // by another process, and announced to no counts
	remaining = e.requireSeparately(t, e.spread())
	require.EqualValues(t, 2400, remaining[0].Stake)
	e.requireCounts(t)
}

// No lines are answered without a server; lines of an unknown draw are not answered.
func TestAvailableOnNothing(t *testing.T) {
	t.Parallel()
	e := setup(t)
	remaining, err := e.Available(t.Context(), e.chain, e.request(1).Currency, nil)
	require.NoError(t, err)
	require.Empty(t, remaining)
	_, err = e.Available(t.Context(), e.chain, e.request(1).Currency, e.request(1, e.draws[0], uuid.New()).Lines)
	require.ErrorIs(t, err, risk.ErrUnavailable)
}

// The draws of one question may be on several masters.
func TestAvailableInACluster(t *testing.T) {
	t.Parallel()
	cluster := testkit.StartRedisCluster(t, false)
	e := setup(t)
	e.on(t, cluster.URL)
	for range 5 {
		e.draws = append(e.draws, e.addDraw(t))
	}
	e.limitEach(t)
	e.requireSeparately(t, e.spread())
	cluster.MoveSlot(t, "risk:{"+e.draws[0].String()+"}:n")
	require.Eventually(t, func() bool { // until the process knows the new master
		_, err := e.Available(t.Context(), e.chain, e.request(1).Currency, e.spread())
		return err == nil
	}, testkit.WaitTimeout, 10*time.Millisecond)
	e.requireSeparately(t, e.spread())
}

// What a question about many draws costs: fifty draws with forty selections each.
func BenchmarkAvailable(b *testing.B) {
	e := setup(b)
	for len(e.draws) < 50 {
		e.draws = append(e.draws, e.addDraw(b))
	}
	e.limit(b, 1, 100_000)
	e.limit(b, 2, 10_000)
	_, err := e.Sweep(b.Context())
	require.NoError(b, err)
	for _, draws := range []int{1, 10, 50} {
		var lines []risk.Line
		for _, draw := range e.draws[:draws] {
			for i := range 40 {
				line := e.request(1, draw).Lines[0]
				line.Selection = strconv.Itoa(i)
				lines = append(lines, line)
			}
		}
		b.Run(strconv.Itoa(draws), func(b *testing.B) {
			for b.Loop() {
				if _, err := e.Available(b.Context(), e.chain, e.request(1).Currency, lines); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
