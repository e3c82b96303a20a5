package kit

import (
	"strconv"

	"banca/internal/platform/money"
)

// Percent is a place along a chart, or a length, in parts of a hundred of its width. Charts are drawn in these, so that they fit every screen
// with letters of one size.
type Percent float64

// percentDigits is how many digits of a percent a page has: a hundredth of a percent of 720 px is not visible.
const percentDigits = 2

// String returns the attribute of an SVG element.
func (p Percent) String() string {
	return strconv.FormatFloat(float64(p), 'f', percentDigits, 64) + "%"
}

// scale places amounts between the least and the greatest one of a chart. What it returns is geometry: no amount is computed from it.
type scale struct {
	low, high money.Amount

	top, pixels int // of the height of a chart with a vertical scale
}

// include widens the scale to amounts.
func (s *scale) include(amounts ...money.Amount) {
	for _, amount := range amounts {
		s.low, s.high = min(s.low, amount), max(s.high, amount)
	}
}

// of returns the place of an amount.
func (s *scale) of(amount money.Amount) Percent {
	return Percent(float64(amount-s.low) / float64(s.high-s.low) * hundred)
}

// Span is a bar of a chart, at least a hair wide so that a zero is visible.
type Span struct{ From, Width Percent }

// Middle is the place of its middle.
func (s Span) Middle() Percent { return s.From + s.Width/2 }

// End is the place of its end.
func (s Span) End() Percent { return s.From + s.Width }

// hair is the width of a bar of nothing.
const hair Percent = 0.2

// between returns the bar from one amount to another.
func (s *scale) between(from, to money.Amount) Span {
	left, right := s.of(min(from, to)), s.of(max(from, to))
	return Span{From: min(left, hundred-hair), Width: max(hair, right-left)}
}

// Tick is a labelled value of an axis from left to right. The labels of the first and the last one end with the axis.
type Tick struct {
	Value  money.Amount
	Top    money.Amount // of the axis, which decides the unit of all its labels
	At     Percent
	Anchor string // where its text begins, a text-anchor of SVG
}

// The ticks of an axis divide it into at least fewSpaces and at most mostSpaces. A vertical axis, whose bars have no value beside them, has one space more,
// and a vertical axis of less than lowPixels at most lowSpaces.
const fewSpaces, mostSpaces, lowSpaces, lowPixels = 2, 5, 3, 100

// round widens the scale to multiples of a round step, which it returns: of those with a fitting number of spaces, the step that widens it least, and of
// equal ones the greatest.
func (s *scale) round() (step money.Amount) {
	given, few, most := *s, money.Amount(fewSpaces), money.Amount(mostSpaces)
	switch {
	case s.pixels >= lowPixels:
		few, most = few+1, most+1
	case s.pixels > 0:
		most = lowSpaces
	}
	for base := money.Amount(1); ; base *= 10 {
		for _, each := range []money.Amount{base, 2 * base, base * 5 / 2, 5 * base} {
			low, high := -((-given.low + each - 1) / each * each), (given.high+each-1)/each*each
			switch spaces := (high - low) / each; {
			case spaces < few || each > given.high-given.low:
				return max(1, step)
			case spaces <= most && (step == 0 || high-low <= s.high-s.low):
				step, s.low, s.high = each, low, high
			}
		}
	}
}

// ticks returns the labelled values of an axis, whose ends it makes round.
func (s *scale) ticks() []Tick {
	step := s.round()
	var ticks []Tick
	for value := s.low; value <= s.high; value += step {
		ticks = append(ticks, Tick{Value: value, Top: max(s.high, -s.low), At: s.of(value), Anchor: "middle"})
	}
	ticks[0].Anchor, ticks[len(ticks)-1].Anchor = "start", "end"
	return ticks
}
