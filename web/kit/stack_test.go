package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/money"
)

func TestStackDrawsItsPartsOnEachOther(t *testing.T) {
	t.Parallel()
	s := (&Stack{Digits: 2, Steps: []string{"8", "9"}, Series: []StepSeries{{"Triples", []money.Amount{25, 0}}, {"Animalitos", []money.Amount{75, -5}}, {hostile, []money.Amount{0, 50}}}}).Draw()
	assert.Equal(t, []StackPart{
		{Series: 0, Title: "Triples", Value: 25, Y: 137, Height: 39},
		{Series: 1, Title: "Animalitos", Value: 75, Y: 20, Height: 117},
	}, s.Columns[0].Parts, "the highest column has the full height")
	assert.Equal(t, []StackPart{{Series: 2, Title: hostile, Value: 50, Y: 98, Height: 78}}, s.Columns[1].Parts, "zero and negative amounts have no part")
	assert.Equal(t, []Span{{7.5, 35}, {57.5, 35}}, []Span{s.Columns[0].Span, s.Columns[1].Span})
	assert.Equal(t, []StepTick{{0, 100, 176}, {25, 100, 137}, {50, 100, 98}, {75, 100, 59}, {100, 100, 20}}, s.Ticks)
	v := spanish(t, time.Time{})
	page := render(t, v, "stack", v.With(s))
	assert.Contains(t, page, "<title>8 · Animalitos: 0,75</title>")
	assert.Contains(t, page, `<td>9</td><td class="number">0,00</td><td class="number">-0,05</td>`, "the table has the negative amount")

	most := (&Stack{Digits: 2, Steps: []string{"8"}, Series: []StepSeries{{"a", []money.Amount{money.MaxAmount}}, {"b", []money.Amount{money.MaxAmount}}}}).Draw()
	require.Len(t, most.Columns[0].Parts, 2)
	assert.Equal(t, []int{78, 78}, []int{most.Columns[0].Parts[0].Height, most.Columns[0].Parts[1].Height}, "the greatest amounts do not overflow")
	assert.Empty(t, (&Stack{}).Draw().Columns)
}

func TestLongAxesLabelSomeSteps(t *testing.T) {
	t.Parallel()
	s := (&Stack{Digits: 2, Steps: make([]string, 24)})
	for i := range s.Steps {
		s.Steps[i] = string(rune('a' + i))
	}
	var named int
	for _, column := range s.Draw().Columns {
		if column.Label != "" {
			named++
		}
	}
	assert.Equal(t, stepLabels, named)
	assert.Len(t, (&Heat{Steps: s.Steps}).Draw().Labels, stepLabels)
}

func TestHeatLevelsOfAmounts(t *testing.T) {
	t.Parallel()
	h := (&Heat{Steps: []string{"8", "9", "10"}, Rows: []HeatRow{
		{Name: "18 Burro", Values: []money.Amount{0, 1, 100}}, {Name: hostile, Values: []money.Amount{20, 21, -5, 9}}, {Name: "5", Values: nil},
	}}).Draw()
	var levels [][]int
	for i := range h.Rows {
		var row []int
		for _, cell := range h.Rows[i].Cells {
			row = append(row, cell.Level)
		}
		levels = append(levels, row)
	}
	assert.Equal(t, [][]int{{0, 1, 5}, {1, 2, 0}, nil}, levels)
	assert.Equal(t, Span{0, hundred/3.0 - heatGap}, h.Rows[0].Cells[0].Span)
	v := spanish(t, time.Time{})
	assert.Contains(t, render(t, v, "heat", v.With(h)), `<td>18 Burro</td><td class="number">0,00</td><td class="number">0,01</td><td class="number">1,00</td>`)

	none := (&Heat{Steps: []string{"8"}, Rows: []HeatRow{{Name: "a", Values: []money.Amount{0}}}}).Draw()
	assert.Equal(t, 0, none.Rows[0].Cells[0].Level, "no sales")
	most := (&Heat{Steps: []string{"8"}, Rows: []HeatRow{{Name: "a", Values: []money.Amount{money.MaxAmount}}}}).Draw()
	assert.Equal(t, heatLevels, most.Rows[0].Cells[0].Level)
}
