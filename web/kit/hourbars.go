package kit

import (
	"math"
	"time"
)

// HourBars is a picture of the last hour: a bar for each minute. A minute with a failure has the full height; the others are scaled to the highest one.
type HourBars struct {
	Bars      []HourBar
	Text      string // what the picture shows
	From, End string // the first and the last minute
}

// HourBar is a minute, in units of the view box.
type HourBar struct {
	X, Y, Height int
	Failed       bool
}

// Minute is what a bar shows.
type Minute struct {
	At     time.Time
	Value  int64
	Failed bool
}

// The picture, in units of its view box.
const (
	hourBar       = 3
	hourBarHeight = 28
	hourBarMin    = 2
)

// HourBars returns the picture of the hour that ends at an instant.
func (v *View) HourBars(end time.Time, text string, minutes []Minute) *HourBars {
	const hour = 60
	p := &HourBars{Text: text, From: v.TimeOfDay(end.Add(-time.Hour)), End: v.TimeOfDay(end)}
	highest := int64(1)
	for _, m := range minutes {
		highest = max(highest, m.Value)
	}
	for _, m := range minutes {
		back := int(end.Truncate(time.Minute).Sub(m.At) / time.Minute)
		if back < 0 || back >= hour {
			continue
		}
		b := HourBar{X: (hour - 1 - back) * hourBar, Height: hourBarHeight, Failed: m.Failed}
		if !b.Failed {
			b.Height = hourBarMin + int(math.Sqrt(float64(m.Value)/float64(highest))*(hourBarHeight-hourBarMin)) // one high bar leaves the others visible
		}
		b.Y = hourBarHeight - b.Height
		p.Bars = append(p.Bars, b)
	}
	return p
}
