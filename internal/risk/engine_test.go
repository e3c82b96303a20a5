package risk_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"banca/internal/risk"
)

func TestReleaseIsIdempotent(t *testing.T) {
	t.Parallel()
	e := setup(t)
	first, err := e.Reserve(t.Context(), e.request(500, e.draws...))
	require.NoError(t, err)
	second, err := e.Reserve(t.Context(), e.request(300, e.draws[0]))
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, e.Release(t.Context(), first, first))
	}
	stake, notes := e.sold(t, e.draws[0])
	require.Equal(t, "300", stake)
	require.EqualValues(t, 1, notes)
	stake, _ = e.sold(t, e.draws[1])
	require.Equal(t, "0", stake)

	require.NoError(t, e.Confirm(t.Context(), second))
	require.NoError(t, e.Release(t.Context(), second), "what is confirmed is not taken back")
	stake, notes = e.sold(t, e.draws[0])
	require.Equal(t, "300", stake)
	require.Zero(t, notes)
	require.NoError(t, e.Release(t.Context()))
	require.NoError(t, e.Confirm(t.Context()))
}

// A ticket is counted once, however often its reservation is asked for.
func TestAReservationIsMadeOnce(t *testing.T) {
	t.Parallel()
	e := setup(t)
	req := e.request(500, e.draws[0])
	_, err := e.Reserve(t.Context(), req)
	require.NoError(t, err)
	_, err = e.Reserve(t.Context(), req)
	require.ErrorIs(t, err, risk.ErrUnavailable)
	stake, notes := e.sold(t, e.draws[0])
	require.Equal(t, "0", stake, "and then not at all")
	require.Zero(t, notes)
}

// The first request that finds the counts lost rebuilds them, once for all waiting requests, and none is refused.
func TestLostCountsComeBackOnce(t *testing.T) {
	t.Parallel()
	e := setup(t)
	var running sync.WaitGroup
	for range 40 {
		running.Go(func() {
			_, err := e.Reserve(t.Context(), e.request(100, e.draws[0], e.draws[1]))
			if err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	stake, notes := e.sold(t, e.draws[0])
	require.Equal(t, "4000", stake)
	require.EqualValues(t, 40, notes)
}

// No reservation from before a rebuild has the draw's epoch after it, and none is taken back twice.
func TestRebuildEndsReservations(t *testing.T) {
	t.Parallel()
	e := setup(t)
	before, err := e.Reserve(t.Context(), e.request(500, e.draws[0]))
	require.NoError(t, err)
	require.NoError(t, e.Rebuild(t.Context(), e.draws, false), "ready counts are left alone")
	stake, _ := e.sold(t, e.draws[0])
	require.Equal(t, "500", stake)
	require.NoError(t, e.Rebuild(t.Context(), e.draws, true))
	require.NoError(t, e.Release(t.Context(), before))
	stake, notes := e.sold(t, e.draws[0])
	require.Equal(t, "0", stake)
	require.Zero(t, notes)
	after, err := e.Reserve(t.Context(), e.request(500, e.draws[0]))
	require.NoError(t, err)
	require.Greater(t, after.Epochs[e.draws[0]], before.Epochs[e.draws[0]])
	require.Equal(t, after.Epochs[e.draws[0]], e.epoch(t, e.draws[0]))
}

func (e *engine) epoch(t testing.TB, draw uuid.UUID) (epoch int64) {
	t.Helper()
	require.NoError(t, e.env.PG.Pool.QueryRow(t.Context(), `SELECT risk_epoch FROM draws WHERE id = $1`, draw).Scan(&epoch))
	return epoch
}

// An epoch that is not in Postgres, left by a rebuild that was rolled back, counts as lost.
func TestAnUnknownEpochIsLost(t *testing.T) {
	t.Parallel()
	e := setup(t)
	_, err := e.Sweep(t.Context())
	require.NoError(t, err)
	known := e.epoch(t, e.draws[0])
	require.NoError(t, e.env.Redis.HSet(t.Context(), "risk:{"+e.draws[0].String()+"}:n", "epoch", known+1).Err())
	stale, err := e.Reserve(t.Context(), e.request(100, e.draws[0]))
	require.NoError(t, err)
	require.NotEqual(t, known, stale.Epochs[e.draws[0]], "which the commit refuses")
	req := e.request(100, e.draws[0])
	req.Recheck = true
	fresh, err := e.Reserve(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, e.epoch(t, e.draws[0]), fresh.Epochs[e.draws[0]])
	require.NotEqual(t, known+1, fresh.Epochs[e.draws[0]], "no epoch is given twice")

	require.NoError(t, e.env.Redis.HSet(t.Context(), "risk:{"+e.draws[1].String()+"}:n", "epoch", 7).Err())
	swept, err := e.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, swept.Rebuilt)
}

func TestAuditFindsAWrongCount(t *testing.T) {
	t.Parallel()
	e := setup(t)
	_, err := e.Reserve(t.Context(), e.request(100, e.draws[0])) // of a sale under way
	require.NoError(t, err)
	e.requireCounts(t)
	require.NoError(t, e.env.Redis.HIncrBy(t.Context(), "risk:{"+e.draws[0].String()+"}:n", "1:VES:s:straight|5", 3).Err())
	wrong, err := e.Audit(t.Context())
	require.NoError(t, err)
	require.Equal(t, []risk.Difference{{Draw: e.draws[0], Count: "1:VES:s:straight|5", Redis: 3}}, wrong)
}

// A sweep leaves alone young reservations, reservations on draws that ended long ago, and other keys.
func TestSweepSettlesOnlyWhatIsOld(t *testing.T) {
	t.Parallel()
	e := setup(t)
	_, err := e.Reserve(t.Context(), e.request(100, e.draws[0]))
	require.NoError(t, err)
	e.clock.Advance(20 * time.Second)
	_, err = e.Reserve(t.Context(), e.request(100, e.draws...))
	require.NoError(t, err)
	e.clock.Advance(10 * time.Second)
	swept, err := e.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, risk.Swept{Rebuilt: 0, Released: 1}, swept)
	stake, notes := e.sold(t, e.draws[0])
	require.Equal(t, "100", stake)
	require.EqualValues(t, 1, notes)
	e.clock.Advance(20 * time.Second)
	swept, err = e.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, swept.Released)
}

