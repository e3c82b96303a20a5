package kit

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// StepLabel is the value of a bar, beside its end. Y is the base line.
type StepLabel struct {
	Text   string
	X      Percent
	Y      int
	Anchor string // as that of Tick
	Class  string // of the charts that are wide enough for it, and the hue of the value

	bar   *StepBar
	least Percent // width of the plot that has room for it, in pixels
}

// plotRoom is a width of a plot in pixels from which on labels are chosen, and the class of the labels that no narrower plot has room for.
type plotRoom struct {
	pixels Percent
	class  string
}

// plotRooms returns the widths, the narrowest one first: a plot of a phone, then plots of pages from 600 px on.
func plotRooms() []plotRoom {
	return []plotRoom{{phonePlot, ""}, {leastPlot, "spare"}, {460, "spare wide"}, {860, "spare widest"}}
}

const (
	phonePlot   = 190
	leastPlot   = 340
	labelled    = 3 // losses of a chart
	digitWidth  = 7 // pixels of a digit, at most
	labelSpace  = 2 // around a label, in pixels
	labelHeight = 9 // above the base line
	markHeight  = 3
)

// box is a part of a chart that something covers, in pixels.
type box struct {
	left, right Percent
	top, bottom int
}

func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// over returns the part of a plot of a width that a span covers between two heights.
func (s Span) over(width Percent, top, bottom int) box {
	return box{s.From * width / hundred, s.End() * width / hundred, top, bottom}
}

// widthOf returns the greatest width of a text in pixels.
func widthOf(text string) Percent { return Percent(digitWidth * utf8.RuneCountInString(text)) }

// textBox is the box of a text with its space.
func textBox(text string, left Percent, base int) box {
	return box{left - labelSpace, left + widthOf(text) + labelSpace, base - labelHeight, base + labelSpace}
}

// box is the part of a plot that the label covers.
func (l *StepLabel) box(width Percent) box {
	left, long := l.X*width/hundred, widthOf(l.Text)
	switch l.Anchor {
	case "middle":
		left -= long / 2
	case "end":
		left -= long
	}
	return textBox(l.Text, left, l.Y)
}

// Labels are the values of the bars of a band that have room for them: of a week all amounts, of more steps in a band of their own the three greatest losses.
// The greatest loss is chosen first, on a phone alone. None meets another one, a bar, a mark, the title or a line, and none leaves the chart.
func (c *StepBars) Labels(v *View, band int) (labels []StepLabel) {
	b, wanted := &c.Bands[band], c.wanted(v, band)
	for _, room := range plotRooms() {
		taken := b.taken(room.pixels, c.Apart)
		for i := range labels {
			taken = append(taken, labels[i].box(room.pixels))
		}
		wanted = slices.DeleteFunc(wanted, func(label StepLabel) bool {
			own := label.box(room.pixels)
			if label.least > room.pixels || own.left < -labelSpace || own.right > room.pixels+labelSpace || slices.ContainsFunc(taken, own.meets) {
				return false
			}
			label.Class, label.least = room.class, room.pixels
			if label.bar.Value > 0 {
				label.Class += " " + string(b.Hue)
			}
			labels, taken = append(labels, label), append(taken, own)
			return true
		})
	}
	return labels
}

// wanted returns a label for each amount that should have one, the most important ones first.
func (c *StepBars) wanted(v *View, band int) (labels []StepLabel) {
	b := &c.Bands[band]
	for i := range b.Bars {
		bar := &b.Bars[i]
		if bar.Value < 0 && c.Apart || bar.Value > 0 && c.Week() {
			labels = append(labels, b.label(bar, v.Axis(c.Digits).Value(bar.Value)))
		}
	}
	slices.SortStableFunc(labels, func(x, y StepLabel) int {
		return cmp.Or(cmp.Compare(min(x.bar.Value, 0), min(y.bar.Value, 0)), cmp.Compare(y.bar.Value, x.bar.Value))
	})
	if c.Week() {
		return labels
	}
	return labels[:min(labelled, len(labels))]
}

// label returns the label of a bar. It begins or ends with a bar at the edge of the chart, and stands beyond a line that would cross it.
func (b *StepBand) label(bar *StepBar, text string) StepLabel {
	l := StepLabel{Text: text, X: bar.Middle(), Y: bar.Above, Anchor: "middle", bar: bar, least: leastPlot}
	if bar.Value < 0 && bar == &b.Bars[slices.Index(b.Values, slices.Min(b.Values))] {
		l.least = phonePlot
	}
	switch own := l.box(l.least); {
	case own.left < 0:
		l.X, l.Anchor = bar.From, "start"
	case own.right > l.least:
		l.X, l.Anchor = bar.End(), "end"
	}
	ticks := slices.Clone(b.Ticks)
	if bar.Value < 0 {
		l.Y = bar.Below()
		slices.Reverse(ticks)
	}
	for _, tick := range ticks {
		switch own := l.box(leastPlot); {
		case tick.Y < own.top || tick.Y > own.bottom:
		case bar.Value < 0:
			l.Y = tick.Y + valueHeight
		default:
			l.Y = tick.Y - topGap
		}
	}
	return l
}

// taken returns what labels may not cover: the bars, the marks, the lines and the title of a band.
func (b *StepBand) taken(width Percent, titled bool) (boxes []box) {
	for i := range b.Bars {
		boxes = append(boxes, b.Bars[i].over(width, b.Bars[i].Y, b.Bars[i].Y+b.Bars[i].Height))
	}
	for i := range b.Marks {
		boxes = append(boxes, b.Marks[i].over(width, b.Marks[i].At(), b.Marks[i].At()+markHeight))
	}
	for i := range b.Ticks {
		boxes = append(boxes, box{0, width, b.Ticks[i].Y, b.Ticks[i].Y + 1})
	}
	if titled {
		boxes = append(boxes, textBox(b.Title, 0, b.TitleAt()))
	}
	return boxes
}
