package kit

import (
	"fmt"
	"slices"
	"strings"

	"banca/internal/money"
)

// Line is a line chart, drawn as SVG by the server: amounts over equal steps, such as hours, with the values of its axis
// and a threshold. Its part writes the table of its values below it.
type Line struct {
	Caption   string
	Steps     []string // titles, in order
	Series    []LineSeries
	Threshold money.Amount // 0 without one

	Ticks       []LineTick // of the axis; filled in by Draw
	ThresholdAt int        // as above, in units of the view box
}

// LineSeries is a line of a chart, with an amount for each step.
type LineSeries struct {
	Title  string
	Values []money.Amount

	Points string // of the line, in units of the view box
}

// LineTick is a value of the axis.
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

// Last is the index of the last step.
func (l *Line) Last() int { return len(l.Steps) - 1 }

// Draw computes the places of the lines. The axis begins at zero, or at the least value below it.
func (l *Line) Draw() *Line {
	least, most := min(0, l.Threshold), max(1, l.Threshold)
	for i := range l.Series {
		for _, value := range l.Series[i].Values {
			least, most = min(least, value), max(most, value)
		}
	}
	height := func(value money.Amount) int {
		return lineTop + lineHeight - int((value-least)*lineHeight/(most-least))
	}
	for i := range l.Series {
		points := make([]string, len(l.Series[i].Values))
		for j, value := range l.Series[i].Values {
			points[j] = fmt.Sprintf("%d,%d", lineLeft+j*(lineWidth-lineLeft)/max(1, len(l.Steps)-1), height(value))
		}
		l.Series[i].Points = strings.Join(points, " ")
	}
	l.Ticks, l.ThresholdAt = ticksOf(least, most, height), height(l.Threshold)
	return l
}

// ticksOf returns the values of an axis.
func ticksOf(least, most money.Amount, height func(money.Amount) int) []LineTick {
	var ticks []LineTick
	for i := range money.Amount(lineTicks + 1) {
		value := least + (most-least)*i/lineTicks
		ticks = append(ticks, LineTick{Value: value, Y: height(value)})
	}
	return slices.CompactFunc(ticks, func(a, b LineTick) bool { return a.Value == b.Value })
}
