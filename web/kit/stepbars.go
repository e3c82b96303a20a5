package kit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// StepBars is a chart of amounts over equal steps, such as hours, drawn as SVG by the server: bars of the first series and a line of each other one, with ticks,
// and the values of few bars or of the highest one. Its template part shows the same values in a table below it.
type StepBars struct {
	Caption string
	Digits  int      // of the currency
	Steps   []string // titles, in order
	Series  []StepSeries
	Height  int // in pixels; 0 for 200

	Ticks   []StepTick // of the axis; set by Draw
	Columns []BarStep  // set by Draw
	Lines   []StepLine // set by Draw

	days []businessday.Day // of the steps; nil if they are not days
}

// StepSeries are the amounts of a chart that belong together, one for each step.
type StepSeries struct {
	Title  string
	Hue    Hue
	Values []money.Amount // fewer than steps if the last ones are to come
}

// BarStep is a step with its bar.
type BarStep struct {
	Span

	Label   string   // "" if there is no space for it
	Weekday string   // before the label of a day
	Weekend bool     // the step is a Saturday or a Sunday
	Bar     *StepBar // nil if its amount is to come
	Top     *StepTop // nil for none
}

// StepTop is the value above a bar. A label at an end of the chart begins or ends with its bar.
type StepTop struct {
	Value  money.Amount
	At     Percent
	Y      int
	Anchor string // as that of Tick
	Spare  bool   // a phone has no room for it
}

// StepBar is the bar of an amount. Y and Height are in pixels; an amount of zero has no height.
type StepBar struct {
	Span

	Y, Height int
}

// StepLine is the line of a series.
type StepLine struct {
	Hue    Hue
	Points []StepPoint
}

// StepPoint is an amount of a line, in the middle of its step. Y is in pixels.
type StepPoint struct {
	At Percent
	Y  int
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
	textHeight  = 8 // of a digit
	topGap      = 4 // between the highest bar and its value

	topEdge Percent = 10 // room for half of that value

	columnShare = 0.7 // of its step that a bar fills

	markedSteps = 93 // at most, for weekends and the dots of a line to be recognised

	stepLabels   = 6  // of an axis, at most
	labelLetters = 36 // of them together, which a phone has room for
)

// Days sets the steps to the days of a period. It returns their number.
func (c *StepBars) Days(v *View, from, to businessday.Day) int {
	for day := from; !to.Before(day); day = day.AddDays(1) {
		c.days, c.Steps = append(c.days, day), append(c.Steps, v.Weekday(day)+" "+v.ShortDay(day))
	}
	return len(c.days)
}

// Week reports whether each day has a label, which is its weekday where there is little room.
func (c *StepBars) Week() bool { return len(c.Steps) <= weekDays }

// Weekends reports whether weekends are marked.
func (c *StepBars) Weekends() bool {
	return slices.ContainsFunc(c.Columns, func(step BarStep) bool { return step.Weekend })
}

// Dotted reports whether lines have dots.
func (c *StepBars) Dotted() bool { return len(c.Steps) <= markedSteps }

// StepsAt is the base line of the titles of the steps.
func (c *StepBars) StepsAt() int { return c.Height - stepsAbove }

// StepsFrom is the upper end of the titles of the steps.
func (c *StepBars) StepsFrom() int { return c.Height - plotTop }

// PlotTop is the upper end of the bars.
func (*StepBars) PlotTop() int { return plotTop }

// PlotHeight is the height of the highest bar.
func (c *StepBars) PlotHeight() int { return c.Height - plotTop - plotBottom }

// Compares reports whether a series has several amounts, and not all of them are equal.
func (c *StepBars) Compares() bool {
	return slices.ContainsFunc(c.Series, func(series StepSeries) bool {
		amounts := slices.DeleteFunc(slices.Clone(series.Values), func(a money.Amount) bool { return a == 0 })
		return len(amounts) > 1 && (len(amounts) < len(c.Steps) || slices.Min(amounts) < slices.Max(amounts))
	})
}

// Draw computes the bars, the lines and the ticks. The axis begins at zero, or at the smallest value if that is negative.
func (c *StepBars) Draw() *StepBars {
	c.Height = cmp.Or(c.Height, usualHeight)
	s := scale{high: 1, pixels: c.PlotHeight()}
	for i := range c.Series {
		s.include(c.Series[i].Values...)
	}
	c.Ticks = s.stepTicks()
	c.Columns = make([]BarStep, len(c.Steps))
	for step := range c.Steps {
		c.Columns[step].Span = stepAt(step, len(c.Steps))
		c.label(&c.Columns[step], step)
	}
	for i := range c.Series {
		if i == 0 {
			c.bars(s, c.Series[i].Values)
			continue
		}
		line := StepLine{Hue: c.Series[i].Hue}
		for step, value := range c.Series[i].Values {
			line.Points = append(line.Points, StepPoint{c.Columns[step].Middle(), s.height(value)})
		}
		c.Lines = append(c.Lines, line)
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

// bars sets the bars of the first series, and the values above them: of each bar of a week, or of the highest one.
func (c *StepBars) bars(s scale, values []money.Amount) {
	highest := money.Amount(0)
	for _, value := range values {
		highest = max(highest, value)
	}
	for step, value := range values {
		column, zero, end := &c.Columns[step], s.height(0), s.height(value)
		column.Bar = &StepBar{Span: column.inner(), Y: min(zero, end), Height: max(zero-end, end-zero)}
		if value <= 0 || value < highest && !c.Week() {
			continue
		}
		column.Top = &StepTop{Value: value, At: column.Middle(), Y: column.Bar.Y - topGap, Anchor: "middle", Spare: value < highest}
		if c.Week() {
			continue
		}
		highest++ // only the first one of equal bars
		switch {
		case column.Top.At < topEdge:
			column.Top.At, column.Top.Anchor = column.Bar.From, "start"
		case column.Top.At > hundred-topEdge:
			column.Top.At, column.Top.Anchor = column.Bar.From+column.Bar.Width, "end"
		}
	}
}

// stepAt returns the room of one of count steps.
func stepAt(step, count int) Span {
	width := Percent(hundred) / Percent(max(1, count))
	return Span{From: Percent(step) * width, Width: width}
}

// inner returns the room of the bar in a step.
func (s Span) inner() Span {
	return Span{From: s.Middle() - s.Width*columnShare/2, Width: s.Width * columnShare}
}

// labelOf returns the title of a step that has a label, otherwise "".
func labelOf(steps []string, step int) string {
	labels := min(stepLabels, max(1, labelLetters/max(1, len(steps[0]))))
	if step%((len(steps)+labels-1)/labels) == 0 {
		return steps[step]
	}
	return ""
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
