package kit

import "banca/internal/platform/money"

// Heat is a heat map, drawn by the server: an amount for each row and step, such as each animal and hour. A greater amount has a darker
// cell. Its template part shows the same values in a table below it.
type Heat struct {
	Caption string
	Steps   []string // titles, in order
	Rows    []HeatRow

	Labels []HeatLabel  // of the steps; set by Draw
	Max    money.Amount // the greatest amount; set by Draw
}

// HeatRow is a row with an amount for each step.
type HeatRow struct {
	Name   string
	Values []money.Amount

	Cells []HeatCell // set by Draw
}

// HeatCell is a cell of a row.
type HeatCell struct {
	Span

	Step  string
	Value money.Amount
	Level int // from 0 for zero to heatLevels for the greatest amount
}

// HeatLabel is the title of a step, in the middle of its cells.
type HeatLabel struct {
	Title string
	At    Percent
}

// A greater amount has one of heatLevels colours. A cell leaves a gap to the next one.
const (
	heatLevels         = 5
	heatGap    Percent = 0.3
)

// Levels returns the levels of the legend.
func (h *Heat) Levels() []int {
	levels := make([]int, heatLevels+1)
	for i := range levels {
		levels[i] = i
	}
	return levels
}

// Draw computes the positions and levels of the cells. A negative amount is drawn as zero.
func (h *Heat) Draw() *Heat {
	h.Max, h.Labels = 0, nil
	for i := range h.Rows {
		for _, value := range h.Rows[i].Values {
			h.Max = max(h.Max, value)
		}
	}
	for step := range h.Steps {
		if label := labelOf(h.Steps, step); label != "" {
			h.Labels = append(h.Labels, HeatLabel{Title: label, At: stepAt(step, len(h.Steps)).Middle()})
		}
	}
	for i := range h.Rows {
		row := &h.Rows[i]
		row.Cells = nil
		for step := range min(len(h.Steps), len(row.Values)) {
			cell := stepAt(step, len(h.Steps))
			cell.Width = max(heatGap, cell.Width-heatGap)
			row.Cells = append(row.Cells, HeatCell{Span: cell, Step: h.Steps[step], Value: row.Values[step], Level: h.level(row.Values[step])})
		}
	}
	return h
}

// level returns the level of an amount: 0 for zero or less, otherwise from 1 to heatLevels in proportion to the greatest
// amount, rounded up.
func (h *Heat) level(value money.Amount) int {
	if value <= 0 {
		return 0
	}
	return int((value*heatLevels + h.Max - 1) / h.Max)
}
