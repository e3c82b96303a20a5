package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/money"
)

func TestAStepBeginsWhereTheLastOneEnded(t *testing.T) {
	t.Parallel()
	w := (&Waterfall{Steps: []WaterfallStep{{Amount: 1000}, {Amount: -250}, {Amount: 750, Total: true}, {Amount: -1000}, {Amount: -250, Total: true}}}).Draw()
	for i := range w.Steps {
		if i > 0 {
			assert.Equal(t, w.Steps[i-1].End.String(), w.Steps[i].Before.String())
		}
	}
	assert.Equal(t, "20.00%", w.Zero.String())
	assert.Equal(t, []string{"80.00%", "20.00%", "60.00%"}, []string{w.Steps[0].Bar.Width.String(), w.Steps[1].Bar.Width.String(), w.Steps[2].Bar.Width.String()})
	assert.Equal(t, []money.Amount{-250, 0, 250, 500, 750, 1000}, Map(w.Ticks, func(tick *Tick) money.Amount { return tick.Value }))
	assert.True(t, w.Steps[0].First)
	assert.True(t, w.Steps[4].Last)

	nothing := (&Waterfall{Steps: []WaterfallStep{{}, {Total: true}}}).Draw()
	assert.Equal(t, hair.String(), nothing.Steps[0].Bar.Width.String(), "a step of zero is visible")
}
