package start

import (
	"fmt"

	"banca/internal/platform/money"
	"banca/internal/rollup"
	"banca/web/kit"
)

// Hours of a day on the chart, unless there are sales before the first one.
const (
	firstHour = 7
	lastHour  = 23
	noon      = 12
)

// Hours is the chart of sales by hour, today and on the same weekday of last week.
func (m *dayMoney) Hours(v *kit.View) *kit.Line {
	first := firstHour
	for _, list := range [][]rollup.Hour{m.Pace.Today, m.Pace.Before} {
		if len(list) > 0 {
			first = min(first, list[0].Hour)
		}
	}
	l := &kit.Line{Caption: v.T("start.hours"), Digits: m.Currency.Digits}
	for hour := first; hour <= lastHour; hour++ {
		l.Steps = append(l.Steps, hourText(hour))
	}
	weekday := v.T("weekday." + m.today.Weekday().String())
	l.Series = []kit.LineSeries{
		{Title: v.T("nav.today"), Values: hourly(m.Pace.Today, first, m.Pace.Hour())},
		{Title: v.T("start.hours.before", weekday), Values: hourly(m.Pace.Before, first, lastHour)},
	}
	return l.Draw()
}

// hourly returns the sales of the hours from first to last.
func hourly(list []rollup.Hour, first, last int) []money.Amount {
	values := make([]money.Amount, max(0, last-first+1))
	for i := range list {
		if at := list[i].Hour - first; at >= 0 && at < len(values) {
			values[at] = list[i].Sold
		}
	}
	return values
}

// hourText formats an hour of a day as receipts have it: 8 pm.
func hourText(hour int) string {
	half := "am"
	if hour >= noon {
		half = "pm"
	}
	return fmt.Sprintf("%d %s", (hour+noon-1)%noon+1, half)
}
