package kit

import (
	"fmt"
	"slices"

	"banca/internal/platform/money"
)

// Stat is a tile with one figure.
type Stat struct {
	Figure string
	Exact  string // the amount of a shortened figure; "" for none
	Unit   string // after the figure, on its line
	Label  string
	Link   string // address of the list behind the figure; "" for none
	Hint   string
	Change *Change // of the figure; nil for none
	Spark  *Spark  // of the figure; nil for none
	Meter  *Meter  // of the figure; nil for none

	whole string // the amount without decimals; "" for other figures
}

// newStat returns a tile. Templates call it as stat.
func newStat(figure any, label string) *Stat { return &Stat{Figure: fmt.Sprint(figure), Label: label} }

// Stat returns a tile with an amount, as Figure formats it.
func (v *View) Stat(a money.Amount, digits int, label string) *Stat {
	s := &Stat{Figure: v.Figure(a, digits), Label: label, whole: v.Whole(a, digits)}
	if exact := v.Money(a, digits); exact != s.Figure {
		s.Exact = exact
	}
	return s
}

// Evenly returns the tiles of a band with all amounts whole if one of them is. Templates call it as band.
func Evenly(band ...*Stat) []*Stat {
	if !slices.ContainsFunc(band, func(s *Stat) bool { return s.Exact != "" }) {
		return band
	}
	for _, s := range band {
		if s.whole != "" && s.whole != s.Figure {
			s.Figure, s.Exact = s.whole, s.Figure
		}
	}
	return band
}

// WithUnit adds the unit of the figure.
func (s *Stat) WithUnit(unit string) *Stat {
	s.Unit = unit
	return s
}

// To sets the link to the list behind the figure.
func (s *Stat) To(address string) *Stat {
	s.Link = address
	return s
}

// WithHint adds a hint below the label.
func (s *Stat) WithHint(hint string) *Stat {
	s.Hint = hint
	return s
}

// AndHint adds to the hint.
func (s *Stat) AndHint(hint string) *Stat {
	if s.Hint != "" {
		hint = s.Hint + ", " + hint
	}
	return s.WithHint(hint)
}

// WithChange adds the change of the figure.
func (s *Stat) WithChange(change *Change) *Stat {
	s.Change = change
	return s
}

// WithSpark adds a line of the earlier figures.
func (s *Stat) WithSpark(spark *Spark) *Stat {
	s.Spark = spark
	return s
}

// WithMeter adds a bar of how much of a bound the figure uses.
func (s *Stat) WithMeter(meter *Meter) *Stat {
	s.Meter = meter
	return s
}

// Change is the difference between a figure and an earlier one, such as the figure of the same weekday last week.
type Change struct {
	Tone string
	Sign string // symbol of the direction
	Word string // the direction for screen readers
	Text string

	Title string // with what it is compared
}

// maxChange is the largest change that is shown in percent: ten times as much more.
const maxChange = 1000

// Change returns the change of a figure from before to now. baseline is the text that names the earlier figure. A rise has
// the tone of a success.
func (v *View) Change(now, before money.Amount, baseline string) *Change {
	c := &Change{Tone: ToneOff, Sign: "=", Word: v.T("change.same"), Text: "0 % " + baseline}
	switch {
	case before != 0 && percentOf(now, before) == 0:
		return c
	case now > before:
		c.Tone, c.Sign, c.Word = ToneOK, "▲", v.T("change.up")
	case now < before:
		c.Tone, c.Sign, c.Word = ToneTrouble, "▼", v.T("change.down")
	default:
		return c
	}
	if before == 0 {
		c.Text = v.T("change.nothing", baseline)
		return c
	}
	percent := percentOf(now, before)
	if percent > maxChange {
		c.Text = v.T("change.many", baseline)
		return c
	}
	c.Text = fmt.Sprintf("%d %% %s", percent, baseline)
	return c
}

// InvertTones swaps the tones, for a figure whose rise is bad, such as cancellations.
func (c *Change) InvertTones() *Change {
	switch c.Tone {
	case ToneOK:
		c.Tone = ToneTrouble
	case ToneTrouble:
		c.Tone = ToneOK
	}
	return c
}

// percentOf returns the absolute difference of two amounts in percent of the earlier one, rounded half up.
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
