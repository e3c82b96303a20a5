package kit

import (
	"strings"
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
		for _, bar := range l.Bands[0].Bars {
			all = append(all, [2]int{bar.Y, bar.Height})
		}
		return all
	}
	chart := (&StepBars{Digits: 2, Steps: []string{"8", "9", "10"}, Series: []StepSeries{
		{"Hoy", HueSales, []money.Amount{0, 100}}, {"Antes", HuePast, []money.Amount{-100, 50, 100}},
	}}).Draw()
	band := &chart.Bands[0]
	assert.Equal(t, [][2]int{{94, 0}, {12, 82}}, heights(chart), "the last step is to come")
	assert.Equal(t, []int{176, 53, 12}, []int{band.Marks[0].Y, band.Marks[1].Y, band.Marks[2].Y}, "a negative amount is below zero")
	assert.Equal(t, []StepTick{{-100, 100, 176}, {-50, 100, 135}, {0, 100, 94}, {50, 100, 53}, {100, 100, 12}}, band.Ticks)
	assert.Equal(t, &band.Bars[1], chart.Highest)
	v := spanish(t, time.Time{})
	page := render(t, v, "step-bars", v.With(chart))
	assert.Contains(t, page, `<rect class="none" x="5.00%" y="94" width="23.33%" height="2"/>`, "a step without sales is visible")
	assert.Contains(t, page, `<rect class="against of-past" x="1.67%" y="175" width="30.00%" height="3"/>`)

	low := (&StepBars{Height: 160, Steps: []string{"8", "9"}, Series: []StepSeries{{Values: []money.Amount{0, 50}}}}).Draw()
	assert.Equal(t, [2]int{12, 124}, heights(low)[1], "a lower chart")
	assert.Equal(t, 154, low.StepsAt())

	flat := (&StepBars{Steps: []string{"8"}, Series: []StepSeries{{Values: []money.Amount{0}}}}).Draw()
	assert.Equal(t, 0, heights(flat)[0][1], "one step without sales")
	assert.Equal(t, []StepTick{{0, 1, 176}, {1, 1, 12}}, flat.Bands[0].Ticks)
	high := (&StepBars{Steps: []string{"8", "9"}, Series: []StepSeries{{Values: []money.Amount{money.MaxAmount, 0}}}}).Draw()
	assert.Equal(t, [][2]int{{12, 164}, {176, 0}}, heights(high), "the greatest amount does not overflow")
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
	assert.Equal(t, "lun 30/11", chart.Highest.Step)
	assert.NotContains(t, render(t, v, "step-bars", v.With(chart)), "growing", "all days are over")
	today := spanish(t, time.Date(2026, time.November, 30, 15, 0, 0, 0, time.UTC))
	chart = &StepBars{Series: chart.Series}
	chart.Days(today, from, from.AddDays(27))
	assert.Equal(t, 1, strings.Count(render(t, today, "step-bars", today.With(chart.Draw())), ` growing"`), "the day that is not over is the last one")

	week := &StepBars{}
	week.Days(v, from, from.AddDays(6))
	week.Series = []StepSeries{{Values: []money.Amount{5, 9, 9}}}
	assert.Equal(t, "dom", week.Draw().Columns[5].Weekday, "each day of a week has a label")
	year := &StepBars{Series: []StepSeries{{}}}
	year.Days(v, from, from.AddDays(364))
	assert.False(t, year.Draw().Weekends(), "too narrow to be recognised")
}

func TestBandsOfSeries(t *testing.T) {
	t.Parallel()
	chart := (&StepBars{Height: 280, Apart: true, Steps: []string{"8", "9"}, Series: []StepSeries{
		{"Venta", HueSales, []money.Amount{0, 100}}, {"Resultado", HueResult, []money.Amount{-20, 20}},
	}}).Draw()
	require.Len(t, chart.Bands, 2)
	assert.Equal(t, []int{32, 128}, []int{chart.Bands[0].Bars[1].Y, chart.Bands[0].Bars[0].Y})
	below := &chart.Bands[1]
	assert.Equal(t, []int{208, 256, 160}, []int{below.Bars[0].Y, below.Bars[0].Y + below.Bars[0].Height, below.Bars[1].Y}, "each has its own scale")
	assert.Empty(t, below.Marks)
}

func TestBarsThatLie(t *testing.T) {
	t.Parallel()
	chart := (&StepBars{Digits: 2, Steps: []string{"Lotto Activo", hostile, "Triple Facil"}, Series: []StepSeries{
		{"Venta", HueSales, []money.Amount{400_000_00, 100_000_00, 0}}, {"Resultado", HueResult, []money.Amount{60_000_00, 0, -20_000_00}},
	}}).DrawRows()
	spans := func(band int) []Span { return Map(chart.Bands[band].Bars, func(bar *StepBar) Span { return bar.Span }) }
	assert.Equal(t, []Span{{0, 100}, {0, 25}, {0, hair}}, spans(0), "an amount of zero is visible")
	assert.Equal(t, []Span{{25, 75}, {25, hair}, {0, 25}}, spans(1), "each series has its own scale; a loss is left of zero")
	assert.Equal(t, []Percent{0, 25}, []Percent{chart.Bands[0].Zero, chart.Bands[1].Zero})
	assert.True(t, chart.Lying())
	assert.False(t, (&StepBars{Series: []StepSeries{{}}}).Draw().Lying())
	v := spanish(t, time.Time{})
	page := render(t, v, "step-rows", v.With(chart))
	assert.Contains(t, page, `<rect class="mark of-result loss" x="0.00%" y="4" width="25.00%" height="16"><title>Triple Facil · Resultado −20.000,00</title></rect>`)
	assert.Contains(t, page, `<span class="value strong">−20.000</span>`)
	assert.Contains(t, page, `<td>Triple Facil</td><td class="number">0,00</td><td class="number">−20.000,00</td>`)
}
