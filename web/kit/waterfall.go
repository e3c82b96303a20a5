package kit

import "banca/internal/money"

// Waterfall is a chart of the steps from one amount to another, drawn as SVG by the server: one row for each step, whose bar begins
// where that of the step before ended. The page shows the same figures in a table.
type Waterfall struct {
	Caption string
	Digits  int // of the currency
	Steps   []WaterfallStep

	Ticks []WaterfallTick // of the axis; set by Draw
	Zero  int             // x of the zero line in units of the view box; set by Draw
}

// WaterfallStep is a step. A total begins at zero and changes nothing.
type WaterfallStep struct {
	Name   string
	Amount money.Amount // what the step adds; the sum so far for a total
	Total  bool

	Kind     string // class of its bar; set by Draw, as are the following, in units of the view box
	X, Y     int
	Width    int
	Text     int // y of its name and amount
	End, Top int // of the line to the next step
}

// WaterfallTick is a labelled value of the axis.
type WaterfallTick struct {
	Value money.Amount
	X     int
}

// The chart, in units of its view box.
const (
	waterfallLeft  = 180
	waterfallWidth = 330
	waterfallRow   = 26
	waterfallBar   = 16
	waterfallAxis  = 22 // height of the labels below
	waterfallTicks = 2
)

// Height is the height of the view box, AxisY the end of the lines of the axis, and Label the y of its labels.
func (w *Waterfall) Height() int { return w.AxisY() + waterfallAxis }

// AxisY is described at Height.
func (w *Waterfall) AxisY() int { return len(w.Steps) * waterfallRow }

// Label is described at Height.
func (w *Waterfall) Label() int { return w.AxisY() + waterfallAxis - barGap }

// Draw computes the positions of the bars and the ticks. The axis contains zero.
func (w *Waterfall) Draw() *Waterfall {
	low, high, running := money.Amount(0), money.Amount(1), money.Amount(0)
	for i := range w.Steps {
		if !w.Steps[i].Total {
			running += w.Steps[i].Amount
		}
		low, high = min(low, running), max(high, running)
	}
	place := func(value money.Amount) int { return waterfallLeft + int((value-low)*waterfallWidth/(high-low)) }
	w.Zero, running, w.Ticks = place(0), 0, nil
	for i := range w.Steps {
		s := &w.Steps[i]
		before := running
		switch {
		case s.Total:
			s.Kind, before = "total", 0
		case s.Amount < 0:
			s.Kind = "fall"
		default:
			s.Kind = "rise"
		}
		if !s.Total {
			running += s.Amount
		}
		left, right := place(min(before, running)), place(max(before, running))
		s.X, s.Width, s.Y = left, max(1, right-left), i*waterfallRow+(waterfallRow-waterfallBar)/2
		s.Text, s.End, s.Top = i*waterfallRow+waterfallRow/2+barText, place(running), s.Y+waterfallBar
	}
	for i := range money.Amount(waterfallTicks + 1) {
		value := low + (high-low)*i/waterfallTicks
		if len(w.Ticks) == 0 || w.Ticks[len(w.Ticks)-1].Value != value {
			w.Ticks = append(w.Ticks, WaterfallTick{Value: value, X: place(value)})
		}
	}
	return w
}

// Next returns the y at which the line from a step ends, at the bar of the next step.
func (w *Waterfall) Next(step int) int { return w.Steps[min(step+1, len(w.Steps)-1)].Y }
