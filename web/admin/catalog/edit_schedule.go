package catalog

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"banca/internal/catalog"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/web/kit"
)

const (
	secondsPerMinute = 60
	localDay         = "02/01/2006" // as days are typed in Spanish
	clockForm        = "15:04"
	clockWords       = "3:04 pm"
	shortestRun      = 4                // times of draws that are said by the first and the last
	minInterval      = 15 * time.Minute // 96 times a day, as many as a field takes

	schedulePath = catalog.FieldSchedule + "."
	saleStop     = "sale_stop_time"
)

// scheduleGroups is the form of when a game is drawn and when its sales stop.
func scheduleGroups(s *subject, typed url.Values) []group {
	days := make([]kit.Option, daysOfWeek)
	for i, name := range (*calendarPage)(nil).Weekdays() {
		days[i] = kit.Option{Value: strconv.Itoa((i + 1) % daysOfWeek), Text: s.t("weekday." + name)}
	}
	times := kit.LinesInput("times", "edit.times", 3).With("spellcheck=false").WithRule("input.times", true).
		As(s.times(typed), schedulePath+"times")
	weekdays := kit.ChecksInput("weekdays", "edit.weekdays", days).As(s.weekdays(), schedulePath+"weekdays")
	holidays := kit.LinesInput("holidays", "edit.holidays", 3).With("spellcheck=false").
		WithRule("edit.holidays.hint", true).As(s.holidays(), schedulePath+"holidays")
	zone := kit.TextInput("zone", "edit.zone", 64).With("spellcheck=false").Placeholder(s.r.Zone().String()).
		WithRule("edit.zone.hint", true).As(kit.TextKind(""), schedulePath+"time_zone")
	numbers := kit.LinesInput("numbers", "edit.numbers", 3).With("class=mono spellcheck=false").
		WithRule("edit.numbers.hint", true).As(s.numbers(typed), schedulePath+"times")
	return []group{
		{Title: s.t("edit.when"), Parts: []part{
			{Title: s.t("edit.times.change"), Inputs: []kit.Input{times}, Folded: true, chips: s.chips(typed, chips{Name: "times", Kind: "time", Add: s.t("edit.times.add"), read: readClocks, show: clockText})},
			{Title: s.t("edit.fill"), Inputs: s.fillInputs(), button: s.t("edit.fill.do")}, {Inputs: []kit.Input{weekdays}},
			{Title: s.t("edit.holidays.change"), Inputs: []kit.Input{holidays}, Folded: true, chips: s.chips(typed, chips{
				Name: "holidays", Kind: "date", Add: s.t("edit.holidays.add"), show: s.dayText,
				read: func(typed string) ([]string, error) { days, _, err := readDays(typed); return days, err },
			})},
		}},
		{Title: s.t("edit.sale"), Parts: []part{{Inputs: []kit.Input{
			kit.TextInput("sale_stop", "edit.sale_stop", 10).WithRule("edit.sale_stop.hint", true).As(s.stop(), saleStop),
			kit.NumberInput("opens", "edit.opens", 3).WithRule("edit.opens.hint", true).
				As(s.count(), schedulePath+"open_hours_before"),
		}}}},
		{Title: s.t("edit.special"), Parts: []part{
			{Title: s.t("edit.special.open"), Inputs: []kit.Input{zone, numbers}, Folded: true},
		}},
	}
}

// fillInputs are the fields from which the times of draws are filled in, with the first and last stored ones.
func (s *subject) fillInputs() []kit.Input {
	every, first, last := "60", "08:00", "19:00"
	if stored := scheduleOf(s.row).Times; len(stored) > 0 {
		first, last = stored[0].Time, stored[len(stored)-1].Time
	}
	return []kit.Input{
		kit.TextInput("first", "edit.fill.first", 10).With("type=time").Into(&first),
		kit.TextInput("last", "edit.fill.last", 10).With("type=time").Into(&last),
		kit.TextInput("every", "edit.fill.every", 10).Into(&every),
	}
}

