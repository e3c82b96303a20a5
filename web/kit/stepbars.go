package kit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// StepBars is a chart of amounts over equal steps, such as hours, drawn as SVG by the server: bars of the first series and a mark of each other one on them,
// or a band of bars for each series, with ticks. A week has the value of each bar. DrawRows draws a row for each step instead.
// The template parts show the same values in a table below.
type StepBars struct {
	Caption string
	Digits  int      // of the currency
	Steps   []string // titles, in order
	Series  []StepSeries
	Height  int  // in pixels; 0 for 200
	Apart   bool // each series has its own band

	Bands   []StepBand // from the top; set by Draw
	Columns []BarStep  // set by Draw
	Highest *StepBar   // of the first series; nil for none; set by Draw

	Growing bool // the step of the last amount is not over

	days []businessday.Day // of the steps; nil if they are not days
	foot int               // room for the values of losses between the lowest band and the titles of the steps; set by Draw
}

// StepSeries are the amounts of a chart that belong together, one for each step.
type StepSeries struct {
	Title  string
	Hue    Hue
	Values []money.Amount // fewer than steps if the last ones are to come
}

// StepBand is a part of the height of a chart with its own scale. Top and the y of what it contains are in pixels.
type StepBand struct {
	StepSeries

	Top, Height int
	Ticks       []StepTick
	Zero        Percent // of bars that lie
	Bars        []StepBar
	Marks       []StepMark // of the other series
}

// TitleAt is the base line of its title.
func (b *StepBand) TitleAt() int { return b.Top - titleGap }

// BarStep is a step.
type BarStep struct {
	Span

	Label   string // "" if there is no space for it
	Weekday string // before the label of a day
	Weekend bool   // the step is a Saturday or a Sunday
}

// StepBar is the bar of an amount. Y and Height are in pixels; an amount of zero has no height.
type StepBar struct {
	Span

	Step      string // its title
	Value     money.Amount
	Y, Height int
	Above     int  // the base line of its value, above the bar and its marks
	Growing   bool // its step is not over
}

// Below is the base line of the value of a loss.
func (b *StepBar) Below() int { return b.Y + b.Height + valueHeight }

// StepMark is an amount of another series, across the bar of its step. Y is its middle, in pixels.
type StepMark struct {
	Span

	Hue Hue
	Y   int
}

// At is the upper end of the mark.
func (m StepMark) At() int { return m.Y - 1 }

// StepTick is a labelled value of the axis. Y is in pixels; its text stands left of the line.
type StepTick struct {
	Value, Top money.Amount // as those of Tick
	Y          int
}

// Text is the base line of its text.
func (t StepTick) Text() int { return t.Y + textHeight/2 }

const (
	plotTop     = 12
	titledTop   = 32 // of a band with a title
	titleGap    = 8  // between the title and the band
	plotBottom  = 24 // below the axis, for the titles of the steps
	usualHeight = 200
	stepsAbove  = 6  // the base line of the titles of the steps above the bottom
	textHeight  = 8  // of a digit
	topGap      = 4  // between a bar and its value
	valueHeight = 12 // of that value

	columnShare = 0.7 // of its step that a bar fills
	markShare   = 0.9 // of its step that a mark fills

	markedSteps = 93 // at most, for weekends and whole marks to be recognised

	stepLabels   = 6  // of an axis, at most
	labelLetters = 36 // of them together, which a phone has room for
)

