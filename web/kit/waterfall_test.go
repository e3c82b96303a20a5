package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAStepBeginsWhereTheLastOneEnded(t *testing.T) {
	t.Parallel()
	w := (&Waterfall{Steps: []WaterfallStep{{Amount: 1000}, {Amount: -250}, {Amount: 750, Total: true}, {Amount: -1000}, {Amount: -250, Total: true}}}).Draw()
	bars := make([][2]int, len(w.Steps))
	kinds := make([]string, len(w.Steps))
	for i := range w.Steps {
		bars[i], kinds[i] = [2]int{w.Steps[i].X, w.Steps[i].X + w.Steps[i].Width}, w.Steps[i].Kind
	}
	assert.Equal(t, 246, w.Zero)
	assert.Equal(t, [][2]int{{246, 510}, {444, 510}, {246, 444}, {180, 444}, {180, 246}}, bars)
	assert.Equal(t, []string{"rise", "fall", "total", "fall", "total"}, kinds)
	assert.Equal(t, []WaterfallTick{{-250, 180}, {375, 345}, {1000, 510}}, w.Ticks)
	assert.Equal(t, w.Steps[1].Y, w.Next(0))
	assert.Equal(t, w.Steps[4].Y, w.Next(4))

	nothing := (&Waterfall{Steps: []WaterfallStep{{}, {Total: true}}}).Draw()
	assert.Equal(t, 1, nothing.Steps[0].Width, "a step of zero is visible")
}
