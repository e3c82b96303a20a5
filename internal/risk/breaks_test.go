package risk_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/models"
)

// stored is every row that a change of limits writes but the revisions of draws.
func (e *engine) stored(t testing.TB) string {
	t.Helper()
	var all string
	require.NoError(t, e.env.PG.Pool.QueryRow(t.Context(), `SELECT
		(SELECT coalesce(string_agg(l::text, E'\n' ORDER BY l.id), '') FROM risk_limits l) || (SELECT coalesce(string_agg(a::text, E'\n' ORDER BY a.id), '') FROM activity_logs a)`).Scan(&all))
	return all
}

// sells reports whether a process grants a stake of 1.00 on 5 in the first draw, and takes it back.
func (e *engine) sells(t testing.TB, process *risk.Service) bool {
	t.Helper()
	r, err := process.Reserve(t.Context(), e.request(100, e.draws[0]))
	if errors.Is(err, risk.ErrLimitExceeded) {
		return false
	}
	require.NoError(t, err)
	require.NoError(t, process.Release(t.Context(), r))
	return true
}

// A change of limits whose connection breaks at any of its statements changes no row, and every process sells by the
// limits that are stored, whether it had them in memory or not.
func TestALimitThatBreaksAnywhereChangesNothing(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.keeper(t)
	breaker := e.env.Breaker(t)
	k := e.keeperOf(e.processOver(breaker.PG), breaker.PG)
	by := e.operator()
	var block, limit *risk.Limit
	take := func(to **risk.Limit) func(*risk.Limit, error) error {
		return func(l *risk.Limit, err error) error {
			if err == nil {
				*to = l
			}
			return err
		}
	}
	for _, change := range []struct {
		name  string
		do    func() error
		sells bool // afterwards
	}{
		{"block", func() error {
			list, err := k.Block(t.Context(), by, e.block("5"))
			if err == nil {
				block = &list[0]
			}
			return err
		}, false},
		{"end the block", func() error { return take(&block)(k.Unblock(t.Context(), by, block.ID)) }, true},
		{"bound the draw", func() error {
			return take(&limit)(k.Create(t.Context(), by, &risk.LimitRequest{Currency: "VES", DrawID: e.draws[0], Metric: models.MetricStake, Base: "0.99"}))
		}, false},
		{"widen the bound", func() error { return take(&limit)(k.Change(t.Context(), by, limit.ID, "1.00", "", "")) }, true},
		{"narrow the bound", func() error { return take(&limit)(k.Change(t.Context(), by, limit.ID, "0.50", "", "")) }, false},
		{"remove the bound", func() error { return k.Remove(t.Context(), by, limit.ID) }, true},
	} {
		before, sold := e.stored(t), e.sells(t, e.Service)
		breaks := breaker.Each(t, change.do, func(error) {
			require.Equal(t, before, e.stored(t), change.name)
			require.Equal(t, sold, e.sells(t, e.Service), "%s: a process with limits in memory", change.name)
			require.Equal(t, sold, e.sells(t, e.process()), "%s: a new process", change.name)
		})
		require.GreaterOrEqual(t, breaks, 6, change.name)
		require.Equal(t, change.sells, e.sells(t, e.Service), "%s is effective in the other process", change.name)
	}
	e.requireCounts(t)
}

// A reservation whose process cannot read the limits, or count again what Redis lost, is refused and counts nothing.
func TestAReservationThatBreaksCountsNothing(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.sell(t, e.draws[0], 700)
	breaker := e.env.Breaker(t)
	var process *risk.Service
	var granted *risk.Reservation
	breaks := breaker.Each(t, func() (err error) {
		require.NoError(t, e.env.Redis.FlushDB(t.Context()).Err())
		process = e.processOver(breaker.PG)
		granted, err = process.Reserve(t.Context(), e.request(100, e.draws[0]))
		return err
	}, func(err error) {
		require.NotErrorIs(t, err, risk.ErrLimitExceeded, "a broken connection is no refusal")
		e.requireCounts(t)
	})
	require.Positive(t, breaks)
	if granted == nil { // the loop ended in a retry of the driver
		var err error
		granted, err = process.Reserve(t.Context(), e.request(100, e.draws[0]))
		require.NoError(t, err)
	}
	stake, notes := e.sold(t, e.draws[0])
	require.Equal(t, "800", stake, "what was sold before, and the reservation")
	require.EqualValues(t, 1, notes)
	require.NoError(t, process.Confirm(t.Context(), granted))
}

