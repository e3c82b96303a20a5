package pace_test

import (
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/messaging/pace"
	"banca/internal/platform/clock"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

func TestALaneLetsABurstPassAndSpreadsTheRest(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	clk := clock.NewFake(time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC))
	p := pace.New(env.Redis, clk)
	lane := pace.Lane{Key: "lane", Every: 6 * time.Second, Burst: 3}
	var waits []time.Duration
	for range 6 {
		at, err := p.Take(t.Context(), lane)
		require.NoError(t, err)
		waits = append(waits, at.Sub(clk.Now()))
	}
	assert.Equal(t, []time.Duration{0, 0, 0, 6 * time.Second, 12 * time.Second, 18 * time.Second}, waits)
	clk.Advance(10 * time.Minute)
	at, err := p.Take(t.Context(), lane)
	require.NoError(t, err)
	assert.Equal(t, clk.Now(), at.UTC(), "after a rest")
	free, err := p.Take(t.Context(), pace.Lane{Key: lane.Key})
	require.NoError(t, err)
	assert.Equal(t, clk.Now(), free.UTC(), "no limit")
}

func TestPlacesOfAThousandAtOnceAreDistinct(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	clk := clock.NewFake(time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC))
	p := pace.New(env.Redis, clk)
	lane := pace.PerMinute("lane", 600, 0)
	const calls = 1000
	places := make([]time.Time, calls)
	var group sync.WaitGroup
	for i := range places {
		group.Go(func() {
			at, err := p.Take(t.Context(), lane)
			assert.NoError(t, err)
			places[i] = at
		})
	}
	group.Wait()
	slices.SortFunc(places, time.Time.Compare)
	for i, at := range places {
		require.Equal(t, time.Duration(i)*100*time.Millisecond, at.Sub(clk.Now()))
	}
}
