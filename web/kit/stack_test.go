package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/money"
)

func TestAStackDividesEachWhole(t *testing.T) {
	t.Parallel()
	series := []StackSeries{{"Premios", HuePrizes}, {"Comisiones", HueFees}, {hostile, HueResult}}
	s := (&Stack{Caption: "Partes", Whole: "Venta", Digits: 2, Series: series, Rows: []StackRow{
		{Name: "Centro", Whole: 9_000_000_00, Amounts: []money.Amount{5_400_000_00, 900_000_00, 2_700_000_00}},
		{Name: "Catia", Whole: 90_00, Amounts: []money.Amount{0, 9_00, 81_00}},
	}}).Draw()
	assert.Equal(t, []Span{{0, 60}, {60, 10}, {70, 30}}, spansOf(&s.Rows[0]))
	assert.Equal(t, []Span{{0, 0}, {0, 10}, {10, 90}}, spansOf(&s.Rows[1]), "a small whole is as long as a great one")
	assert.Equal(t, []Tick{{0, 100, 0, "start"}, {50, 100, 50, "middle"}, {100, 100, 100, "end"}}, s.Ticks)
	assert.True(t, s.Compares())
	v := spanish(t, time.Time{})
	page := render(t, v, "stack", v.With(s))
	assert.Contains(t, page, `<title>Centro · Premios 5.400.000,00 · 60 %</title></rect><text class="share" x="30.00%" y="17" text-anchor="middle">60 %</text>`)
	assert.Contains(t, page, `<text class="share spare" x="65.00%"`, "a part of ten percent has no label on a phone")
	assert.NotContains(t, page, `width="0.00%"`, "a part of nothing has no bar")
	assert.NotContains(t, page, `class="threshold"`)

	s.Rows = s.Rows[:1]
	assert.True(t, s.Draw().Compares())
	assert.Contains(t, render(t, v, "stack", v.With(s)), `</span> Comisiones <strong>10 %</strong>`, "the legend has the shares of an only row")
}

func spansOf(row *StackRow) []Span { return Map(row.Parts, func(p *StackPart) Span { return p.Span }) }

func TestALossIsBeyondTheWhole(t *testing.T) {
	t.Parallel()
	draw := func(whole money.Amount, amounts ...money.Amount) *Stack {
		return (&Stack{Series: make([]StackSeries, len(amounts)), Rows: []StackRow{{Whole: whole, Amounts: amounts}}}).Draw()
	}
	loss := draw(100, 110, 10, -20)
	assert.Equal(t, "80.00%", loss.Full.String())
	assert.Equal(t, []string{"88.00%", "8.00%", "0.00%"}, Map(loss.Rows[0].Parts, func(p *StackPart) string { return p.Width.String() }))
	assert.Equal(t, "-20.00%", loss.Rows[0].Parts[2].Share.String())
	assert.Equal(t, []string{"40.00%", "0.00%"}, Map(loss.Rows[0].Parts[:2], func(p *StackPart) string { return p.Label.String() }), "within the whole: its loss stands beyond")
	assert.Equal(t, []any{"80.00%", "16.00%", money.Amount(-20)}, []any{loss.Rows[0].Beyond.From.String(), loss.Rows[0].Beyond.Width.String(), loss.Rows[0].Loss})
	across := draw(100, 97, 28, -25)
	assert.Equal(t, []string{"38.80%", "0.00%"}, Map(across.Rows[0].Parts[:2], func(p *StackPart) string { return p.Label.String() }), "no room within the whole")
	assert.False(t, loss.Rows[0].Cut)
	great := draw(100, 500, 10)
	assert.Equal(t, []Span{{0, 100}, {100, 0}}, spansOf(&great.Rows[0]))
	assert.True(t, great.Rows[0].Cut)
	assert.Equal(t, []Span{{0, 30}, {30, 70}}, spansOf(&draw(-100, -30, -70).Rows[0]), "parts of a loss")
	assert.False(t, draw(0, 0, 0).Compares(), "no whole")
	assert.False(t, draw(100, 100, 0).Compares(), "one part")
	equal := draw(100, 30, 70)
	equal.Rows = append(equal.Rows, StackRow{Whole: 1000, Amounts: []money.Amount{300, 700}})
	assert.False(t, equal.Draw().Compares(), "equal bars")
	assert.Equal(t, []string{"62,4 %", "10 %", "−506 %"}, []string{spanish(t, time.Time{}).Share(62.44), spanish(t, time.Time{}).Share(10), spanish(t, time.Time{}).Share(-506)})
	assert.Equal(t, []string{"62,5 %", "", ""}, []string{spanish(t, time.Time{}).ShareOf(5, 8), spanish(t, time.Time{}).ShareOf(5, 0), spanish(t, time.Time{}).ShareOf(5, -8)}, "no whole, no share")
}

// A loss of less than two percent of the whole needs no more axis. It is written all the same.
func TestASlightLossIsBesideItsBar(t *testing.T) {
	t.Parallel()
	s := (&Stack{Caption: "Partes", Whole: "Venta", Digits: 2, Series: []StackSeries{{"Premios", HuePrizes}, {"Comisiones", HueFees}, {"Resultado", HueResult}}, Rows: []StackRow{
		{Name: "Centro", Whole: 40_945_00, Amounts: []money.Amount{14_700_00, 7_370_10, 18_874_90}},
		{Name: "Oriente", Whole: 26_400_00, Amounts: []money.Amount{21_800_00, 4_752_00, -152_00}},
	}}).Draw()
	assert.Equal(t, []Percent{0, 50, 100}, Map(s.Ticks, func(tick *Tick) Percent { return tick.At }))
	assert.Equal(t, []string{"100.00%", "100.58%"}, []string{s.Full.String(), s.Rows[1].Beyond.End().String()})
	assert.Equal(t, []bool{true, false}, []bool{s.Slight(), s.Rows[1].Cut})
	v := spanish(t, time.Time{})
	page := render(t, v, "stack", v.With(s))
	assert.Contains(t, page, `x="100.58%" y="17" dx="6">−152</text>`)
	assert.Contains(t, page, `<span class="lost">Pérdida <strong>−152</strong></span>26.400</span>`)
	assert.Contains(t, page, `<span class="key hatched"></span> Pérdida`)

	s.Rows = append(s.Rows, StackRow{Name: "Catia", Whole: 100_00, Amounts: []money.Amount{160_00, 0, -60_00}})
	assert.Equal(t, []any{"50.00%", "50.29%", false}, []any{s.Draw().Full.String(), s.Rows[1].Beyond.End().String(), s.Slight()})
	assert.Contains(t, render(t, v, "stack", v.With(s)), `>−152</text>`, "nor beside a greater one is it hidden")

	s.Rows = s.Rows[:1]
	assert.False(t, s.Draw().Passed())
	assert.NotContains(t, render(t, v, "stack", v.With(s)), "Pérdida", "nothing is lost")
}

func TestLongAxesLabelSomeSteps(t *testing.T) {
	t.Parallel()
	chart := &StepBars{Steps: make([]string, 24), Series: []StepSeries{{}}}
	for i := range chart.Steps {
		chart.Steps[i] = string(rune('a' + i))
	}
	var named int
	for _, column := range chart.Draw().Columns {
		if column.Label != "" {
			named++
		}
	}
	assert.Equal(t, stepLabels, named)
}
