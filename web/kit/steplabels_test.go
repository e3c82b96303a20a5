package kit

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// shownAt returns the labels that a plot of a width shows.
func shownAt(labels []StepLabel, width Percent) []StepLabel {
	return slices.DeleteFunc(slices.Clone(labels), func(l StepLabel) bool { return l.least > width })
}

func TestNoValueOfABarMeetsAnything(t *testing.T) {
	t.Parallel()
	v, random := spanish(t, time.Time{}), rand.New(rand.NewPCG(1, 2))
	for range 400 {
		chart := randomChart(v, random)
		for i := range chart.Bands {
			band, labels := &chart.Bands[i], chart.Labels(v, i)
			for _, width := range []Percent{190, 240, 320, 340, 345, 400, 459, 460, 482, 700, 860, 1100, 2000} {
				requireApart(t, chart, band, shownAt(labels, width), width)
			}
			if worst := worstOf(band); worst < 0 && chart.Apart && chart.Height >= 220 {
				require.Equal(t, v.Axis(2).Value(worst), labels[0].Text)
				require.Empty(t, labels[0].Class, "each plot has the worst, that of a phone, too")
				require.LessOrEqual(t, len(shownAt(labels, 339)), 1)
			}
		}
	}
}

// randomChart returns a chart of days with losses.
func randomChart(v *View, random *rand.Rand) *StepBars {
	from, days := businessday.Date(2026, time.November, 1), 1+random.IntN(60)
	chart := &StepBars{Digits: 2, Height: 160 + random.IntN(200), Apart: random.IntN(3) > 0}
	chart.Days(v, from, from.AddDays(days-1))
	for _, title := range []string{"Venta neta", "Resultado del juego"} {
		series, size := StepSeries{Title: title, Hue: HueResult}, int64(1)<<random.IntN(40)
		for range days {
			series.Values = append(series.Values, money.Amount(random.Int64N(2*size+1)-size))
		}
		chart.Series = append(chart.Series, series)
	}
	return chart.Draw()
}

func worstOf(b *StepBand) (worst money.Amount) {
	for _, value := range b.Values {
		worst = min(worst, value)
	}
	return worst
}

// requireApart checks that labels are within the chart, and that each one is alone.
func requireApart(t *testing.T, c *StepBars, b *StepBand, labels []StepLabel, width Percent) {
	t.Helper()
	taken := b.taken(width, c.Apart)
	taken = append(taken, box{0, width, c.StepsAt() - labelHeight, c.Whole()})
	for i := range labels {
		own := labels[i].box(width)
		require.GreaterOrEqual(t, own.left, Percent(-labelSpace))
		require.LessOrEqual(t, own.right, width+labelSpace)
		for _, other := range taken {
			require.False(t, own.meets(other), "%s at %v of %v meets %v", labels[i].Text, own, width, other)
		}
		taken = append(taken, own)
	}
}

func TestTheLastValuesOfAChartEndWithIt(t *testing.T) {
	t.Parallel()
	v, from := spanish(t, time.Time{}), businessday.Date(2026, time.November, 1)
	chart := &StepBars{Height: 280, Digits: 2, Apart: true}
	chart.Days(v, from, from.AddDays(29))
	values := make([]money.Amount, 30)
	values[14], values[26], values[27], values[28], values[29] = -36_987_00, -5_023_00, -5_093_00, -9_208_00, -12_319_00
	chart.Series = []StepSeries{{Title: "Resultado", Values: values}}
	labels := chart.Draw().Labels(v, 0)
	assert.Equal(t, []string{"−36.987", "−12.319"}, Map(labels, func(l *StepLabel) string { return l.Text })[:2])
	assert.Equal(t, []string{"middle", "end"}, Map(labels, func(l *StepLabel) string { return l.Anchor })[:2])
	assert.Less(t, len(labels), 5)
	assert.Equal(t, 286, chart.StepsAt(), "the titles are below the value of the lowest bar")
	assert.Equal(t, 292, chart.Whole())
	page := render(t, v, "step-bars", v.With(chart))
	assert.Contains(t, page, `<text class="name value spare" x="99.50%" y="`)
	assert.Contains(t, page, `<svg height="292"`)
}
