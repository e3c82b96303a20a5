package kit

import (
	"fmt"

	"banca/internal/money"
)

// Stat is a tile with one figure.
type Stat struct {
	Figure string
	Unit   string // after the figure, on its line
	Label  string
	Link   string // address of the list behind the figure; "" without one
	Hint   string
	Change *Change // of the figure; nil without one
	Spark  *Spark  // of the figure; nil without one
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

// Against adds how the figure has changed.
func (s *Stat) Against(change *Change) *Stat {
	s.Change = change
	return s
}

// Over adds the figures before, as a line.
func (s *Stat) Over(spark *Spark) *Stat {
	s.Spark = spark
	return s
}

// Change is how a figure differs from an earlier one, such as that of the same weekday last week.
type Change struct {
	Tone string
	Sign string // shape of the direction
	Word string // the direction for screen readers
	Text string
}

// maxChange bounds a change in percent.
const maxChange = 999

// Change returns how a figure differs from an earlier one, which than names. A rise is good.
func (v *View) Change(now, before money.Amount, than string) *Change {
	c := &Change{Tone: ToneOff, Sign: "=", Word: v.T("change.same"), Text: than}
	switch {
	case now > before:
		c.Tone, c.Sign, c.Word = ToneOK, "▲", v.T("change.up")
	case now < before:
		c.Tone, c.Sign, c.Word = ToneTrouble, "▼", v.T("change.down")
	default:
		return c
	}
	if before == 0 {
		c.Text = v.T("change.nothing", than)
		return c
	}
	percent := percentOf(now, before)
	if percent > maxChange {
		c.Text = fmt.Sprintf("> %d %% %s", maxChange, than)
		return c
	}
	c.Text = fmt.Sprintf("%d %% %s", percent, than)
	return c
}

// Bad turns the tones, for a figure whose rise is bad, such as cancellations.
func (c *Change) Bad() *Change {
	switch c.Tone {
	case ToneOK:
		c.Tone = ToneTrouble
	case ToneTrouble:
		c.Tone = ToneOK
	}
	return c
}

// percentOf returns by how much two amounts differ in percent of the second one, rounded half up.
func percentOf(now, before money.Amount) int64 {
	difference, whole := now-before, before
	if difference < 0 {
		difference = -difference
	}
	if whole < 0 {
		whole = -whole
	}
	return int64((difference*hundred + whole/2) / whole)
}
