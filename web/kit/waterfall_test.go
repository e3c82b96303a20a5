package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAStepBeginsWhereTheLastOneEnded(t *testing.T) {
	t.Parallel()
	w := (&Waterfall{Steps: []WaterfallStep{{Amount: 1000}, {Amount: -250}, {Amount: 750, Total: true}, {Amount: -1000}, {Amount: -250, Total: true}}}).Draw()
	bars := make([]Span, len(w.Steps))
	kinds := make([]string, len(w.Steps))
	for i := range w.Steps {
		bars[i], kinds[i] = w.Steps[i].Bar, w.Steps[i].Kind
		if i > 0 {
			assert.Equal(t, w.Steps[i-1].End.String(), w.Steps[i].Before.String())
		}
	}
	assert.Equal(t, "20.00%", w.Zero.String())
	assert.Equal(t, []Span{{20, 80}, {80, 20}, {20, 60}, {0, 80}, {0, 20}}, bars)
	assert.Equal(t, []string{"rise", "fall", "total", "fall", "total"}, kinds)
	assert.Equal(t, []Tick{{-250, 0, "start"}, {375, 50, "middle"}, {1000, 100, "end"}}, w.Ticks)
	assert.True(t, w.Steps[0].First)
	assert.True(t, w.Steps[4].Last)

	nothing := (&Waterfall{Steps: []WaterfallStep{{}, {Total: true}}}).Draw()
	assert.Equal(t, hair.String(), nothing.Steps[0].Bar.Width.String(), "a step of zero is visible")
}
