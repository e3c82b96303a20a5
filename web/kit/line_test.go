package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/money"
)

func TestLineScalesItsPointsToTheChart(t *testing.T) {
	t.Parallel()
	chart := (&Line{Steps: []string{"8", "9", "10"}, Series: []LineSeries{{Values: []money.Amount{0, 50, 100}}, {Values: []money.Amount{-100}}}, Threshold: 80}).Draw()
	assert.Empty(t, chart.Series[0].Points, "the first series has columns")
	assert.Equal(t, []int{98, 0, 59, 39, 20, 78}, []int{
		chart.Columns[0].Y, chart.Columns[0].Height, chart.Columns[1].Y, chart.Columns[1].Height, chart.Columns[2].Y, chart.Columns[2].Height,
	})
	assert.Equal(t, "166,176", chart.Series[1].Points, "the least value is at the bottom")
	assert.Equal(t, []LineTick{{-100, 100, 176}, {0, 100, 98}, {100, 100, 20}}, chart.Ticks)
	assert.Equal(t, 36, chart.ThresholdAt)

	low := (&Line{Height: 160, Steps: []string{"8", "9"}, Series: []LineSeries{{Values: []money.Amount{0, 50}}}}).Draw()
	assert.Equal(t, []int{20, 116}, []int{low.Columns[1].Y, low.Columns[1].Height}, "a lower chart")
	assert.Equal(t, 154, low.StepsAt())

	flat := (&Line{Steps: []string{"8"}, Series: []LineSeries{{Values: []money.Amount{0}}}}).Draw()
	assert.Equal(t, 0, flat.Columns[0].Height, "one step without sales")
	assert.Equal(t, []LineTick{{0, 1, 176}, {1, 1, 20}}, flat.Ticks)
	high := (&Line{Steps: []string{"8", "9"}, Series: []LineSeries{{}, {Values: []money.Amount{money.MaxAmount, 0}}}}).Draw()
	assert.Equal(t, "250,20 750,176", high.Series[1].Points, "the greatest amount does not overflow")
	first := (&Line{Steps: []string{"8", "9"}, Series: []LineSeries{{Values: []money.Amount{50}}}}).Draw()
	assert.Equal(t, []int{156, 0}, []int{first.Columns[0].Height, first.Columns[1].Height}, "the first hour of a day is visible")
}