// fillTimes fills in the times of draws: one at the first time, and at each interval after it up to the last time.
func (s *subject) fillTimes(form *kit.Form) {
	every, err := kit.ReadMinutes(form.Get("every"))
	bounds, wrong := kit.ReadTimes(form.Get("first") + "," + form.Get("last"))
	switch {
	case err != nil || every < minInterval:
		form.RefuseFor("every", s.t("edit.fill.every.wrong"))
	case wrong != nil || len(bounds) != 2:
		form.RefuseFor("last", s.t("edit.fill.last.wrong"))
	default:
		at, _ := time.Parse(clockForm, bounds[0])
		last, _ := time.Parse(clockForm, bounds[1])
		var texts []string
		for ; !at.After(last); at = at.Add(every) {
			texts = append(texts, at.Format(clockWords))
		}
		form.Put("times", strings.Join(texts, ", "))
	}
}

// drawTimes decodes the times of draws.
func drawTimes(raw []byte) (times []catalog.DrawTime) {
	if json.Unmarshal(raw, &times) != nil {
		return nil
	}
	return times
}

// readClocks reads times, of which there can be none.
func readClocks(typed string) ([]string, error) {
	if strings.TrimSpace(typed) == "" {
		return nil, nil
	}
	return kit.ReadTimes(typed)
}

// readDrawTimes reads times, and their numbers as lines "time = number". wrong is a line whose time is not among them.
func readDrawTimes(times, numbers string) (list []catalog.DrawTime, wrong string, err error) {
	clocks, err := readClocks(times)
	if err != nil {
		return nil, "", err
	}
	for _, clock := range clocks {
		list = append(list, catalog.DrawTime{Time: clock})
	}
	lines, wrong := readPairs(numbers)
	for typed, number := range lines {
		clock, err := kit.ReadTimes(typed)
		if err != nil || len(clock) != 1 || !slices.Contains(clocks, clock[0]) {
			wrong = typed + " = " + number
			continue
		}
		list[slices.Index(clocks, clock[0])].Number = number
	}
	return list, wrong, nil
}

// times is the kind of the times of draws, with the typed numbers.
func (s *subject) times(form url.Values) kit.Kind {
	show := func(raw []byte) string {
		return strings.Join(kit.Map(drawTimes(raw), func(at *catalog.DrawTime) string { return clockText(at.Time) }), ", ")
	}
	return kit.TypedKind(show, func(typed string) (any, string) {
		list, _, err := readDrawTimes(typed, form.Get("numbers"))
		if err != nil {
			return nil, s.t("edit.times.wrong")
		}
		return list, ""
	})
}

// numbers is the kind of the numbers of draws, with the typed times.
func (s *subject) numbers(form url.Values) kit.Kind {
	show := func(raw []byte) string {
		var numbers strings.Builder
		for _, at := range drawTimes(raw) {
			if at.Number != "" {
				numbers.WriteString(clockText(at.Time) + " = " + at.Number + "\n")
			}
		}
		return numbers.String()
	}
	return kit.TypedKind(show, func(typed string) (any, string) {
		list, wrong, _ := readDrawTimes(form.Get("times"), typed) // invalid times are refused at their field
		if wrong != "" {
			return nil, s.t("edit.numbers.wrong", wrong)
		}
		return list, ""
	})
}

// weekdays is the kind of the days with draws, Sunday is 0; none stored are all.
func (s *subject) weekdays() kit.Kind {
	return kit.Kind{
		Show: func(raw []byte) []string {
			var days []int
			if json.Unmarshal(raw, &days) != nil || len(days) == 0 {
				days = []int{0, 1, 2, 3, 4, 5, 6}
			}
			return kit.Map(days, func(day *int) string { return strconv.Itoa(*day) })
		},
		Read: func(_ []byte, typed []string) (any, string) {
			var days []int
			for _, text := range typed {
				if day, err := strconv.Atoi(text); err == nil {
					days = append(days, day)
				}
			}
			switch slices.Sort(days); len(typed) {
			case 0:
				return nil, s.t("edit.weekdays.none")
			case daysOfWeek:
				return nil, ""
			default:
				return days, ""
			}
		},
	}
}