// A sweep that breaks at any statement leaves the rest to the next one: in the end each abandoned reservation is
// taken back once, and the counts equal the tickets.
func TestASweepThatBreaksIsContinued(t *testing.T) {
	t.Parallel()
	e := setup(t)
	for i, draw := range e.draws {
		e.sell(t, draw, int64(1000*(i+1)))
	}
	for range 2 {
		_, err := e.Reserve(t.Context(), e.request(100, e.draws...))
		require.NoError(t, err)
	}
	e.clock.Advance(time.Minute)
	breaker := e.env.Breaker(t)
	process := e.processOver(breaker.PG)
	released := 0
	sweep := func() error {
		swept, err := process.Sweep(t.Context())
		released += swept.Released
		return err
	}
	breaker.Each(t, sweep, func(error) {
		e.requireCounts(t) // reservations that are left are counted as such
	})
	require.NoError(t, sweep())
	require.GreaterOrEqual(t, released, 6)
	for i, draw := range e.draws {
		stake, notes := e.sold(t, draw)
		require.Equal(t, strconv.Itoa(1000*(i+1)), stake)
		require.Zero(t, notes)
	}
}

// A rebuild that breaks leaves counts on which nothing is sold, or the previous ones; a later one counts every draw.
func TestARebuildThatBreaksIsRepeated(t *testing.T) {
	t.Parallel()
	e := setup(t)
	for i, draw := range e.draws {
		e.sell(t, draw, int64(1000*(i+1)))
	}
	_, err := e.Sweep(t.Context())
	require.NoError(t, err)
	breaker := e.env.Breaker(t)
	process := e.processOver(breaker.PG)
	breaks := breaker.Each(t, func() error { return process.RebuildAll(t.Context()) }, func(error) {
		for i, draw := range e.draws { // in any process; its request rebuilds missing counts
			remaining, err := e.Available(t.Context(), e.chain, e.request(1).Currency, e.request(1, draw).Lines)
			require.NoError(t, err)
			require.Equal(t, money.Amount(1000*(i+1)), remaining[0].Sold)
		}
	})
	require.GreaterOrEqual(t, breaks, 3*len(e.draws))
	e.requireCounts(t)
}

// An audit that breaks reports the failure and not that the counts are right.
func TestAnAuditThatBreaksSaysSo(t *testing.T) {
	t.Parallel()
	e := setup(t)
	_, err := e.Reserve(t.Context(), e.request(100, e.draws...))
	require.NoError(t, err)
	count := "1:VES:t"
	last := slices.MaxFunc(e.draws, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	require.NoError(t, e.env.Redis.HIncrBy(t.Context(), "risk:{"+last.String()+"}:n", count, 3).Err())
	breaker := e.env.Breaker(t)
	process := e.processOver(breaker.PG)
	var wrong []risk.Difference
	breaks := breaker.Each(t, func() (err error) { wrong, err = process.Audit(t.Context()); return err }, func(err error) { require.Error(t, err) })
	require.Positive(t, breaks)
	wrong, err = process.Audit(t.Context())
	require.NoError(t, err)
	require.Equal(t, []risk.Difference{{Draw: last, Count: count, Redis: 3}}, wrong)
}

// All 32 combinations of conditions of a limit, each stored once: the engine takes them in the order of the weights of
// element, draw, game, category and bet type, from all of them down to none.
func TestTheRankOfEveryCombinationOfConditions(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.exec(t, `DELETE FROM risk_limits`)
	for rank := range 32 {
		e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, element, draw_id, game_id, category_id, bet_type, base)
			VALUES (gen_random_uuid(), $1, $2, 'stake', nullif($3, ''), $4, $5, $6, nullif($7, ''), $8)`, e.chain[2].ID, e.currency,
			text(rank&16 != 0, "5"), models.Optional(only(rank&8 != 0, e.draws[0])), models.Optional(only(rank&4 != 0, e.game)), models.Optional(only(rank&2 != 0, e.game)),
			text(rank&1 != 0, "straight"), rank+1)
	}
	matching := e.request(1, e.draws[0]).Lines[0]
	for rank := 31; rank >= 0; rank-- {
		require.Equal(t, money.Amount(rank+1), e.bound(t, &matching))
		for condition, other := range map[int]func(*risk.Line){ // the same line without one of the conditions is bound by the best of the others
			16: func(l *risk.Line) { l.Selection = "6" },
			1:  func(l *risk.Line) { l.BetType = "dupleta" },
		} {
			line := matching
			other(&line)
			best := -1
			for r := rank; r >= 0 && best < 0; r-- {
				if r&condition == 0 {
					best = r
				}
			}
			require.Equal(t, money.Amount(best+1), e.bound(t, &line), "rank %d without condition %d", rank, condition)
		}
		e.exec(t, `DELETE FROM risk_limits WHERE base = $1`, rank+1)
	}
	require.Zero(t, e.bound(t, &matching), "no limit is left")
}

// bound is the limit of a line at the ticket point; zero without one.
func (e *engine) bound(t testing.TB, line *risk.Line) money.Amount {
	t.Helper()
	remaining, err := e.Available(t.Context(), e.chain, e.request(1).Currency, []risk.Line{*line})
	require.NoError(t, err)
	return remaining[0].Limit
}

// text returns a text or, unless it is wanted, none.
func text(wanted bool, s string) string {
	if wanted {
		return s
	}
	return ""
}
