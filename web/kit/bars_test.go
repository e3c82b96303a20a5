package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/money"
)

func TestTheLongestBarHasTheFullWidth(t *testing.T) {
	t.Parallel()
	bars := (&Bars{Rows: []Bar{{Lengths: []money.Amount{200, 50}}, {Lengths: []money.Amount{0, 400}}}}).Draw()
	assert.Equal(t, []BarPart{{Span{0, 50}, 200, 3, 12}, {Span{0, 12.5}, 50, 15, 12}}, bars.Rows[0].Parts, "one below the other")
	assert.Equal(t, []BarPart{{Span{0, hair}, 0, 3, 12}, {Span{0, 100}, 400, 15, 12}}, bars.Rows[1].Parts, "zero is visible")
	assert.Equal(t, 30, bars.Rows[1].Height())
	nothing := (&Bars{Rows: []Bar{{Lengths: []money.Amount{0}}}}).Draw()
	assert.Equal(t, []BarPart{{Span{0, hair}, 0, 3, 16}}, nothing.Rows[0].Parts, "nothing was sold")
	assert.Equal(t, 22, nothing.Rows[0].Height())
	most := (&Bars{Rows: []Bar{{Lengths: []money.Amount{money.MaxAmount}}, {Lengths: []money.Amount{-money.MaxAmount}}}}).Draw()
	assert.Equal(t, []Percent{50, 50}, []Percent{most.Zero, most.Rows[0].Parts[0].Width}, "the greatest amounts do not overflow")
}

func TestANegativeBarBeginsAtZero(t *testing.T) {
	t.Parallel()
	bars := (&Bars{Rows: []Bar{{Lengths: []money.Amount{-100}}, {Lengths: []money.Amount{300}}}}).Draw()
	assert.Equal(t, "25.00%", bars.Zero.String())
	assert.Equal(t, Span{0, 25}, bars.Rows[0].Parts[0].Span)
	assert.Equal(t, Span{25, 75}, bars.Rows[1].Parts[0].Span)
}

func TestTheThresholdIsWithinTheChart(t *testing.T) {
	t.Parallel()
	bars := (&Bars{Threshold: 400, Rows: []Bar{{Lengths: []money.Amount{100}}, {Lengths: []money.Amount{200}}}}).Draw()
	assert.Equal(t, []Tick{{0, 400, 0, "start"}, {200, 400, 50, "middle"}, {400, 400, 100, "end"}}, bars.Ticks)
	assert.Equal(t, []Percent{100, 50}, []Percent{bars.ThresholdAt, bars.Rows[1].Parts[0].Width})
	assert.Equal(t, "12.50%", Percent(12.5).String())

	values := spanish(t, time.Time{}).Axis(2)
	assert.Equal(t, []string{"0", "0,75", "2", "-12,50", "1.235"}, []string{values.Value(0), values.Value(75), values.Value(200), values.Value(-1250), values.Value(1234_56)})
}

// An axis ends with round values, and has thousands and millions as words.
func TestTicksAreRound(t *testing.T) {
	t.Parallel()
	for high, want := range map[money.Amount][]string{
		44_321_17: {"0", "25 mil", "50 mil"}, 51_000_00: {"0", "20 mil", "40 mil", "60 mil"}, 9_100_00: {"0", "5 mil", "10 mil"},
		2_300_000_00: {"0", "0,5 M", "1 M", "1,5 M", "2 M", "2,5 M"}, 3_00: {"0", "1", "2", "3"}, 1: {"0", "0,01"},
	} {
		bars := (&Bars{Rows: []Bar{{Lengths: []money.Amount{high}}}, Values: spanish(t, time.Time{}).Axis(2)}).Draw()
		var ticks []string
		for _, tick := range bars.Ticks {
			ticks = append(ticks, bars.Values.Tick(tick.Value, tick.Top))
		}
		assert.Equal(t, want, ticks, high)
	}
	s := scale{low: -1, high: 1}
	assert.Equal(t, money.Amount(1), s.round())
	s = scale{low: -30, high: 70}
	assert.Equal(t, []money.Amount{25, -50, 75}, []money.Amount{s.round(), s.low, s.high})
}
