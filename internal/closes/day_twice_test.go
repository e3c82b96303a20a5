package closes_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/money"
)

// A day begins at the first of two midnights, also in the sums of the days that are open.
func TestAnOpenDayEndsAtTheFirstOfTwoMidnights(t *testing.T) {
	t.Parallel()
	b := setup(t)
	havana, err := time.LoadLocation("America/Havana")
	require.NoError(t, err)
	b.Zone = havana
	c := b.open(t, point)
	b.Exec(t, `UPDATE daily_closes SET day = '2025-11-01' WHERE id = $1`, c.ID)
	for at, amount := range map[string]int64{"2025-11-02T03:30:00Z": 7_00, "2025-11-02T04:30:00Z": 11_00} { // before and after the first midnight of November 2
		instant, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		back := b.Clock.Now().Sub(instant)
		b.Clock.Advance(-back)
		b.move(t, point, money.Amount(amount))
		b.Clock.Advance(back)
	}
	found, err := b.Get(t.Context(), b.by, c.ID)
	require.NoError(t, err)
	assert.EqualValues(t, 7_00, found.Deposits)
	assert.Zero(t, found.LateEvents)
}
