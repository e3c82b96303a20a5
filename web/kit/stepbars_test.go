package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/money"
)

func TestBarsOfStepsAreScaledToTheChart(t *testing.T) {
	t.Parallel()
	heights := func(l *StepBars) (all [][2]int) {
		for _, step := range l.Columns {
			for _, bar := range step.Bars {
				all = append(all, [2]int{bar.Y, bar.Height})
			}
		}
		return all
	}
	chart := (&StepBars{Steps: []string{"8", "9", "10"}, Series: []StepSeries{{Values: []money.Amount{0, 50, 100}}, {Values: []money.Amount{-100}}}, Threshold: 80}).Draw()
	assert.Equal(t, [][2]int{{98, 0}, {98, 78}, {59, 39}, {20, 78}}, heights(chart), "a negative amount is below zero")
	first := chart.Columns[0].Bars
	assert.InDelta(t, float64(first[0].From+first[0].Width), float64(first[1].From), .01, "side by side")
	assert.InDelta(t, float64(chart.Columns[0].column().Width), float64(first[0].Width+first[1].Width), .01)
	assert.Equal(t, []StepTick{{-100, 100, 176}, {-50, 100, 137}, {0, 100, 98}, {50, 100, 59}, {100, 100, 20}}, chart.Ticks)
	assert.Equal(t, 36, chart.ThresholdAt)

	low := (&StepBars{Height: 160, Steps: []string{"8", "9"}, Series: []StepSeries{{Values: []money.Amount{0, 50}}}}).Draw()
	assert.Equal(t, [2]int{20, 116}, heights(low)[1], "a lower chart")
	assert.Equal(t, 154, low.StepsAt())

	flat := (&StepBars{Steps: []string{"8"}, Series: []StepSeries{{Values: []money.Amount{0}}}}).Draw()
	assert.Equal(t, 0, heights(flat)[0][1], "one step without sales")
	assert.Equal(t, []StepTick{{0, 1, 176}, {1, 1, 20}}, flat.Ticks)
	high := (&StepBars{Steps: []string{"8", "9"}, Series: []StepSeries{{}, {Values: []money.Amount{money.MaxAmount, 0}}}}).Draw()
	assert.Equal(t, [][2]int{{20, 156}, {176, 0}}, heights(high), "the greatest amount does not overflow")
}