// Days sets the steps to the days of a period, of which the last one may be today. It returns their number.
func (c *StepBars) Days(v *View, from, to businessday.Day) int {
	c.Growing = to == businessday.Of(v.now, v.zone)
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

// Crowded reports whether the steps are too narrow for whole marks.
func (c *StepBars) Crowded() bool { return len(c.Steps) > markedSteps }

// StepsAt is the base line of the titles of the steps.
func (c *StepBars) StepsAt() int { return c.Whole() - stepsAbove }

// PlotEnd is the upper end of the titles of the steps.
func (c *StepBars) PlotEnd() int { return c.Whole() - plotBottom + topGap }

// Whole is the height with the room for the values of losses.
func (c *StepBars) Whole() int { return c.Height + c.foot }

// Compares reports whether a series has several amounts, and not all of them are equal.
func (c *StepBars) Compares() bool {
	return slices.ContainsFunc(c.Series, func(series StepSeries) bool {
		amounts := slices.DeleteFunc(slices.Clone(series.Values), func(a money.Amount) bool { return a == 0 })
		return len(amounts) > 1 && (len(amounts) < len(c.Steps) || slices.Min(amounts) < slices.Max(amounts))
	})
}

// Draw computes the bars, the marks and the ticks. The axis begins at zero, or at the smallest value if that is negative.
func (c *StepBars) Draw() *StepBars {
	c.Height = cmp.Or(c.Height, usualHeight)
	c.Columns = make([]BarStep, len(c.Steps))
	for step := range c.Steps {
		c.Columns[step].Span = stepAt(step, len(c.Steps))
		c.label(&c.Columns[step], step)
	}
	if !c.Apart {
		c.Bands = []StepBand{c.band(c.Series, plotTop, c.Height-plotBottom)}
		return c
	}
	for i := range c.Series {
		height := (c.Height - plotBottom) / len(c.Series)
		c.Bands = append(c.Bands, c.band(c.Series[i:i+1], i*height+titledTop, (i+1)*height))
		c.foot = 0
		if slices.ContainsFunc(c.Series[i].Values, func(a money.Amount) bool { return a < 0 }) {
			c.foot = valueHeight
		}
	}
	return c
}

// DrawRows computes bars that lie: a row for each step, with a bar of each series, which has its own scale.
func (c *StepBars) DrawRows() *StepBars {
	for _, series := range c.Series {
		s := scale{high: 1}
		s.include(series.Values...)
		band := StepBand{StepSeries: series, Zero: s.of(0)}
		for step, value := range series.Values {
			band.Bars = append(band.Bars, StepBar{Span: s.between(0, value), Step: c.Steps[step], Value: value})
		}
		c.Bands = append(c.Bands, band)
	}
	return c
}

// Lying reports whether DrawRows has drawn the chart.
func (c *StepBars) Lying() bool { return c.Columns == nil }

// band draws the bars of the first series and the marks of the others between two places.
func (c *StepBars) band(series []StepSeries, top, bottom int) StepBand {
	s := scale{high: 1, top: top, pixels: bottom - top}
	for i := range series {
		s.include(series[i].Values...)
	}
	b := StepBand{StepSeries: series[0], Top: top, Height: bottom - top, Ticks: s.stepTicks()}
	for step, value := range b.Values {
		zero, end := s.height(0), s.height(value)
		bar := StepBar{Span: c.Columns[step].inner(columnShare), Step: c.Steps[step], Value: value, Y: min(zero, end), Height: max(zero-end, end-zero)}
		bar.Above, bar.Growing = bar.Y-topGap, c.Growing && step == len(b.Values)-1
		b.Bars = append(b.Bars, bar)
	}
	for _, other := range series[1:] {
		for step, value := range other.Values {
			mark := StepMark{c.Columns[step].inner(markShare), other.Hue, s.height(value)}
			if step < len(b.Bars) && mark.Y > b.Bars[step].Above-valueHeight { // it would cross the value
				b.Bars[step].Above = min(b.Bars[step].Above, mark.At()-topGap)
			}
			b.Marks = append(b.Marks, mark)
		}
	}
	if len(c.Bands) == 0 && len(b.Bars) > 0 && slices.Max(b.Values) > 0 {
		c.Highest = &b.Bars[slices.Index(b.Values, slices.Max(b.Values))]
	}
	return b
}

// label sets the label of a step. Of days, Mondays have one, but not at the end, where half of it would have no room.
func (c *StepBars) label(column *BarStep, step int) {
	if c.days == nil {
		column.Label = labelOf(c.Steps, step)
		return
	}
	weekday, every := c.days[step].Weekday(), len(c.days)/(weekDays*stepLabels)+1
	column.Weekend = (weekday == time.Saturday || weekday == time.Sunday) && !c.Crowded()
	if c.Week() || weekday == time.Monday && step/weekDays%every == 0 && step < len(c.days)-1 {
		column.Weekday, column.Label, _ = strings.Cut(c.Steps[step], " ")
	}
}

// stepAt returns the room of one of count steps.
func stepAt(step, count int) Span {
	width := Percent(hundred) / Percent(max(1, count))
	return Span{From: Percent(step) * width, Width: width}
}

// inner returns a share of a step around its middle.
func (s Span) inner(share Percent) Span {
	return Span{From: s.Middle() - s.Width*share/2, Width: s.Width * share}
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
	return s.top + s.pixels - int(float64(value-s.low)/float64(s.high-s.low)*float64(s.pixels))
}

// stepTicks returns the labelled values of an axis from the bottom to the top.
func (s *scale) stepTicks() []StepTick {
	var ticks []StepTick
	for _, tick := range s.ticks() {
		ticks = append(ticks, StepTick{Value: tick.Value, Top: tick.Top, Y: s.height(tick.Value)})
	}
	return ticks
}
