package kit

import "banca/internal/money"

// Heat is a heat map, drawn as SVG by the server: an amount for each row and step, such as each animal and hour. A greater
// amount has a darker cell. Its template part shows the same values in a table below it.
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

	Y, Text int // y of the row and of its name, in units of the view box; set by Draw
	Cells   []HeatCell
}

// HeatCell is a cell of a row. X and Width are in units of the view box.
type HeatCell struct {
	Step  string
	Value money.Amount
	Level int // from 0 for zero to heatLevels for the greatest amount
	X     int
	Width int
}

// HeatLabel is the title of a step with its position.
type HeatLabel struct {
	Title string
	X     int
}

// The heat map, in units of its view box.
const (
	heatLevels = 5
	heatLeft   = 130
	heatTop    = 20
	heatRow    = 18
	heatText   = 12 // from the top of a row to the baseline of its name
	heatGap    = 1
)

// Height returns the height of the view box.
func (h *Heat) Height() int { return heatTop + len(h.Rows)*heatRow }

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
	stepWidth, labelEvery := stepsOf(heatLeft, len(h.Steps))
	for step, title := range h.Steps {
		if step%labelEvery == 0 {
			h.Labels = append(h.Labels, HeatLabel{Title: title, X: heatLeft + step*stepWidth + stepWidth/2})
		}
	}
	for i := range h.Rows {
		row := &h.Rows[i]
		row.Y, row.Text, row.Cells = heatTop+i*heatRow, heatTop+i*heatRow+heatText, nil
		for step := range min(len(h.Steps), len(row.Values)) {
			row.Cells = append(row.Cells, HeatCell{
				Step: h.Steps[step], Value: row.Values[step], Level: h.level(row.Values[step]),
				X: heatLeft + step*stepWidth, Width: max(1, stepWidth-heatGap),
			})
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
