package kit

import "banca/internal/money"

// Bars is a horizontal bar chart, drawn as SVG by the server, with one or more lengths for each bar, side by side. A negative
// length begins at the zero line and leads to the left. The page shows the same figures in a table.
type Bars struct {
	Caption string
	Series  []string // titles of the lengths
	Rows    []Bar

	Zero   int // x of the zero line in units of the view box; set by Draw
	height int
}

// Bar is a row of the chart, with its lengths in the order of the series.
type Bar struct {
	Name    string
	Title   string // text of the figures
	Lengths []money.Amount

	Text  int       // y of the name in units of the view box; set by Draw
	Parts []BarPart // of the lengths; set by Draw
}

// BarPart is the rectangle of a length, in units of the view box.
type BarPart struct{ X, Y, Width, Height int }

// The chart, in units of its view box.
const (
	barsWidth = 600
	barLeft   = 150
	barGap    = 6  // between two rows
	barAlone  = 16 // height of the only length of a row
	barBeside = 11 // height of one of several
	barText   = 4  // from the middle of a row to the base line of its name
)

// Height is the height of the view box.
func (b *Bars) Height() int { return b.height }

// Draw computes the positions and widths of the bars. The chart is as wide as the greatest length and the least one below zero.
func (b *Bars) Draw() *Bars {
	low, high := money.Amount(0), money.Amount(1)
	for i := range b.Rows {
		for _, length := range b.Rows[i].Lengths {
			low, high = min(low, length), max(high, length)
		}
	}
	place := func(value money.Amount) int { return barLeft + int((value-low)*(barsWidth-barLeft)/(high-low)) }
	b.Zero, b.height = place(0), 0
	for i := range b.Rows {
		row := &b.Rows[i]
		thick := barAlone
		if len(row.Lengths) > 1 {
			thick = barBeside
		}
		top := b.height + barGap/2
		row.Parts = make([]BarPart, len(row.Lengths))
		for j, length := range row.Lengths {
			left, right := place(min(length, 0)), place(max(length, 0))
			row.Parts[j] = BarPart{X: left, Y: top + j*thick, Width: right - left, Height: thick}
		}
		b.height += max(1, len(row.Lengths))*thick + barGap
		row.Text = (top-barGap/2+b.height)/2 + barText
	}
	return b
}
