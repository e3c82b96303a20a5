package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/money"
)

func TestLineScalesItsPointsToTheChart(t *testing.T) {
	t.Parallel()
	chart := (&Line{Steps: []string{"8", "9", "10"}, Series: []LineSeries{{Values: []money.Amount{0, 50, 100}}, {Values: []money.Amount{-100}}}, Threshold: 80}).Draw()
	assert.Equal(t, "0,98 500,59 1000,20", chart.Series[0].Points)
	assert.Equal(t, "0,176", chart.Series[1].Points, "the least value is at the bottom")
	assert.Equal(t, []LineTick{{-100, 176}, {0, 98}, {100, 20}}, chart.Ticks)
	assert.Equal(t, 36, chart.ThresholdAt)

	low := (&Line{Height: 160, Steps: []string{"8", "9"}, Series: []LineSeries{{Values: []money.Amount{0, 50}}}}).Draw()
	assert.Equal(t, "0,136 1000,20", low.Series[0].Points)
	assert.Equal(t, 154, low.StepsAt())

	flat := (&Line{Steps: []string{"8"}, Series: []LineSeries{{Values: []money.Amount{0}}}}).Draw()
	assert.Equal(t, "0,176", flat.Series[0].Points, "one step without sales")
	assert.Equal(t, []LineTick{{0, 176}, {1, 20}}, flat.Ticks)
	high := (&Line{Steps: []string{"8", "9"}, Series: []LineSeries{{Values: []money.Amount{money.MaxAmount, 0}}}}).Draw()
	assert.Equal(t, "0,20 1000,176", high.Series[0].Points, "the greatest amount does not overflow")
}
