package kit

import "fmt"

// Stat is a tile with one figure.
type Stat struct {
	Figure string
	Unit   string // after the figure, on its line
	Label  string
	Link   string // address of the list behind the figure; "" without one
	Hint   string
}

// newStat returns a tile, for templates.
func newStat(figure any, label string) *Stat { return &Stat{Figure: fmt.Sprint(figure), Label: label} }

// In adds the unit of the figure.
func (s *Stat) In(unit string) *Stat {
	s.Unit = unit
	return s
}

// To leads to the list behind the figure.
func (s *Stat) To(address string) *Stat {
	s.Link = address
	return s
}

// Say adds a hint below the label.
func (s *Stat) Say(hint string) *Stat {
	s.Hint = hint
	return s
}
