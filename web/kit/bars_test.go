package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/money"
)

func TestTheLongestBarHasTheFullWidth(t *testing.T) {
	t.Parallel()
	bars := (&Bars{Rows: []Bar{{Lengths: []money.Amount{200, 50}}, {Lengths: []money.Amount{0, 400}}, {Lengths: []money.Amount{-1}}}}).Draw()
	assert.Equal(t, [][]int{{225, 56}, {0, 450}, {0}}, [][]int{bars.Rows[0].Widths, bars.Rows[1].Widths, bars.Rows[2].Widths})
	assert.Equal(t, 3*barHeight, bars.Height())
	assert.Equal(t, []int{0, 0}, (&Bars{Rows: []Bar{{Lengths: []money.Amount{0, 0}}}}).Draw().Rows[0].Widths, "nothing was sold")
}
