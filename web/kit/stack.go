package kit

import "banca/internal/money"

// Stack is a chart of stacked columns, drawn as SVG by the server: one column for each step, such as an hour, with one part
// for each series. Its template part shows the same values in a table below it.
type Stack struct {
	Caption string
	Digits  int      // of the currency
	Steps   []string // titles, in order
	Series  []StackSeries

	Ticks   []LineTick    // of the axis; set by Draw
	Columns []StackColumn // set by Draw
}

// StackSeries is a series of the chart, with an amount for each step.
type StackSeries struct {
	Title  string
	Values []money.Amount
}

// StackColumn is a column with its parts from the bottom to the top.
type StackColumn struct {
	Step, Label string // Label is "" if there is no space for it
	Middle      int    // x in units of the view box
	Parts       []StackPart
}

// StackPart is a part of a column, in units of the view box.
type StackPart struct {
	Series              int // index
	Title               string
	Value               money.Amount
	X, Y, Width, Height int
}

// The width of a column is columnShare tenths of the width of its step. At highest stackLabels steps have a label.
const (
	columnShare = 7
	tenths      = 10
	stackLabels = 8
)

// Draw computes the positions of the columns. The highest column has the full height. A negative amount is drawn as zero.
func (s *Stack) Draw() *Stack {
	highest := money.Amount(1)
	for step := range s.Steps {
		highest = max(highest, s.total(step))
	}
	height := func(value money.Amount) int { return lineTop + lineHeight - int(value*lineHeight/highest) }
	s.Ticks, s.Columns = ticksOf(0, highest, height), make([]StackColumn, len(s.Steps))
	stepWidth, labelEvery := stepsOf(lineLeft, len(s.Steps))
	for step, title := range s.Steps {
		column := &s.Columns[step]
		column.Step, column.Middle = title, lineLeft+step*stepWidth+stepWidth/2
		if step%labelEvery == 0 {
			column.Label = title
		}
		sum := money.Amount(0)
		for i := range s.Series {
			value := s.value(i, step)
			if value == 0 {
				continue
			}
			bottom := height(sum)
			sum += value
			column.Parts = append(column.Parts, StackPart{
				Series: i, Title: s.Series[i].Title, Value: value,
				X: column.Middle - stepWidth*columnShare/tenths/2, Width: max(1, stepWidth*columnShare/tenths), Y: height(sum), Height: bottom - height(sum),
			})
		}
	}
	return s
}

// stepsOf returns the width of each of count steps from left to the right edge, and how many steps share a label.
func stepsOf(left, count int) (width, labelEvery int) {
	return (lineWidth - left) / max(1, count), (count + stackLabels - 1) / stackLabels
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
