package kit

import (
	"fmt"
	"strings"

	"banca/internal/money"
)

// Spark is a sparkline: a small line without an axis beside a figure. Its template part has a table of the values for
// screen readers.
type Spark struct {
	Title  string
	Steps  []string // titles, in order
	Values []string // formatted amounts

	Points       string // of the line, in units of the view box
	LastX, LastY int    // the last point of the line
}

// The sparkline, in units of its view box.
const (
	sparkWidth  = 120
	sparkHeight = 28
	sparkEdge   = 3 // margin around the line
)

// Spark returns a sparkline of amounts, one for each step. The smallest amount is at the bottom, the greatest at the top.
func (v *View) Spark(title string, steps []string, amounts []money.Amount, digits int) *Spark {
	s := &Spark{Title: title, Steps: steps[:min(len(steps), len(amounts))]}
	if len(s.Steps) == 0 {
		return s
	}
	amounts = amounts[:len(s.Steps)]
	low, high := amounts[0], amounts[0]
	for _, amount := range amounts {
		low, high = min(low, amount), max(high, amount)
		s.Values = append(s.Values, v.Money(amount, digits))
	}
	points := make([]string, len(amounts))
	for i, amount := range amounts {
		s.LastX, s.LastY = sparkEdge+i*(sparkWidth-2*sparkEdge)/max(1, len(amounts)-1), sparkHeight/2
		if high > low {
			s.LastY = sparkHeight - sparkEdge - int((amount-low)*(sparkHeight-2*sparkEdge)/(high-low))
		}
		points[i] = fmt.Sprintf("%d,%d", s.LastX, s.LastY)
	}
	s.Points = strings.Join(points, " ")
	return s
}
