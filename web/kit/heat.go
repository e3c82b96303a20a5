package kit

import "banca/internal/money"

// Heat is a strip of cells, drawn as SVG by the server: an amount for each name and step, such as each animal and hour.
// The more, the darker the cell. Its part writes the table of its values below it.
type Heat struct {
	Caption string
	Steps   []string // titles, in order
	Rows    []HeatRow

	Labels []HeatLabel // of the steps; filled in by Draw
	Most   money.Amount
}

// HeatRow is a name with an amount for each step.
type HeatRow struct {
	Name   string
	Values []money.Amount

	Y, Text int // in units of the view box; filled in by Draw
	Cells   []HeatCell
}

// HeatCell is a cell in units of the view box.
type HeatCell struct {
	Step  string
	Value money.Amount
	Level int // 0 for nothing, heatLevels for the greatest amount
	X     int
	Width int
}

// HeatLabel is the title of a step.
type HeatLabel struct {
	Title string
	X     int
}

// The strip, in units of its view box.
const (
	heatLevels = 5
	heatLeft   = 130
	heatTop    = 20
	heatRow    = 18
	heatText   = 12 // from the top of a row to the line of its text
	heatGap    = 1
)

// Height is the height of the view box.
func (h *Heat) Height() int { return heatTop + len(h.Rows)*heatRow }

// Levels are the levels of the legend.
func (h *Heat) Levels() []int {
	levels := make([]int, heatLevels+1)
	for i := range levels {
		levels[i] = i
	}
	return levels
}

// Draw computes the places and levels of the cells. An amount below zero is drawn as zero.
func (h *Heat) Draw() *Heat {
	h.Most, h.Labels = 0, nil
	for i := range h.Rows {
		for _, value := range h.Rows[i].Values {
			h.Most = max(h.Most, value)
		}
	}
	room := (lineWidth - heatLeft) / max(1, len(h.Steps))
	apart := (len(h.Steps) + stackLabels - 1) / stackLabels
	for step, title := range h.Steps {
		if step%apart == 0 {
			h.Labels = append(h.Labels, HeatLabel{Title: title, X: heatLeft + step*room + room/2})
		}
	}
	for i := range h.Rows {
		row := &h.Rows[i]
		row.Y, row.Text, row.Cells = heatTop+i*heatRow, heatTop+i*heatRow+heatText, nil
		for step := range min(len(h.Steps), len(row.Values)) {
			row.Cells = append(row.Cells, HeatCell{
				Step: h.Steps[step], Value: row.Values[step], Level: h.level(row.Values[step]),
				X: heatLeft + step*room, Width: max(1, room-heatGap),
			})
		}
	}
	return h
}

// level returns the level of an amount: the least above zero has the first one, the greatest the last one.
func (h *Heat) level(value money.Amount) int {
	if value <= 0 {
		return 0
	}
	return int((value*heatLevels + h.Most - 1) / h.Most)
}
