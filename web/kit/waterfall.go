package kit

import "banca/internal/platform/money"

// Waterfall is a chart of the steps from one amount to another, drawn by the server: one row for each step, whose bar begins where that of
// the step before ended. The page shows the same figures in a table.
type Waterfall struct {
	Caption string
	Digits  int // of the currency
	Steps   []WaterfallStep

	Zero  Percent // set by Draw
	Ticks []Tick  // set by Draw
}

// WaterfallStep is a step. A total begins at zero and changes nothing.
type WaterfallStep struct {
	Name   string
	Amount money.Amount // what the step adds; the sum so far for a total
	Total  bool
	Share  string // of a whole, for a phone, which has no table beside the chart; "" for none
	Hue    Hue

	Bar         Span    // set by Draw, as are the following
	Before, End Percent // where the line from the step before arrives, and where that to the next one begins
	First, Last bool
}

// Draw computes the positions of the bars and the ticks. The axis contains zero.
func (w *Waterfall) Draw() *Waterfall {
	s, running := scale{high: 1}, money.Amount(0)
	for i := range w.Steps {
		if !w.Steps[i].Total {
			running += w.Steps[i].Amount
		}
		s.include(running)
	}
	w.Ticks, running = s.ticks(), 0
	w.Zero = s.of(0)
	for i := range w.Steps {
		step := &w.Steps[i]
		before := running
		step.Before, step.First, step.Last = s.of(before), i == 0, i == len(w.Steps)-1
		if step.Total {
			before = 0
		} else {
			running += step.Amount
		}
		step.Bar, step.End = s.between(before, running), s.of(running)
	}
	return w
}
