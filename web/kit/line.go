package kit

import (
	"cmp"
	"fmt"
	"strings"

	"banca/internal/platform/money"
)

// Line is a line chart, drawn as SVG by the server: amounts over equal steps, such as hours, with ticks and a threshold.
// Its template part shows the same values in a table below it.
type Line struct {
	Caption   string
	Digits    int      // of the currency
	Steps     []string // titles, in order
	Series    []LineSeries
	Threshold money.Amount // 0 for none
	Height    int          // in pixels; 0 for 200

	Ticks       []LineTick // of the axis; set by Draw
	ThresholdAt int        // y of the threshold; set by Draw
}

// LineSeries is a line of a chart, with an amount for each step.
type LineSeries struct {
	Title  string
	Values []money.Amount

	Points string // of the line, x from 0 to lineWidth, which is as wide as the page
}

// LineTick is a labelled value of the axis. Y is in pixels; its text stands above the line.
type LineTick struct {
	Value money.Amount
	Y     int
}

// Text is the base line of its text.
func (t LineTick) Text() int { return t.Y - textAbove }

// The chart is as wide as there is room; a point of a line is a thousandth of that.
const (
	lineWidth   = 1000
	lineTop     = 20
	lineBottom  = 24 // below the axis, for the titles of the steps
	usualHeight = 200
	textAbove   = 4
	stepsAbove  = 6 // the base line of the titles of the steps above the bottom
)

// StepsAt is the base line of the titles of the steps.
func (l *Line) StepsAt() int { return l.Height - stepsAbove }

// Last returns the index of the last step.
func (l *Line) Last() int { return len(l.Steps) - 1 }

// Draw computes the points of the lines and the ticks. The axis begins at zero, or at the smallest value if that is
// negative.
func (l *Line) Draw() *Line {
	l.Height = cmp.Or(l.Height, usualHeight)
	s := scale{high: 1, pixels: l.Height - lineTop - lineBottom}
	s.include(l.Threshold)
	for i := range l.Series {
		s.include(l.Series[i].Values...)
	}
	for i := range l.Series {
		points := make([]string, len(l.Series[i].Values))
		for j, value := range l.Series[i].Values {
			points[j] = fmt.Sprintf("%d,%d", j*lineWidth/max(1, len(l.Steps)-1), s.height(value))
		}
		l.Series[i].Points = strings.Join(points, " ")
	}
	l.Ticks, l.ThresholdAt = s.lineTicks(), s.height(l.Threshold)
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
		ticks = append(ticks, LineTick{Value: tick.Value, Y: s.height(tick.Value)})
	}
	return ticks
}
