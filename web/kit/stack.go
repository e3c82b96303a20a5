package kit

import "banca/internal/platform/money"

// Stack is a chart of stacked columns, drawn as SVG by the server: one column for each step, such as an hour, with one part
// for each series. Its template part shows the same values in a table below it.
type Stack struct {
	Caption string
	Digits  int      // of the currency
	Steps   []string // titles, in order
	Series  []StepSeries

	Ticks   []StepTick    // of the axis; set by Draw
	Columns []StackColumn // set by Draw
}

// StackColumn is a column with its parts from the bottom to the top.
type StackColumn struct {
	Span

	Step, Label string // Label is "" if there is no space for it
	Parts       []StackPart
}

// StackPart is a part of a column. Y and Height are in pixels.
type StackPart struct {
	Series    int // index
	Title     string
	Value     money.Amount
	Y, Height int
}

// A column is columnShare as wide as its step. At highest stepLabels steps of an axis have a label, of labelLetters letters together, which a phone has
// room for.
const (
	columnShare  = 0.7
	stepLabels   = 6
	labelLetters = 36
)

// Draw computes the positions of the columns. The highest column has the full height. A negative amount is drawn as zero.
func (s *Stack) Draw() *Stack {
	scale := scale{high: 1, pixels: usualHeight - plotTop - plotBottom}
	for step := range s.Steps {
		scale.include(s.total(step))
	}
	s.Ticks, s.Columns = scale.stepTicks(), make([]StackColumn, len(s.Steps))
	for step, title := range s.Steps {
		column := &s.Columns[step]
		column.Step, column.Label, column.Span = title, labelOf(s.Steps, step), stepAt(step, len(s.Steps)).column()
		sum := money.Amount(0)
		for i := range s.Series {
			value := s.value(i, step)
			if value == 0 {
				continue
			}
			bottom := scale.height(sum)
			sum += value
			column.Parts = append(column.Parts, StackPart{
				Series: i, Title: s.Series[i].Title, Value: value, Y: scale.height(sum), Height: bottom - scale.height(sum),
			})
		}
	}
	return s
}

// stepAt returns the room of one of count steps.
func stepAt(step, count int) Span {
	width := Percent(hundred) / Percent(max(1, count))
	return Span{From: Percent(step) * width, Width: width}
}

// column returns the column in a step.
func (s Span) column() Span {
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

// value returns the amount that is drawn for a series at a step.
func (s *Stack) value(series, step int) money.Amount {
	if values := s.Series[series].Values; step < len(values) {
		return max(0, values[step])
	}
	return 0
}

func (s *Stack) total(step int) money.Amount {
	var sum money.Amount
	for i := range s.Series {
		sum += s.value(i, step)
	}
	return sum
}
