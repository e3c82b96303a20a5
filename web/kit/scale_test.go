package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/money"
)

// An axis ends with round values, and has thousands and millions as words.
func TestTicksAreRound(t *testing.T) {
	t.Parallel()
	values := spanish(t, time.Time{}).Axis(2)
	for high, want := range map[money.Amount][]string{
		44_321_17: {"0", "25 mil", "50 mil"}, 51_000_00: {"0", "20 mil", "40 mil", "60 mil"}, 9_100_00: {"0", "5 mil", "10 mil"},
		2_300_000_00: {"0", "0,5 M", "1 M", "1,5 M", "2 M", "2,5 M"}, 3_00: {"0", "1", "2", "3"}, 1: {"0", "0,01"},
	} {
		s := scale{high: high}
		var ticks []string
		for _, tick := range s.ticks() {
			ticks = append(ticks, values.Tick(tick.Value, tick.Top))
		}
		assert.Equal(t, want, ticks, high)
	}
	s := scale{low: -1, high: 1}
	assert.Equal(t, money.Amount(1), s.round())
	s = scale{low: -30, high: 70}
	assert.Equal(t, []money.Amount{25, -50, 75}, []money.Amount{s.round(), s.low, s.high})
	assert.Equal(t, []string{"0", "0,75", "2", "−12,50", "1.235"}, []string{values.Value(0), values.Value(75), values.Value(200), values.Value(-1250), values.Value(1234_56)})
}

// The bar of the greatest amount has the full width, and a bar of nothing is visible.
func TestBarsOfATable(t *testing.T) {
	t.Parallel()
	for _, bar := range []struct {
		amount, greatest, threshold money.Amount
		want                        dataBar
	}{
		{200, 400, 100, dataBar{50, 25}},
		{400, 400, 0, dataBar{100, 0}},
		{0, 400, 800, dataBar{hair, 100}},
		{100, 100, -50, dataBar{100, 0}},
		{0, 0, 0, dataBar{hair, 0}},
		{money.MaxAmount, money.MaxAmount, 1, dataBar{100, scaleOf(1, money.MaxAmount)}},
	} {
		assert.Equal(t, bar.want, newDataBar(bar.amount, bar.greatest, bar.threshold))
	}
}

func scaleOf(amount, high money.Amount) Percent {
	s := scale{high: high}
	return s.of(amount)
}
