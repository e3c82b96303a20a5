package catalog

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"banca/internal/catalog"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/models"
	"banca/web/kit"
)

const (
	secondsPerMinute = 60
	localDay         = "02/01/2006" // as days are typed in Spanish
	clockForm        = "15:04"
)

// scheduleEditor is the form of when a game is drawn and when its sales stop.
type scheduleEditor struct{}

func (scheduleEditor) field() string { return catalog.FieldSchedule }

func (scheduleEditor) groups(s *subject, _ url.Values) []group {
	days := make([]kit.Option, daysOfWeek)
	for i, name := range (*calendarPage)(nil).Weekdays() {
		days[i] = kit.Option{Value: strconv.Itoa((i + 1) % daysOfWeek), Text: s.t("weekday." + name)}
	}
	times := kit.LinesInput("times", "edit.times", 3).With("spellcheck=false").WithRule("input.times", true)
	holidays := kit.LinesInput("holidays", "edit.holidays", 3).With("spellcheck=false").WithRule("edit.holidays.hint", true)
	numbers := kit.LinesInput("numbers", "edit.numbers", 3).With("class=mono spellcheck=false").WithRule("edit.numbers.hint", true)
	zone := kit.TextInput("zone", "edit.zone", 64).With("spellcheck=false").Placeholder(s.r.Zone().String()).WithRule("edit.zone.hint", true)
	return []group{
		{Title: s.t("edit.when"), Parts: []part{
			{Inputs: []kit.Input{times}}, {Inputs: []kit.Input{kit.ChecksInput("weekdays", "edit.weekdays", days)}}, {Inputs: []kit.Input{holidays}},
		}},
		{Title: s.t("edit.sale"), Parts: []part{{Inputs: []kit.Input{
			kit.TextInput("sale_stop", "edit.sale_stop", 10).WithRule("edit.sale_stop.hint", true),
			kit.NumberInput("opens", "edit.opens", 3).WithRule("edit.opens.hint", true),
		}}}},
		{Title: s.t("edit.special"), Parts: []part{{Title: s.t("edit.special.open"), Inputs: []kit.Input{zone, numbers}, Folded: true}}},
	}
}

// timesOf are the members of the list of times by their time.
func timesOf(doc object) (order []string, numbers map[string]string) {
	numbers = map[string]string{}
	var list []catalog.DrawTime
	if decode(doc["times"], &list) != nil {
		return nil, numbers
	}
	for _, t := range list {
		order = append(order, t.Time)
		if t.Number != "" {
			numbers[t.Time] = t.Number
		}
	}
	return order, numbers
}

func (scheduleEditor) fill(s *subject, form *kit.Form) {
	doc := readObject(s.row.ScheduleConfig)
	order, numbers := timesOf(doc)
	clocks, numbered := make([]string, len(order)), strings.Builder{}
	for i, t := range order {
		clocks[i] = clockText(t)
		if numbers[t] != "" {
			numbered.WriteString(clocks[i] + " = " + numbers[t] + "\n")
		}
	}
	form.Put("times", strings.Join(clocks, ", ")).Put("numbers", numbered.String()).Put("weekdays", weekdaysOf(doc)...)
	holidays := doc.texts("holidays")
	for i, text := range holidays {
		holidays[i] = dayText(s, text)
	}
	form.Put("holidays", strings.Join(holidays, "\n")).Put("zone", doc.text("time_zone")).Put("opens", doc.text("open_hours_before")).Put("sale_stop", s.stopText(s.row))
}

// weekdaysOf are the days with draws, Sunday is 0.
func weekdaysOf(doc object) []string {
	var days []int
	if decode(doc["weekdays"], &days) != nil || len(days) == 0 {
		days = []int{0, 1, 2, 3, 4, 5, 6}
	}
	texts := make([]string, len(days))
	for i, day := range days {
		texts[i] = strconv.Itoa(day)
	}
	return texts
}

// clockText writes a local time as receipts have it.
func clockText(text string) string {
	t, err := time.Parse(clockForm, text)
	if err != nil {
		return text
	}
	return t.Format("3:04 pm")
}

func dayText(s *subject, text string) string {
	day, err := businessday.Parse(text)
	if err != nil || s.r.Language != kit.Spanish {
		return text
	}
	return day.Format(localDay)
}

// stopText writes how many minutes before a draw its sales stop, "" if each entity sets it.
func (s *subject) stopText(row *models.Game) string {
	if row.SaleStopSeconds == nil {
		return ""
	}
	seconds := *row.SaleStopSeconds
	if seconds%secondsPerMinute == 0 {
		return strconv.Itoa(seconds / secondsPerMinute)
	}
	return fmt.Sprintf("%d min %d s", seconds/secondsPerMinute, seconds%secondsPerMinute)
}

