package kit

import (
	"fmt"
	"slices"
	"strings"

	"banca/internal/money"
)

// Line is a line chart, drawn as SVG by the server: amounts over equal steps, such as hours, with ticks and a threshold.
// Its template part shows the same values in a table below it.
type Line struct {
	Caption   string
	Digits    int      // of the currency
	Steps     []string // titles, in order
	Series    []LineSeries
	Threshold money.Amount // 0 for none

	Ticks       []LineTick // of the axis; set by Draw
	ThresholdAt int        // y of the threshold in units of the view box; set by Draw
}

// LineSeries is a line of a chart, with an amount for each step.
type LineSeries struct {
	Title  string
	Values []money.Amount

	Points string // of the line, in units of the view box
}

// LineTick is a labelled value of the axis.
type LineTick struct {
	Value money.Amount
	Y     int
}

// The chart, in units of its view box.
const (
	lineLeft   = 100
	lineWidth  = 600
	lineTop    = 12
	lineHeight = 160
	lineTicks  = 2
)

// Last returns the index of the last step.
func (l *Line) Last() int { return len(l.Steps) - 1 }

// Draw computes the points of the lines and the ticks. The axis begins at zero, or at the smallest value if that is
// negative.
func (l *Line) Draw() *Line {
	low, high := min(0, l.Threshold), max(1, l.Threshold)
	for i := range l.Series {
		for _, value := range l.Series[i].Values {
			low, high = min(low, value), max(high, value)
		}
	}
	height := func(value money.Amount) int {
		return lineTop + lineHeight - int((value-low)*lineHeight/(high-low))
	}
	for i := range l.Series {
		points := make([]string, len(l.Series[i].Values))
		for j, value := range l.Series[i].Values {
			points[j] = fmt.Sprintf("%d,%d", lineLeft+j*(lineWidth-lineLeft)/max(1, len(l.Steps)-1), height(value))
		}
		l.Series[i].Points = strings.Join(points, " ")
	}
	l.Ticks, l.ThresholdAt = ticksOf(low, high, height), height(l.Threshold)
	return l
}

// ticksOf returns the labelled values of an axis from low to high.
func ticksOf(low, high money.Amount, height func(money.Amount) int) []LineTick {
	var ticks []LineTick
	for i := range money.Amount(lineTicks + 1) {
		value := low + (high-low)*i/lineTicks
		ticks = append(ticks, LineTick{Value: value, Y: height(value)})
	}
	return slices.CompactFunc(ticks, func(a, b LineTick) bool { return a.Value == b.Value })
}
