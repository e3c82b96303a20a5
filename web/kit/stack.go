package kit

import "banca/internal/money"

// Stack is a chart of columns, drawn as SVG by the server: amounts over equal steps, such as hours, whose parts stand on
// each other. Its part writes the table of its values below it.
type Stack struct {
	Caption string
	Steps   []string // titles, in order
	Series  []StackSeries

	Ticks   []LineTick // of the axis; filled in by Draw
	Columns []StackColumn
}

// StackSeries is a part of every column, with an amount for each step.
type StackSeries struct {
	Title  string
	Values []money.Amount
}

// StackColumn is a column with its parts from below, in units of the view box.
type StackColumn struct {
	Step, Label string // Label is "" where there is no room for it
	Middle      int
	Parts       []StackPart
}

// StackPart is a part of a column.
type StackPart struct {
	Series              int
	Title               string
	Value               money.Amount
	X, Y, Width, Height int
}

// The columns fill barShare of tenParts of their steps. At most stackLabels of the steps are named.
const (
	barShare    = 7
	tenParts    = 10
	stackLabels = 8
)

// Draw computes the places of the columns; the greatest fills the chart. An amount below zero is drawn as zero.
func (s *Stack) Draw() *Stack {
	most := money.Amount(1)
	for step := range s.Steps {
		most = max(most, s.total(step))
	}
	height := func(value money.Amount) int { return lineTop + lineHeight - int(value*lineHeight/most) }
	s.Ticks, s.Columns = ticksOf(0, most, height), make([]StackColumn, len(s.Steps))
	room := (lineWidth - lineLeft) / max(1, len(s.Steps))
	apart := (len(s.Steps) + stackLabels - 1) / stackLabels
	for step, title := range s.Steps {
		column := &s.Columns[step]
		column.Step, column.Middle = title, lineLeft+step*room+room/2
		if step%apart == 0 {
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
				X: column.Middle - room*barShare/tenParts/2, Width: max(1, room*barShare/tenParts), Y: height(sum), Height: bottom - height(sum),
			})
		}
	}
	return s
}

// value returns the drawn amount of a series at a step.
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