// A changed limit holds within a second in a process that was not notified.
func TestALimitChangedElsewhere(t *testing.T) {
	t.Parallel()
	e := setup(t)
	other := risk.New(e.env.PG, e.env.Redis, e.clock)
	_, err := other.Reserve(t.Context(), e.request(100, e.draws[0]))
	require.NoError(t, err)
	e.limit(t, 1, 0)
	require.Eventually(t, func() bool {
		r, err := other.Reserve(t.Context(), e.request(100, e.draws[0]))
		if err == nil {
			require.NoError(t, other.Release(t.Context(), r))
		}
		return err != nil
	}, 10*time.Second, 20*time.Millisecond)
}

// A caller that cancels leaves no reservation behind.
func TestACancelledReservationIsReleased(t *testing.T) {
	t.Parallel()
	e := setup(t)
	_, err := e.Sweep(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		_, err := e.Reserve(ctx, e.request(100, e.draws...))
		require.Error(t, err)
	}
	for _, draw := range e.draws {
		stake, notes := e.sold(t, draw)
		require.Equal(t, "0", stake)
		require.Zero(t, notes)
	}
}

// A count that a line adds nothing to is taken back like the others: a script that fails halfway would
// take the others back again at every attempt.
func TestALineWithoutAPrizeIsReleased(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base) VALUES (gen_random_uuid(), $1, $2, 'liability', 1000)`, e.chain[1].ID, e.currency)
	kept, err := e.Reserve(t.Context(), e.request(30, e.draws[0]))
	require.NoError(t, err)
	req := e.request(1, e.draws[0])
	req.Lines[0].Payout, req.Lines[0].Prize = 50, 0
	small, err := e.Reserve(t.Context(), req)
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, e.Release(t.Context(), small))
	}
	stake, notes := e.sold(t, e.draws[0])
	require.Equal(t, "30", stake)
	require.EqualValues(t, 1, notes)
	require.NoError(t, e.Release(t.Context(), kept))
}

// breaking is a client whose pipelines panic.
type breaking struct{}

func (breaking) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (breaking) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }
func (breaking) ProcessPipelineHook(redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(context.Context, []redis.Cmder) error {
		time.Sleep(20 * time.Millisecond) // so that the others wait by then
		panic("out of order")
	}
}

// Requests that waited for a sender that panicked are refused: nothing is sold without its limits being checked.
func TestAPanicOfTheSenderRefusesWaitingRequests(t *testing.T) {
	t.Parallel()
	e := setup(t)
	_, err := e.Sweep(t.Context())
	require.NoError(t, err)
	client := redis.NewClient(e.env.Redis.(*redis.Client).Options()) //nolint:forcetypeassert,errcheck // the test fails otherwise
	t.Cleanup(func() { _ = client.Close() })
	broken := risk.New(e.env.PG, client, e.clock)
	_, err = broken.Available(t.Context(), e.chain, e.request(1).Currency, e.request(1, e.draws[0]).Lines) // its scripts are loaded
	require.NoError(t, err)
	client.AddHook(breaking{})
	var running sync.WaitGroup
	for range 20 {
		running.Go(func() {
			defer func() { _ = recover() }() // some panic, as intended
			r, err := broken.Reserve(t.Context(), e.request(1, e.draws[0]))
			if err == nil {
				t.Errorf("reserved without an answer: %+v", r)
			}
		})
	}
	running.Wait()
}
