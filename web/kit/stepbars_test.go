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
			if step.Bar != nil {
				all = append(all, [2]int{step.Bar.Y, step.Bar.Height})
			}
		}
		return all
	}
	chart := (&StepBars{Digits: 2, Steps: []string{"8", "9", "10"}, Series: []StepSeries{
		{"Hoy", HueSales, []money.Amount{0, 100}}, {"Antes", HuePast, []money.Amount{-100, 50, 100}},
	}}).Draw()
	assert.Equal(t, [][2]int{{98, 0}, {20, 78}}, heights(chart), "the last step is to come")
	assert.Equal(t, []StepPoint{{chart.Columns[0].Middle(), 176}, {50, 59}, {chart.Columns[2].Middle(), 20}}, chart.Lines[0].Points, "a negative amount is below zero")
	assert.Equal(t, []StepTick{{-100, 100, 176}, {-50, 100, 137}, {0, 100, 98}, {50, 100, 59}, {100, 100, 20}}, chart.Ticks)
	v := spanish(t, time.Time{})
	page := render(t, v, "step-bars", v.With(chart))
	assert.Contains(t, page, `<rect class="none" x="5.00%" y="98" width="23.33%" height="2"/>`, "a step without sales is visible")
	assert.Contains(t, page, `<polyline class="of-past" points="16.67,176 50.00,59 83.33,20 "/></svg><circle class="of-past" cx="16.67%" cy="176" r="3.5"/>`)

	low := (&StepBars{Height: 160, Steps: []string{"8", "9"}, Series: []StepSeries{{Values: []money.Amount{0, 50}}}}).Draw()
	assert.Equal(t, [2]int{20, 116}, heights(low)[1], "a lower chart")
	assert.Equal(t, 154, low.StepsAt())

	flat := (&StepBars{Steps: []string{"8"}, Series: []StepSeries{{Values: []money.Amount{0}}}}).Draw()
	assert.Equal(t, 0, heights(flat)[0][1], "one step without sales")
	assert.Equal(t, []StepTick{{0, 1, 176}, {1, 1, 20}}, flat.Ticks)
	high := (&StepBars{Steps: []string{"8", "9"}, Series: []StepSeries{{Values: []money.Amount{money.MaxAmount, 0}}}}).Draw()
	assert.Equal(t, [][2]int{{20, 156}, {176, 0}}, heights(high), "the greatest amount does not overflow")
}

func TestChartsOfOneOrEqualAmountsCompareNothing(t *testing.T) {
	t.Parallel()
	for _, try := range []struct {
		values []money.Amount
		want   bool
	}{{nil, false}, {[]money.Amount{0, 5, 0}, false}, {[]money.Amount{5, 5, 5}, false}, {[]money.Amount{5, 5, 0}, true}, {[]money.Amount{5, 6, 0}, true}} {
		chart := &StepBars{Steps: make([]string, 3), Series: []StepSeries{{}, {Values: try.values}}}
		assert.Equal(t, try.want, chart.Compares(), try.values)
	}
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
	assert.Nil(t, chart.Columns[0].Top, "only the highest bar has a value")
	assert.Equal(t, []any{money.Amount(80_00), "end"}, []any{chart.Columns[27].Top.Value, chart.Columns[27].Top.Anchor}, "which ends with the last bar")

	week := &StepBars{}
	week.Days(v, from, from.AddDays(6))
	week.Series = []StepSeries{{Values: []money.Amount{5, 9, 9}}}
	assert.Equal(t, "dom", week.Draw().Columns[5].Weekday, "each day of a week has a label")
	assert.Equal(t, []bool{true, false, false}, []bool{week.Columns[0].Top.Spare, week.Columns[1].Top.Spare, week.Columns[2].Top.Spare}, "and each bar a value")
	year := &StepBars{}
	year.Days(v, from, from.AddDays(364))
	assert.False(t, year.Draw().Weekends(), "too narrow to be recognised")
}
