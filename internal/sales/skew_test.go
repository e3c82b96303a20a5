package sales_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/clock"
	"banca/internal/sales"
	"banca/storage"
)

// skewed is the clock of a machine that goes wrong.
type skewed struct{ by time.Duration }

func (s skewed) Now() time.Time { return clock.System{}.Now().Add(s.by) }

// measured is how exactly a clock is known to follow the database's on a busy machine: half a round trip. A quote may refuse
// so much before the stop; no commit succeeds after it.
const measured = 250 * time.Millisecond

// attempt is a sale between two instants of the database.
type attempt struct {
	from, to time.Time
	err      error
}

// The database's clock decides about a sale: a process whose clock is 10 s late sells nothing after the stop, and one
// whose clock is 10 s early sells until the stop.
func TestTheDatabaseDecidesAboutTheStop(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	early := clock.Follow(skewed{by: 10 * time.Second})
	asked := early.Ticks()
	told, err := storage.Now(t.Context(), b.PG.Pool)
	require.NoError(t, err)
	early.Observe(asked, told, early.Ticks())
	stop := told.Add(4 * time.Second)
	b.Exec(t, `UPDATE draws SET sale_stop_at = $2, draw_time = $2::timestamptz + interval '5 minutes' WHERE id = $1`, draw.ID, stop)
	b.Exec(t, `UPDATE games SET sale_stop_seconds = 0 WHERE id = $1`, draw.GameID)
	machines := map[string]*sales.Service{}
	for name, clk := range map[string]clock.Clock{"late, never corrected": skewed{by: -10 * time.Second}, "early": early} {
		machines[name], _ = b.Process(clk).StartSales(t)
	}
	attempts := map[string][]attempt{}
	var all sync.WaitGroup
	var mu sync.Mutex
	for name, s := range machines {
		all.Go(func() {
			for over := false; !over; {
				var a attempt
				var failed error
				a.from, failed = storage.Now(t.Context(), b.PG.Pool)
				assert.NoError(t, failed)
				_, a.err = s.Sell(t.Context(), cashier(), b.request(draw, "5", "1.00"))
				a.to, failed = storage.Now(t.Context(), b.PG.Pool)
				assert.NoError(t, failed)
				mu.Lock()
				attempts[name] = append(attempts[name], a)
				mu.Unlock()
				over = failed != nil || a.from.After(stop.Add(time.Second))
			}
		})
	}
	all.Wait()
	for name, list := range attempts {
		sold, refused := 0, 0
		for _, a := range list {
			switch {
			case a.to.Before(stop.Add(-measured)):
				require.NoError(t, a.err, "%s: sold %s before the stop", name, stop.Sub(a.to))
				sold++
			case a.from.After(stop):
				require.Error(t, a.err, "%s: sold %s after the stop", name, a.from.Sub(stop))
				refused++
			}
		}
		require.Positive(t, sold, name)
		require.Positive(t, refused, name)
		t.Logf("%s: %d sold before the stop, %d refused after it", name, sold, refused)
	}
	b.requireSound(t)
}
