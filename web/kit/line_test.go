package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/money"
)

func TestLineScalesItsPointsToTheChart(t *testing.T) {
	t.Parallel()
	chart := (&Line{Steps: []string{"8", "9", "10"}, Series: []LineSeries{{Values: []money.Amount{0, 50, 100}}, {Values: []money.Amount{-100}}}, Threshold: 80}).Draw()
	assert.Equal(t, "100,92 350,52 600,12", chart.Series[0].Points)
	assert.Equal(t, "100,172", chart.Series[1].Points, "the least value is at the bottom")
	assert.Equal(t, []LineTick{{-100, 172}, {0, 92}, {100, 12}}, chart.Ticks)
	assert.Equal(t, 28, chart.ThresholdAt)

	flat := (&Line{Steps: []string{"8"}, Series: []LineSeries{{Values: []money.Amount{0}}}}).Draw()
	assert.Equal(t, "100,172", flat.Series[0].Points, "one step without sales")
	assert.Equal(t, []LineTick{{0, 172}, {1, 12}}, flat.Ticks)
	high := (&Line{Steps: []string{"8", "9"}, Series: []LineSeries{{Values: []money.Amount{money.MaxAmount, 0}}}}).Draw()
	assert.Equal(t, "100,12 600,172", high.Series[0].Points, "the greatest amount does not overflow")
}
