package kit

import "banca/internal/money"

// Bars is a horizontal bar chart, drawn as SVG by the server, with one or two lengths for each bar. The page shows the
// same figures in a table.
type Bars struct {
	Caption string
	Series  []string // titles of the lengths
	Rows    []Bar
}

// Bar is a row of the chart, with its lengths in the order of the series.
type Bar struct {
	Name    string
	Title   string // text of the figures
	Lengths []money.Amount

	Y, Text int   // in units of the view box
	Widths  []int // of the lengths, in units of the view box
}

// The chart, in units of its view box.
const (
	barsWidth = 600
	barHeight = 22
	barLeft   = 150
)

// Height is the height of the view box.
func (b *Bars) Height() int { return len(b.Rows) * barHeight }

// Draw computes the positions and widths of the bars. The longest bar has the full width.
func (b *Bars) Draw() *Bars {
	longest := money.Amount(1)
	for i := range b.Rows {
		for _, length := range b.Rows[i].Lengths {
			longest = max(longest, length)
		}
	}
	for i := range b.Rows {
		row := &b.Rows[i]
		row.Y, row.Text, row.Widths = i*barHeight+3, i*barHeight+15, make([]int, len(row.Lengths))
		for j, length := range row.Lengths {
			row.Widths[j] = int(max(length, 0) * (barsWidth - barLeft) / longest)
		}
	}
	return b
}
