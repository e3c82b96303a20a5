package kit

import (
	"fmt"
	"slices"
	"strings"

	"banca/internal/platform/money"
)

// Spark is a sparkline: a small line without an axis beside a figure, and a faint one of earlier amounts behind it. Its template part has
// a table of the values for screen readers.
type Spark struct {
	Title    string
	Baseline string   // title of the earlier amounts
	Steps    []string // titles, in order
	Values   []string // formatted amounts; fewer than steps if the last ones are to come
	Earlier  []string // formatted earlier amounts; nil for none

	Points        string // of the line, in units of the view box
	EarlierPoints string // of the faint line
	LastX, LastY  int    // the last point of the line
}

// The sparkline, in units of its view box.
const (
	sparkWidth  = 120
	sparkHeight = 28
	sparkEdge   = 3 // margin around the line
)

// Spark returns a sparkline of amounts, one for each step. The smallest amount is at the bottom, the greatest at the top.
func (v *View) Spark(title string, steps []string, amounts []money.Amount, digits int) *Spark {
	steps = steps[:min(len(steps), len(amounts))]
	return v.SparkAgainst(title, steps, amounts[:len(steps)], "", nil, digits)
}

// SparkAgainst returns a sparkline of amounts, and of the earlier ones of the same steps, such as the days of the week before. The last
// steps may have no amount yet.
func (v *View) SparkAgainst(title string, steps []string, amounts []money.Amount, baseline string, earlier []money.Amount, digits int) *Spark {
	s := &Spark{Title: title, Baseline: baseline, Steps: steps}
	if len(amounts) == 0 {
		return &Spark{Title: title}
	}
	all := slices.Concat(amounts, earlier)
	low, high := slices.Min(all), slices.Max(all)
	line := func(amounts []money.Amount) (text string, values []string) {
		var points []string
		for i, amount := range amounts {
			s.LastX, s.LastY = sparkEdge+i*(sparkWidth-2*sparkEdge)/max(1, len(steps)-1), sparkHeight/2
			if high > low {
				s.LastY = sparkHeight - sparkEdge - int((amount-low)*(sparkHeight-2*sparkEdge)/(high-low))
			}
			points = append(points, fmt.Sprintf("%d,%d", s.LastX, s.LastY))
			values = append(values, v.Money(amount, digits))
		}
		return strings.Join(points, " "), values
	}
	s.EarlierPoints, s.Earlier = line(earlier)
	s.Points, s.Values = line(amounts)
	return s
}
