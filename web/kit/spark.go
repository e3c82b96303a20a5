package kit

import (
	"fmt"
	"strings"

	"banca/internal/money"
)

// Spark is a small line without an axis beside a figure. Its values stand in a table for screen readers.
type Spark struct {
	Title  string
	Steps  []string // titles, in order
	Values []string // as texts

	Points       string // of the line, in units of the view box
	LastX, LastY int    // the end of the line
}

// The line, in units of its view box.
const (
	sparkWidth  = 120
	sparkHeight = 28
	sparkEdge   = 3 // around the line
)

// Spark returns a line of amounts, one for each step. It fills its height from the least amount to the greatest.
func (v *View) Spark(title string, steps []string, amounts []money.Amount, digits int) *Spark {
	s := &Spark{Title: title, Steps: steps[:min(len(steps), len(amounts))]}
	if len(s.Steps) == 0 {
		return s
	}
	amounts = amounts[:len(s.Steps)]
	least, most := amounts[0], amounts[0]
	for _, amount := range amounts {
		least, most = min(least, amount), max(most, amount)
		s.Values = append(s.Values, v.Money(amount, digits))
	}
	points := make([]string, len(amounts))
	for i, amount := range amounts {
		s.LastX, s.LastY = sparkEdge+i*(sparkWidth-2*sparkEdge)/max(1, len(amounts)-1), sparkHeight/2
		if most > least {
			s.LastY = sparkHeight - sparkEdge - int((amount-least)*(sparkHeight-2*sparkEdge)/(most-least))
		}
		points[i] = fmt.Sprintf("%d,%d", s.LastX, s.LastY)
	}
	s.Points = strings.Join(points, " ")
	return s
}
