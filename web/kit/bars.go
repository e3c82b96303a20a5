package kit

import "banca/internal/money"

// Bars is a horizontal bar chart, drawn as SVG by the server, with one or more lengths for each bar, side by side. A negative
// length begins at the zero line and leads to the left. The page shows the same figures in a table.
type Bars struct {
	Caption string
	Series  []string // titles of the lengths
	Rows    []Bar

	Narrow         bool                      // for a phone: the chart is small and has an axis with values
	Values         func(money.Amount) string // formats the values of the axis
	Threshold      money.Amount              // a line across all bars; 0 for none
	ThresholdTitle string

	Zero        int             // x of the zero line in units of the view box; set by Draw
	ThresholdAt int             // x of the threshold; set by Draw
	Ticks       []WaterfallTick // of a narrow chart; set by Draw
	height      int
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

	narrowWidth = 340
	narrowLeft  = 104
	narrowRight = 24 // for half of the last value
	axisHeight  = 20
	barTicks    = 3
)

// Height is the height of the view box.
func (b *Bars) Height() int {
	if b.Narrow {
		return b.height + axisHeight
	}
	return b.height
}

// Bottom is the y of the axis.
func (b *Bars) Bottom() int { return b.height }

// Width is the width of the view box.
func (b *Bars) Width() int {
	if b.Narrow {
		return narrowWidth
	}
	return barsWidth
}

// Names is the x of the end of the names.
func (b *Bars) Names() int {
	left, _ := b.sides()
	return left - barGap
}

// sides returns where bars begin and end.
func (b *Bars) sides() (left, right int) {
	if b.Narrow {
		return narrowLeft, narrowWidth - narrowRight
	}
	return barLeft, barsWidth
}

// Draw computes the positions and widths of the bars. The chart is as wide as the greatest length and the least one below zero.
func (b *Bars) Draw() *Bars {
	low, high := money.Amount(0), max(money.Amount(1), b.Threshold)
	for i := range b.Rows {
		for _, length := range b.Rows[i].Lengths {
			low, high = min(low, length), max(high, length)
		}
	}
	left, right := b.sides()
	place := func(value money.Amount) int { return left + int((value-low)*money.Amount(right-left)/(high-low)) }
	b.Zero, b.ThresholdAt, b.height, b.Ticks = place(0), place(b.Threshold), 0, nil
	if b.Narrow {
		for i := range money.Amount(barTicks) {
			value := low + (high-low)*i/(barTicks-1)
			b.Ticks = append(b.Ticks, WaterfallTick{Value: value, X: place(value)})
		}
	}
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
