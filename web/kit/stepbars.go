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
	plotTop     = 20
	plotBottom  = 24 // below the axis, for the titles of the steps
	usualHeight = 200
	stepsAbove  = 6 // the base line of the titles of the steps above the bottom
)

// StepsAt is the base line of the titles of the steps.
func (c *StepBars) StepsAt() int { return c.Height - stepsAbove }

// StepsFrom is the upper end of the titles of the steps.
func (c *StepBars) StepsFrom() int { return c.Height - plotTop }

// Draw computes the bars and the ticks. The axis begins at zero, or at the smallest value if that is negative.
func (c *StepBars) Draw() *StepBars {
	c.Height = cmp.Or(c.Height, usualHeight)
	s := scale{high: 1, pixels: c.Height - plotTop - plotBottom}
	s.include(c.Threshold)
	for i := range c.Series {
		s.include(c.Series[i].Values...)
	}
	c.Ticks = s.stepTicks()
	c.ThresholdAt, c.Columns = s.height(c.Threshold), make([]BarStep, len(c.Steps))
	for step := range c.Steps {
		at := stepAt(step, len(c.Steps))
		c.Columns[step] = BarStep{Span: at, Label: labelOf(c.Steps, step), Bars: c.bars(s, at.column(), step)}
	}
	return c
}

// bars returns the bars of a step, side by side in its column.
func (c *StepBars) bars(s scale, column Span, step int) []StepBar {
	var bars []StepBar
	column.Width /= Percent(len(c.Series))
	for i := range c.Series {
		if values := c.Series[i].Values; step < len(values) {
			zero, end := s.height(0), s.height(values[step])
			bars = append(bars, StepBar{Span: column, Series: i, Y: min(zero, end), Height: max(zero-end, end-zero)})
		}
		column.From += column.Width
	}
	return bars
}

// height returns the y of an amount.
func (s *scale) height(value money.Amount) int {
	return plotTop + s.pixels - int(float64(value-s.low)/float64(s.high-s.low)*float64(s.pixels))
}

// stepTicks returns the labelled values of an axis from the bottom to the top.
func (s *scale) stepTicks() []StepTick {
	var ticks []StepTick
	for _, tick := range s.ticks() {
		ticks = append(ticks, StepTick{Value: tick.Value, Top: tick.Top, Y: s.height(tick.Value)})
	}
	return ticks
}
