package kit

import (
	"cmp"

	"banca/internal/platform/money"
)

// StepBars is a chart of amounts over equal steps, such as hours, drawn as SVG by the server: a bar of each series for each step, side by side, with ticks and
// a threshold. Its template part shows the same values in a table below it.
type StepBars struct {
	Caption   string
	Digits    int      // of the currency
	Steps     []string // titles, in order
	Series    []StepSeries
	Threshold money.Amount // 0 for none
	Height    int          // in pixels; 0 for 200

	Ticks       []StepTick // of the axis; set by Draw
	Columns     []BarStep  // set by Draw
	ThresholdAt int        // y of the threshold; set by Draw
}

// StepSeries are the amounts of a chart that belong together, one for each step.
type StepSeries struct {
	Title  string
	Values []money.Amount
}

// BarStep is a step with the bars of its amounts.
type BarStep struct {
	Span

	Label string // "" if there is no space for it
	Bars  []StepBar
}

// StepBar is the bar of an amount. Y and Height are in pixels; an amount of zero has no height.
type StepBar struct {
	Span

	Series, Y, Height int
}

// StepTick is a labelled value of the axis. Y is in pixels; its text stands left of the line.
type StepTick struct {
	Value, Top money.Amount // as those of Tick
	Y          int
}

// Text is the base line of its text.
func (t StepTick) Text() int { return t.Y + textHeight/2 }

const (
	lineTop     = 20
	lineBottom  = 24 // below the axis, for the titles of the steps
	usualHeight = 200
	stepsAbove  = 6 // the base line of the titles of the steps above the bottom
)

// StepsAt is the base line of the titles of the steps.
func (l *StepBars) StepsAt() int { return l.Height - stepsAbove }

// StepsFrom is the upper end of the titles of the steps.
func (l *StepBars) StepsFrom() int { return l.Height - lineTop }

// Draw computes the bars and the ticks. The axis begins at zero, or at the smallest value if that is
// negative.
func (l *StepBars) Draw() *StepBars {
	l.Height = cmp.Or(l.Height, usualHeight)
	s := scale{high: 1, pixels: l.Height - lineTop - lineBottom}
	s.include(l.Threshold)
	for i := range l.Series {
		s.include(l.Series[i].Values...)
	}
	l.Ticks = s.stepTicks()
	l.ThresholdAt, l.Columns = s.height(l.Threshold), make([]BarStep, len(l.Steps))
	for step := range l.Steps {
		at := stepAt(step, len(l.Steps))
		l.Columns[step] = BarStep{Span: at, Label: labelOf(l.Steps, step), Bars: l.bars(s, at.column(), step)}
	}
	return l
}

// bars returns the bars of a step, side by side in its column.
func (l *StepBars) bars(s scale, column Span, step int) []StepBar {
	var bars []StepBar
	column.Width /= Percent(len(l.Series))
	for i := range l.Series {
		if values := l.Series[i].Values; step < len(values) {
			zero, end := s.height(0), s.height(values[step])
			bars = append(bars, StepBar{Span: column, Series: i, Y: min(zero, end), Height: max(zero-end, end-zero)})
		}
		column.From += column.Width
	}
	return bars
}

// height returns the y of an amount.
func (s *scale) height(value money.Amount) int {
	return lineTop + s.pixels - int(float64(value-s.low)/float64(s.high-s.low)*float64(s.pixels))
}

// stepTicks returns the labelled values of an axis from the bottom to the top.
func (s *scale) stepTicks() []StepTick {
	var ticks []StepTick
	for _, tick := range s.ticks() {
		ticks = append(ticks, StepTick{Value: tick.Value, Top: tick.Top, Y: s.height(tick.Value)})
	}
	return ticks
}