// timesText lists the times of draws: four or more with an hour or half an hour between them by the first and the last.
func timesText(v *kit.View, times []catalog.DrawTime) string {
	var texts []string
	for len(times) > 0 {
		run, step := 1, minutesTo(times, 1)
		for minutesTo(times, run) == step && step > 0 {
			run++
		}
		key := map[int]string{60: "edit.times.hourly", 30: "edit.times.halfhourly"}[step]
		if run < shortestRun || key == "" {
			texts, times = append(texts, clockText(times[0].Time)), times[1:]
			continue
		}
		texts, times = append(texts, v.T(key, clockText(times[0].Time), clockText(times[run-1].Time))), times[run:]
	}
	return strings.Join(texts, ", ")
}

// minutesTo is how many minutes a time is after the one before it; 0 without it.
func minutesTo(times []catalog.DrawTime, i int) int {
	if i >= len(times) {
		return 0
	}
	before, _ := time.Parse(clockForm, times[i-1].Time) // nothing follows an invalid time regularly
	at, err := time.Parse(clockForm, times[i].Time)
	if err != nil {
		return 0
	}
	return int(at.Sub(before).Minutes())
}

// hoursOf are typed times of draws as they are read, nil if they are invalid.
func hoursOf(typed string) []string {
	clocks, _ := kit.ReadTimes(typed)
	return kit.Map(clocks, func(clock *string) string { return clockText(*clock) })
}

// clockText writes a local time as receipts have it.
func clockText(text string) string {
	t, err := time.Parse(clockForm, text)
	if err != nil {
		return text
	}
	return t.Format(clockWords)
}

// holidaysText lists days without draws with their weekdays.
func holidaysText(v *kit.View, days []string) string {
	return strings.Join(kit.Map(days, func(text *string) string {
		day, err := businessday.Parse(*text)
		if err != nil {
			return *text
		}
		return v.Day(day) + " " + v.T("weekday."+day.Weekday().String())
	}), ", ")
}

// dayText writes a day as it is typed.
func (s *subject) dayText(text string) string {
	if day, err := businessday.Parse(text); err == nil && s.r.Language == kit.Spanish {
		return day.Format(localDay)
	}
	return text
}

// readDays reads days. wrong is the first text that is not a day.
func readDays(typed string) (days []string, wrong string, err error) {
	for text := range strings.FieldsFuncSeq(typed, func(c rune) bool { return strings.ContainsRune(", ;\r\n", c) }) {
		day, err := businessday.Parse(text)
		if err != nil {
			var at time.Time
			at, err = time.Parse("2/1/2006", text)
			day = businessday.Of(at, time.UTC)
		}
		if err != nil {
			return nil, text, err
		}
		days = append(days, day.String())
	}
	slices.Sort(days)
	return slices.Compact(days), "", nil
}

// holidays is the kind of the days without draws.
func (s *subject) holidays() kit.Kind {
	show := func(raw []byte) string {
		return strings.Join(kit.Map(kit.ListKind().Show(raw), func(day *string) string { return s.dayText(*day) }), "\n")
	}
	return kit.TypedKind(show, func(typed string) (any, string) {
		days, wrong, err := readDays(typed)
		if err != nil {
			return nil, s.t("edit.holidays.wrong", wrong)
		}
		return days, ""
	})
}

// stop is the kind of the seconds before a draw at which its sales stop, in minutes; without it each entity sets it.
func (s *subject) stop() kit.Kind {
	show := func(raw []byte) string {
		seconds, err := strconv.Atoi(string(raw))
		switch {
		case err != nil:
			return ""
		case seconds%secondsPerMinute == 0:
			return strconv.Itoa(seconds / secondsPerMinute)
		}
		return fmt.Sprintf("%d min %d s", seconds/secondsPerMinute, seconds%secondsPerMinute)
	}
	return kit.TypedKind(show, func(typed string) (any, string) {
		if typed == "" {
			return nil, ""
		}
		stop, err := kit.ReadMinutes(typed)
		seconds := int(stop / time.Second)
		if err != nil {
			fine, failed := money.ParseOrZero(kit.Decimal(typed), 2)
			if failed != nil || fine*secondsPerMinute%100 != 0 || fine > catalog.MaxSaleStop {
				return nil, s.t("edit.sale_stop.wrong")
			}
			seconds = int(fine * secondsPerMinute / 100)
		}
		return seconds, ""
	})
}
