package kit

import (
	"cmp"
	"fmt"
	"strings"

	"banca/internal/platform/money"
)

// Line is a chart of amounts over equal steps, such as hours, drawn as SVG by the server: a column of the first series for each step, so that one step
// is visible, and lines of the other series, with ticks and a threshold. Its template part shows the same values in a table below it.
type Line struct {
	Caption   string
	Digits    int      // of the currency
	Steps     []string // titles, in order
	Series    []LineSeries
	Threshold money.Amount // 0 for none
	Height    int          // in pixels; 0 for 200

	Ticks       []LineTick // of the axis; set by Draw
	Columns     []LineStep // set by Draw
	ThresholdAt int        // y of the threshold; set by Draw
}

// LineSeries is a line of a chart, with an amount for each step.
type LineSeries struct {
	Title  string
	Values []money.Amount

	Points string // of the line, x from 0 to lineWidth, which is as wide as the page; "" of the first series
}

// LineStep is a step with the column of the first series. Y and Height are in pixels.
type LineStep struct {
	Span

	Column    Span
	Label     string // "" if there is no space for it
	Y, Height int
}

// LineTick is a labelled value of the axis. Y is in pixels; its text stands left of the line.
type LineTick struct {
	Value, Top money.Amount // as those of Tick
	Y          int
}

// Text is the base line of its text.
func (t LineTick) Text() int { return t.Y + textHeight/2 }

// The chart is as wide as there is room; a point of a line is a thousandth of that.
const (
	lineWidth   = 1000
	lineTop     = 20
	lineBottom  = 24 // below the axis, for the titles of the steps
	usualHeight = 200
	stepsAbove  = 6 // the base line of the titles of the steps above the bottom
)

// StepsAt is the base line of the titles of the steps.
func (l *Line) StepsAt() int { return l.Height - stepsAbove }

// StepsFrom is the upper end of the titles of the steps.
func (l *Line) StepsFrom() int { return l.Height - lineTop }

// Draw computes the columns, the points of the lines and the ticks. The axis begins at zero, or at the smallest value if that is
// negative.
func (l *Line) Draw() *Line {
	l.Height = cmp.Or(l.Height, usualHeight)
	s := scale{high: 1, pixels: l.Height - lineTop - lineBottom}
	s.include(l.Threshold)
	for i := range l.Series {
		s.include(l.Series[i].Values...)
	}
	l.Ticks = s.lineTicks()
	l.ThresholdAt, l.Columns = s.height(l.Threshold), make([]LineStep, len(l.Steps))
	for step := range l.Steps {
		at := stepAt(step, len(l.Steps))
		l.Columns[step] = LineStep{Span: at, Column: at.column(), Label: labelOf(l.Steps, step)}
	}
	for i := range l.Series {
		var points []string
		for step, value := range l.Series[i].Values[:min(len(l.Steps), len(l.Series[i].Values))] {
			if i == 0 {
				l.Columns[step].Y, l.Columns[step].Height = min(s.height(0), s.height(value)), max(s.height(0)-s.height(value), s.height(value)-s.height(0))
				continue
			}
			points = append(points, fmt.Sprintf("%d,%d", (2*step+1)*lineWidth/(2*len(l.Steps)), s.height(value)))
		}
		l.Series[i].Points = strings.Join(points, " ")
	}
	return l
}

// height returns the y of an amount.
func (s *scale) height(value money.Amount) int {
	return lineTop + s.pixels - int(float64(value-s.low)/float64(s.high-s.low)*float64(s.pixels))
}

// lineTicks returns the labelled values of an axis from the bottom to the top.
func (s *scale) lineTicks() []LineTick {
	var ticks []LineTick
	for _, tick := range s.ticks() {
		ticks = append(ticks, LineTick{Value: tick.Value, Top: tick.Top, Y: s.height(tick.Value)})
	}
	return ticks
}
