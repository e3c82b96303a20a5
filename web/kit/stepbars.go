package kit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// StepBars is a chart of amounts over equal steps, such as hours, drawn as SVG by the server: a bar of each series for each step, side by side, with ticks, the
// value of the highest bar and a threshold. Its template part shows the same values in a table below it.
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
	Highest     *StepTop   // nil without a positive amount; set by Draw

	days []businessday.Day // of the steps; nil if they are not days
}

// StepSeries are the amounts of a chart that belong together, one for each step.
type StepSeries struct {
	Title  string
	Values []money.Amount
}

// BarStep is a step with the bars of its amounts.
type BarStep struct {
	Span

	Label   string // "" if there is no space for it
	Weekday string // before the label of a day
	Weekend bool   // the step is a Saturday or a Sunday
	Bars    []StepBar
}

// StepTop is the value of the highest bar, above it. A label at an end of the chart begins or ends with its bar.
type StepTop struct {
	Value  money.Amount
	At     Percent
	Y      int
	Anchor string // as that of Tick
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
	topGap      = 4 // between the highest bar and its value

	topEdge Percent = 10 // room for half of that value

	markedSteps = 93 // at most, for weekends to be recognised
)

// Days sets the steps to the days of a period. It returns their number.
func (c *StepBars) Days(v *View, from, to businessday.Day) int {
	for day := from; !to.Before(day); day = day.AddDays(1) {
		c.days, c.Steps = append(c.days, day), append(c.Steps, v.Weekday(day)+" "+v.ShortDay(day))
	}
	return len(c.days)
}

// Week reports whether each day has a label, which is its weekday where there is little room.
func (c *StepBars) Week() bool { return len(c.days) <= weekDays }

// Weekends reports whether weekends are marked.
func (c *StepBars) Weekends() bool {
	return slices.ContainsFunc(c.Columns, func(step BarStep) bool { return step.Weekend })
}

// StepsAt is the base line of the titles of the steps.
func (c *StepBars) StepsAt() int { return c.Height - stepsAbove }

// StepsFrom is the upper end of the titles of the steps.
func (c *StepBars) StepsFrom() int { return c.Height - plotTop }

// PlotTop is the upper end of the bars.
func (*StepBars) PlotTop() int { return plotTop }

// PlotHeight is the height of the highest bar.
func (c *StepBars) PlotHeight() int { return c.Height - plotTop - plotBottom }

// Draw computes the bars and the ticks. The axis begins at zero, or at the smallest value if that is negative.
func (c *StepBars) Draw() *StepBars {
	c.Height = cmp.Or(c.Height, usualHeight)
	s := scale{high: 1, pixels: c.PlotHeight()}
	s.include(c.Threshold)
	for i := range c.Series {
		s.include(c.Series[i].Values...)
	}
	c.Ticks = s.stepTicks()
	c.ThresholdAt, c.Columns = s.height(c.Threshold), make([]BarStep, len(c.Steps))
	for step := range c.Steps {
		at := stepAt(step, len(c.Steps))
		c.Columns[step] = BarStep{Span: at, Bars: c.bars(s, at.column(), step)}
		c.label(&c.Columns[step], step)
		c.top(&c.Columns[step], step)
	}
	return c
}

// label sets the label of a step. Of days, Mondays have one, but not at the end, where half of it would have no room.
func (c *StepBars) label(column *BarStep, step int) {
	if c.days == nil {
		column.Label = labelOf(c.Steps, step)
		return
	}
	weekday, every := c.days[step].Weekday(), len(c.days)/(weekDays*stepLabels)+1
	column.Weekend = (weekday == time.Saturday || weekday == time.Sunday) && len(c.days) <= markedSteps
	if c.Week() || weekday == time.Monday && step/weekDays%every == 0 && step < len(c.days)-1 {
		column.Weekday, column.Label, _ = strings.Cut(c.Steps[step], " ")
	}
}

// top sets the value of the highest bar, if it is one of the step.
func (c *StepBars) top(column *BarStep, step int) {
	for _, bar := range column.Bars {
		value := c.Series[bar.Series].Values[step]
		if value <= 0 || c.Highest != nil && value <= c.Highest.Value {
			continue
		}
		c.Highest = &StepTop{Value: value, At: bar.Middle(), Y: bar.Y - topGap, Anchor: "middle"}
		switch {
		case c.Highest.At < topEdge:
			c.Highest.At, c.Highest.Anchor = bar.From, "start"
		case c.Highest.At > hundred-topEdge:
			c.Highest.At, c.Highest.Anchor = bar.From+bar.Width, "end"
		}
	}
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
