package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/money"
)

func TestTheLongestBarHasTheFullWidth(t *testing.T) {
	t.Parallel()
	bars := (&Bars{Rows: []Bar{{Lengths: []money.Amount{200, 50}}, {Lengths: []money.Amount{0, 400}}}}).Draw()
	assert.Equal(t, []BarPart{{150, 3, 225, 11}, {150, 14, 56, 11}}, bars.Rows[0].Parts, "one below the other")
	assert.Equal(t, []BarPart{{150, 31, 0, 11}, {150, 42, 450, 11}}, bars.Rows[1].Parts)
	assert.Equal(t, 56, bars.Height())
	nothing := (&Bars{Rows: []Bar{{Lengths: []money.Amount{0}}}}).Draw()
	assert.Equal(t, []BarPart{{150, 3, 0, 16}}, nothing.Rows[0].Parts, "nothing was sold")
	assert.Equal(t, 15, nothing.Rows[0].Text)
}

func TestANegativeBarBeginsAtZero(t *testing.T) {
	t.Parallel()
	bars := (&Bars{Rows: []Bar{{Lengths: []money.Amount{-100}}, {Lengths: []money.Amount{200}}}}).Draw()
	assert.Equal(t, 300, bars.Zero)
	assert.Equal(t, BarPart{150, 3, 150, 16}, bars.Rows[0].Parts[0])
	assert.Equal(t, BarPart{300, 25, 300, 16}, bars.Rows[1].Parts[0])
}

func TestANarrowChartHasAnAxisAndAThreshold(t *testing.T) {
	t.Parallel()
	bars := (&Bars{Narrow: true, Threshold: 400, Rows: []Bar{{Lengths: []money.Amount{100}}, {Lengths: []money.Amount{200}}}}).Draw()
	assert.Equal(t, []WaterfallTick{{0, 104}, {200, 210}, {400, 316}}, bars.Ticks, "the threshold is within the chart")
	assert.Equal(t, []int{316, 210}, []int{bars.ThresholdAt, bars.Rows[1].Parts[0].X + bars.Rows[1].Parts[0].Width})
	assert.Equal(t, []int{340, 64, 44}, []int{bars.Width(), bars.Height(), bars.Bottom()})
}
