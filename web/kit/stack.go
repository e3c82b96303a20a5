package kit

import (
	"slices"

	"banca/internal/platform/money"
)

// Stack is a chart of wholes and their parts, drawn as SVG by the server: a bar for each row, in which the parts follow each other in percent of the whole.
// Parts of more than the whole, such as prizes above sales, end beyond its line; a negative part has no length. The page shows the same figures in a table.
type Stack struct {
	Caption string
	Whole   string // title of the wholes
	Digits  int    // of the currency
	Series  []StackSeries
	Rows    []StackRow

	Full  Percent // place of the whole; set by Draw
	Ticks []Tick  // percents; set by Draw
}

// StackSeries is a part that each row has.
type StackSeries struct {
	Title string
	Hue   Hue
}

// StackRow is a bar. Its parts are in the order of the series.
type StackRow struct {
	Name    string
	Whole   money.Amount
	Amounts []money.Amount

	Parts  []StackPart  // set by Draw
	Cut    bool         // the bar is longer than the chart; set by Draw
	Beyond Span         // its part beyond the whole; without a width for none; set by Draw
	Loss   money.Amount // what the parts are more than the whole, as a negative amount; set by Draw
}

// StackPart is a part of a bar.
type StackPart struct {
	Span

	Share  Percent // of the whole
	Amount money.Amount
	Label  Percent // where the share is written; 0 for nowhere: the loss stands beyond the whole
}

// Bars end at stackMost. Half of a percent is not visible.
const (
	stackMost Percent = 200
	half      Percent = .5
	// slight is by how much a bar may be longer than its whole without more axis.
	slight Percent = 2
	// labelLeast is the length of a part that has room for its share.
	labelLeast Percent = 7
)

// Draw computes the positions of the parts. The chart is as wide as the longest bar, but at least as a whole.
func (s *Stack) Draw() *Stack {
	axis := scale{high: hundred}
	for i := range s.Rows {
		if length := s.Rows[i].draw(s.Series); length > hundred+slight {
			axis.include(money.Amount(min(stackMost, length) + half))
		}
	}
	s.Ticks = axis.ticks()
	s.Full = axis.of(hundred)
	for i := range s.Rows {
		s.Rows[i].place(s.Full)
	}
	return s
}

// place moves the parts of a bar to their places in a chart whose whole ends at a place.
func (r *StackRow) place(full Percent) {
	edge := Percent(hundred)
	if full == hundred {
		edge += slight
	}
	for i := range r.Parts {
		part := &r.Parts[i]
		from, end := part.From*full/hundred, (part.From+part.Width)*full/hundred
		r.Cut = r.Cut || end > edge+half
		part.From, part.Width = min(from, edge), max(0, min(end, edge)-from)
		switch {
		case part.End() <= full+half:
			part.Label = part.Middle()
		case full-part.From >= labelLeast:
			part.Label = (part.From + full) / 2
		}
		if over := part.End() - full; over > half || over > 0 && r.Whole > 0 && r.Loss < 0 {
			r.Beyond = Span{From: full, Width: max(r.Beyond.Width, over)}
		}
	}
}

// Passed reports whether a bar ends beyond its whole.
func (s *Stack) Passed() bool {
	return slices.ContainsFunc(s.Rows, func(row StackRow) bool { return row.Beyond.Width > 0 })
}

// Slight reports whether bars end beyond their whole, and so little that the axis ends with the whole.
func (s *Stack) Slight() bool { return s.Full == hundred && s.Passed() }

// draw computes the parts of a bar in percent of its whole. It returns the length of the bar.
func (r *StackRow) draw(series []StackSeries) (length Percent) {
	r.Parts, r.Loss, r.Beyond = make([]StackPart, len(series)), 0, Span{}
	for i, amount := range r.Amounts {
		share := Percent(0)
		if r.Whole != 0 {
			share = Percent(float64(amount) / float64(r.Whole) * hundred)
		}
		r.Parts[i] = StackPart{Span: Span{From: length, Width: max(0, share)}, Share: share, Amount: amount}
		length += max(0, share)
		r.Loss -= max(0, amount)
	}
	r.Loss = min(0, r.Loss+r.Whole)
	return length
}

// Only is the only row; nil if there are others.
func (s *Stack) Only() *StackRow {
	if len(s.Rows) == 1 {
		return &s.Rows[0]
	}
	return nil
}

// Compares reports whether the chart shows a difference: several parts of the only row, or rows with other shares.
func (s *Stack) Compares() bool {
	drawn := 0
	for i := range s.Rows {
		for j, part := range s.Rows[i].Parts {
			if part.Width.String() != s.Rows[0].Parts[j].Width.String() {
				return true
			}
			if part.Width >= hair {
				drawn++
			}
		}
	}
	return len(s.Rows) == 1 && drawn > 1
}
