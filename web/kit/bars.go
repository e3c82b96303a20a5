package kit

import "banca/internal/platform/money"

// Bars is a horizontal bar chart, drawn by the server, with one or more lengths for each bar, one below the other. A negative length
// begins at the zero line and leads to the left. The page shows the same figures in a table.
type Bars struct {
	Caption string
	Series  []string // titles of the lengths
	Rows    []Bar

	Values         Axis         // formats the values
	Threshold      money.Amount // a line across all bars; 0 for none
	ThresholdTitle string

	Zero, ThresholdAt Percent // set by Draw
	Ticks             []Tick  // set by Draw
}

// Bar is a row of the chart, with its lengths in the order of the series.
type Bar struct {
	Name    string
	Title   string // text of the figures
	Lengths []money.Amount

	Parts []BarPart // of the lengths; set by Draw
}

// BarPart is the bar of a length. Y is in pixels from the top of the row. The value stands at End.
type BarPart struct {
	Span

	Value     money.Amount
	Y, Height int
}

// End is the right end of the bar.
func (p BarPart) End() Percent { return p.From + p.Width }

// Text is the base line of the value.
func (p BarPart) Text() int { return p.Y + (p.Height+textHeight)/2 }

// The rows of the chart, in pixels.
const (
	barGap    = 3  // above and below a row
	barAlone  = 16 // height of the only length of a row
	barBeside = 12 // height of one of several

	textHeight = 8 // of a digit
)

// Height is the height of a row.
func (b *Bar) Height() int { return 2*barGap + max(1, len(b.Lengths))*b.thick() }

// thick returns the height of one bar.
func (b *Bar) thick() int {
	if len(b.Lengths) > 1 {
		return barBeside
	}
	return barAlone
}

// Draw computes the positions and widths of the bars. The chart is as wide as the greatest length and the least one below zero.
func (b *Bars) Draw() *Bars {
	s := scale{high: 1}
	s.include(b.Threshold)
	for i := range b.Rows {
		s.include(b.Rows[i].Lengths...)
	}
	b.Ticks = s.ticks()
	b.Zero, b.ThresholdAt = s.of(0), s.of(b.Threshold)
	for i := range b.Rows {
		row := &b.Rows[i]
		row.Parts = make([]BarPart, len(row.Lengths))
		for j, length := range row.Lengths {
			row.Parts[j] = BarPart{Span: s.between(0, length), Value: length, Y: barGap + j*row.thick(), Height: row.thick()}
		}
	}
	return b
}
