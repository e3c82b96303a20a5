package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/money"
)

func TestTheLongestBarHasTheFullWidth(t *testing.T) {
	t.Parallel()
	bars := (&Bars{Rows: []Bar{{Lengths: []money.Amount{200, 50}}, {Lengths: []money.Amount{0, 400}}}}).Draw()
	assert.Equal(t, []BarPart{{Span{0, 50}, 3, 11}, {Span{0, 12.5}, 14, 11}}, bars.Rows[0].Parts, "one below the other")
	assert.Equal(t, []BarPart{{Span{0, hair}, 3, 11}, {Span{0, 100}, 14, 11}}, bars.Rows[1].Parts, "zero is visible")
	assert.Equal(t, 28, bars.Rows[1].Height())
	nothing := (&Bars{Rows: []Bar{{Lengths: []money.Amount{0}}}}).Draw()
	assert.Equal(t, []BarPart{{Span{0, hair}, 3, 16}}, nothing.Rows[0].Parts, "nothing was sold")
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
	assert.Equal(t, []Tick{{0, 0, "start"}, {200, 50, "middle"}, {400, 100, "end"}}, bars.Ticks)
	assert.Equal(t, []Percent{100, 50}, []Percent{bars.ThresholdAt, bars.Rows[1].Parts[0].Width})
	assert.Equal(t, "12.50%", Percent(12.5).String())

	values := (&View{Language: Spanish}).Axis(2)
	assert.Equal(t, []string{"0", "0,75", "2", "-12,50", "1.235"}, []string{values(0), values(75), values(200), values(-1250), values(1234_56)})
}