func (e scheduleEditor) read(s *subject, form *kit.Form) reading {
	doc := readObject(s.row.ScheduleConfig)
	e.readTimes(s, form, doc)
	days := slices.Clone(form.Values("weekdays"))
	slices.Sort(days)
	switch was := weekdaysOf(doc); {
	case len(days) == 0:
		form.RefuseFor("weekdays", s.t("edit.weekdays.none"))
	case len(days) == daysOfWeek:
		delete(doc, "weekdays")
	case !slices.Equal(days, slices.Sorted(slices.Values(was))):
		doc["weekdays"] = doc.encode(numbersOf(days))
	}
	e.readHolidays(s, form, doc)
	if zone := form.Get("zone"); zone != doc.text("time_zone") {
		doc.set("time_zone", zone)
	}
	hours, _ := strconv.Atoi(doc.text("open_hours_before")) // an error is 0, as no member is
	readCount(s, form, "opens", doc, "open_hours_before", hours)
	read := reading{change: changeOf(catalog.FieldSchedule, doc), places: map[string]string{"sale_stop_time": "sale_stop"}}
	for member, name := range map[string]string{
		"times": "times", "weekdays": "weekdays", "holidays": "holidays", "time_zone": "zone", "open_hours_before": "opens",
	} {
		read.places[catalog.FieldSchedule+"."+member] = name
	}
	read.change.SaleStop = e.readStop(s, form)
	return read
}

func numbersOf(texts []string) []int {
	var list []int
	for _, text := range texts {
		if n, err := strconv.Atoi(text); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// readTimes reads the times with their numbers. Times that stay are left as they are written.
func (scheduleEditor) readTimes(s *subject, form *kit.Form, doc object) {
	var times []string
	if typed := form.Get("times"); typed != "" {
		var err error
		if times, err = kit.ReadTimes(typed); err != nil {
			form.RefuseFor("times", s.t("edit.times.wrong"))
			return
		}
	}
	numbers := map[string]string{}
	lines, wrong := readPairs(form.Get("numbers"))
	for typed, number := range lines {
		clock, err := kit.ReadTimes(typed)
		if err != nil || len(clock) != 1 || !slices.Contains(times, clock[0]) {
			wrong = typed + " = " + number
			continue
		}
		numbers[clock[0]] = number
	}
	if wrong != "" {
		form.RefuseFor("numbers", s.t("edit.numbers.wrong", wrong))
		return
	}
	list := make([]catalog.DrawTime, len(times))
	for i, t := range times {
		list[i] = catalog.DrawTime{Time: t, Number: numbers[t]}
	}
	order, was := timesOf(doc)
	unchanged := slices.Equal(order, times) && len(was) == len(numbers)
	for t, number := range numbers {
		unchanged = unchanged && was[t] == number
	}
	if !unchanged {
		doc["times"] = doc.encode(list)
	}
}

func (scheduleEditor) readHolidays(s *subject, form *kit.Form, doc object) {
	days := []string{}
	for text := range strings.FieldsFuncSeq(form.Get("holidays"), func(c rune) bool { return strings.ContainsRune(", ;\r\n", c) }) {
		day, err := businessday.Parse(text)
		if err != nil {
			var at time.Time
			at, err = time.Parse("2/1/2006", text)
			day = businessday.Of(at, time.UTC)
		}
		if err != nil {
			form.RefuseFor("holidays", s.t("edit.holidays.wrong", text))
			return
		}
		days = append(days, day.String())
	}
	slices.Sort(days)
	days = slices.Compact(days)
	if !slices.Equal(days, slices.Sorted(slices.Values(doc.texts("holidays")))) {
		doc.set("holidays", days)
	}
}

// readStop reads the minutes before a draw at which its sales stop.
func (scheduleEditor) readStop(s *subject, form *kit.Form) **int {
	typed := form.Get("sale_stop")
	if typed == "" {
		return new(*int)
	}
	if typed == s.stopText(s.row) {
		return &s.row.SaleStopSeconds
	}
	stop, err := kit.ReadMinutes(typed)
	seconds := int(stop / time.Second)
	if err != nil {
		fine, failed := money.ParseOrZero(kit.Decimal(typed), 2)
		if failed != nil || fine*secondsPerMinute%100 != 0 || fine > catalog.MaxSaleStop {
			form.RefuseFor("sale_stop", s.t("edit.sale_stop.wrong"))
			return new(*int)
		}
		seconds = int(fine * secondsPerMinute / 100)
	}
	stopped := &seconds
	return &stopped
}
