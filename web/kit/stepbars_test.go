package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/businessday"
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

func TestBarsOfDays(t *testing.T) {
	t.Parallel()
	v, from := spanish(t, time.Time{}), businessday.Date(2026, time.November, 3) // a Tuesday
	chart := &StepBars{}
	require.Equal(t, 28, chart.Days(v, from, from.AddDays(27)))
	sold := make([]money.Amount, 28)
	sold[0], sold[27] = 50_00, 80_00
	chart.Series = []StepSeries{{Values: sold}}
	chart.Draw()
	assert.Equal(t, "mar 03/11", chart.Steps[0])
	var labels []string
	weekends := 0
	for _, step := range chart.Columns {
		if step.Label != "" {
			labels = append(labels, step.Weekday+" "+step.Label)
		}
		if step.Weekend {
			weekends++
		}
	}
	assert.Equal(t, []string{"lun 09/11", "lun 16/11", "lun 23/11"}, labels)
	assert.Equal(t, 8, weekends)
	assert.Equal(t, []any{money.Amount(80_00), "end"}, []any{chart.Highest.Value, chart.Highest.Anchor}, "the label ends with the last bar")

	week := &StepBars{}
	week.Days(v, from, from.AddDays(6))
	assert.Equal(t, "dom", week.Draw().Columns[5].Weekday, "each day of a week has a label")
	assert.Nil(t, week.Highest)
	year := &StepBars{}
	year.Days(v, from, from.AddDays(364))
	assert.False(t, year.Draw().Weekends(), "too narrow to be recognised")
}
