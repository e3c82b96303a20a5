package dates

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"banca/internal/platform/businessday"
)

// rule is a form of phrases and the days they mean.
type rule struct {
	form *regexp.Regexp
	days func(g []string, today businessday.Day) (Range, bool)
}

// Parts of the forms.
const (
	weekdayNames = `(lunes|martes|miercoles|mierc|jueves|viernes|sabado|domingo|monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
	monthNames   = `(enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|ene|abr|ago|dic)`
	dayNumber    = `(\d{1,2})(?:st|nd|rd|th)?`
	yearNumber   = `(?:,?\s+(?:de |del |of )?(\d{4}))?`
	numberWord   = `(\d{1,3}|un|una|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|quince|treinta|a|one|two|three|four|five|six|seven|eight|nine|ten)`
)

// rules lists the forms. It is made once.
var rules = sync.OnceValue(func() []rule { //nolint:gochecknoglobals // a constant
	of := func(form string, days func(g []string, today businessday.Day) (Range, bool)) rule {
		return rule{form: regexp.MustCompile(`\b` + form), days: days}
	}
	offset := func(n int) func([]string, businessday.Day) (Range, bool) {
		return func(_ []string, today businessday.Day) (Range, bool) { return day(today.AddDays(n)), true }
	}
	return []rule{
		of(`(?:el dia de )?(?:hoy|hoi|oy)\b(?: dia)?|\btoday\b|\btonight\b|\besta (?:manana|tarde|noche)\b|\bthis (?:morning|afternoon|evening)\b`, offset(0)),
		of(`(?:el dia de )?(?:ayer|aller|aller|yer)\b|\byesterday\b|\banoche\b|\blast night\b`, offset(-1)),
		of(`(?:anteayer|antier|antiel|antes de ayer|ante ayer|antesdeayer)\b|\b(?:the )?day before yesterday\b`, offset(-2)),
		of(`(?:manana es|manana|tomorrow)\b`, tomorrow),
		of(`(?:en|por|de) la manana\b`, func([]string, businessday.Day) (Range, bool) { return Range{}, false }),
		of(`hace `+numberWord+` (dia|semana|mes)(?:e?s)?\b`, ago),
		of(numberWord+` (day|week|month)s? ago\b`, ago),
		of(`(?:l[ao]s )?(?:ultim[ao]s|pasad[ao]s) `+numberWord+` (dia|semana|mes)(?:e?s)?\b`, lastN),
		of(`(?:the )?(?:last|past) `+numberWord+` (day|week|month)s?\b`, lastN),
		of(`(?:el |la )?`+weekdayNames+`(?: de)? (?:la semana pasada|la semana anterior|last week)\b`, weekdayOfLastWeek),
		of(`(?:el |on |this past |last |past |el pasado )?`+weekdayNames+`(?: pasado| anterior)?\b`, weekdayBefore),
		of(`(?:este|this) `+weekdayNames+`\b`, weekdayOfThisWeek),
		of(`(?:el proximo|proximo|next|el) `+weekdayNames+`(?: que viene| proximo)\b|\b(?:el proximo|proximo|next) `+weekdayNames+`\b`, weekdayAfter),
		of(`(?:(?:en )?esta semana|la semana actual|this week|la semana|week to date)\b`, thisWeek),
		of(`(?:(?:la )?semana (?:pasada|anterior)|(?:la )?(?:pasada|ultima) semana|(?:the )?(?:last|previous|past) week)\b`, lastWeek),
		of(`(?:(?:el )?fin de semana(?: pasado)?|(?:the )?(?:last )?weekend)\b`, weekend),
		of(`(?:(?:en )?este mes|(?:el )?mes actual|this month|(?:lo que va|en lo que va) (?:de|del) mes|month to date|el mes)\b`, thisMonth),
		of(`(?:(?:el )?mes (?:pasado|anterior)|(?:el )?(?:pasado|ultimo) mes|(?:the )?(?:last|previous|past) month)\b`, lastMonth),
		of(`(?:(?:en )?este ano|this year|(?:lo que va|en lo que va) (?:de|del) ano|year to date)\b`, thisYear),
		of(`(?:(?:el )?ano (?:pasado|anterior)|(?:the )?(?:last|previous) year)\b`, lastYear),
		of(`(?:en )?(?:esta quincena|la quincena)\b`, thisHalf),
		of(`(?:en )?(?:la )?quincena (?:pasada|anterior)\b`, lastHalf),
		of(`(?:la )?(primera|segunda) quincena(?: (?:de|del) (?:mes|este mes|mes actual))?\b`, namedHalf),
		of(`(\d{4})-(\d{1,2})-(\d{1,2})\b`, func(g []string, _ businessday.Day) (Range, bool) { return exact(g[1], g[2], g[3]) }),
		of(`(?:el )?(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})\b`, func(g []string, _ businessday.Day) (Range, bool) { return exact(g[3], g[2], g[1]) }),
		of(`(?:el )?(\d{1,2})[/-](\d{1,2})\b`, func(g []string, today businessday.Day) (Range, bool) { return single(newest(g[1], g[2], "", today)) }),
		of(`(?:el )?(?:dia )?`+dayNumber+` (?:de |of )?`+monthNames+yearNumber+`\b`, func(g []string, today businessday.Day) (Range, bool) { return single(newest(g[1], g[2], g[3], today)) }),
		of(monthNames+` `+dayNumber+yearNumber+`\b`, func(g []string, today businessday.Day) (Range, bool) { return single(newest(g[2], g[1], g[3], today)) }),
		of(`(?:el dia|dia|el|on the|the) `+dayNumber+`\b`, func(g []string, today businessday.Day) (Range, bool) { return single(newest(g[1], "", "", today)) }),
		of(`(?:del|de|desde el|desde|from|entre el|entre|between)(?: the)? `+dayNumber+` (?:al|a|hasta el|hasta|to|until|y el|y|and|through)(?: the)? `+dayNumber+`(?: (?:de |del |of )?(?:este mes|mes))?\b(?: (?:de |of )?`+monthNames+yearNumber+`\b)?`, span),
		of(`(?:from|between) `+monthNames+` `+dayNumber+` (?:to|until|and|through) (?:`+monthNames+` )?`+dayNumber+yearNumber+`\b`, spanEnglish),
		of(`(?:del|desde el|from|entre el|between)(?: the)? `+dayNumber+` (?:de |of )?`+monthNames+yearNumber+` (?:al|hasta el|to|until|y el|and)(?: the)? `+dayNumber+` (?:de |of )?`+monthNames+yearNumber+`\b`, spanOfMonths),
		of(`(?:del|de|desde el|desde|from|entre el|between) (\d{1,2})/(\d{1,2})(?:/(\d{4}))? (?:al|a|hasta el|hasta|to|until|y el|and) (\d{1,2})/(\d{1,2})(?:/(\d{4}))?\b`, spanOfNumbers),
		of(`(?:de|desde|from|between|entre) (\d{4}-\d{2}-\d{2}) (?:al|a|hasta|to|until|and|y) (\d{4}-\d{2}-\d{2})\b`, spanISO),
		of(`(?:(?:en|de|in|of|mes de) )`+monthNames+yearNumber+`\b`, month),
		of(monthNames+`\s+(?:de |del )?(\d{4})\b`, month),
	}
})

func day(d businessday.Day) Range { return Range{From: d, To: d} }

func single(d businessday.Day, ok bool) (Range, bool) { return day(d), ok }

func tomorrow(g []string, today businessday.Day) (Range, bool) {
	if strings.HasSuffix(g[0], " es") {
		return Range{}, false
	}
	return day(today.AddDays(1)), true
}

func number(text string) int {
	words := map[string]int{
		"a": 1, "un": 1, "una": 1, "uno": 1, "one": 1, "dos": 2, "two": 2, "tres": 3, "three": 3, "cuatro": 4, "four": 4, "cinco": 5, "five": 5, "seis": 6, "six": 6,
		"siete": 7, "seven": 7, "ocho": 8, "eight": 8, "nueve": 9, "nine": 9, "diez": 10, "ten": 10, "quince": 15, "treinta": 30,
	}
	if n, ok := words[text]; ok {
		return n
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// back returns the day that is n units before another one.
func back(n int, unit string, today businessday.Day) businessday.Day {
	switch unit[0] {
	case 's', 'w':
		const week = 7
		return today.AddDays(-week * n)
	case 'm':
		last := today.FirstOfMonth().AddMonths(1 - n).AddDays(-1)
		if same := today.FirstOfMonth().AddMonths(-n).AddDays(dayOf(today) - 1); !same.After(last) {
			return same
		}
		return last
	default:
		return today.AddDays(-n)
	}
}

func dayOf(d businessday.Day) int { return d.FirstOfMonth().DaysUntil(d) + 1 }

func ago(g []string, today businessday.Day) (Range, bool) {
	n := number(g[1])
	return day(back(n, g[2], today)), n >= 0
}

func lastN(g []string, today businessday.Day) (Range, bool) {
	n := number(g[1])
	return Range{From: back(n, g[2], today).AddDays(1), To: today}, n > 0
}

func weekday(name string) time.Weekday {
	for i, prefix := range []string{"do", "lu", "ma", "mi", "ju", "vi", "sa"} {
		if strings.HasPrefix(name, prefix) {
			return time.Weekday(i)
		}
	}
	for i := range time.Weekday(7) {
		if strings.EqualFold(i.String(), name) {
			return i
		}
	}
	return -1
}

// monday returns the first day of a week.
func monday(d businessday.Day) businessday.Day {
	const days = 7
	return d.AddDays(-((int(d.Weekday()) + days - 1) % days))
}

func weekdayBefore(g []string, today businessday.Day) (Range, bool) {
	wanted, d := weekday(g[1]), today.AddDays(-1)
	for d.Weekday() != wanted {
		d = d.AddDays(-1)
	}
	return day(d), true
}

func weekdayOfThisWeek(g []string, today businessday.Day) (Range, bool) {
	d := monday(today)
	for d.Weekday() != weekday(g[1]) {
		d = d.AddDays(1)
	}
	return day(d), true
}

func weekdayOfLastWeek(g []string, today businessday.Day) (Range, bool) {
	d := monday(today).AddDays(-7)
	for d.Weekday() != weekday(g[1]) {
		d = d.AddDays(1)
	}
	return day(d), true
}

func weekdayAfter(g []string, today businessday.Day) (Range, bool) {
	name, d := g[1]+g[2], today.AddDays(1)
	for d.Weekday() != weekday(name) {
		d = d.AddDays(1)
	}
	return day(d), true
}

func thisWeek(_ []string, today businessday.Day) (Range, bool) {
	return Range{From: monday(today), To: today}, true
}

func lastWeek(_ []string, today businessday.Day) (Range, bool) {
	m := monday(today)
	return Range{From: m.AddDays(-7), To: m.AddDays(-1)}, true
}

func weekend(_ []string, today businessday.Day) (Range, bool) {
	m := monday(today)
	if w := today.Weekday(); w == time.Saturday || w == time.Sunday {
		return Range{From: m.AddDays(5), To: today}, true
	}
	return Range{From: m.AddDays(-2), To: m.AddDays(-1)}, true
}

func thisMonth(_ []string, today businessday.Day) (Range, bool) {
	return Range{From: today.FirstOfMonth(), To: today}, true
}

func lastMonth(_ []string, today businessday.Day) (Range, bool) {
	first := today.FirstOfMonth()
	return Range{From: first.AddMonths(-1), To: first.AddDays(-1)}, true
}

func thisYear(_ []string, today businessday.Day) (Range, bool) {
	return Range{From: firstOfYear(today), To: today}, true
}

func lastYear(_ []string, today businessday.Day) (Range, bool) {
	first := firstOfYear(today)
	return Range{From: first.AddMonths(-12), To: first.AddDays(-1)}, true
}

func firstOfYear(d businessday.Day) businessday.Day {
	return businessday.Date(d.UTC().Year(), time.January, 1)
}

// half is how many days the first half of a month has.
const half = 15

func thisHalf(_ []string, today businessday.Day) (Range, bool) {
	first := today.FirstOfMonth()
	if dayOf(today) > half {
		first = first.AddDays(half)
	}
	return Range{From: first, To: today}, true
}

func lastHalf(_ []string, today businessday.Day) (Range, bool) {
	first := today.FirstOfMonth()
	if dayOf(today) > half {
		return Range{From: first, To: first.AddDays(half - 1)}, true
	}
	return Range{From: first.AddMonths(-1).AddDays(half), To: first.AddDays(-1)}, true
}

func namedHalf(g []string, today businessday.Day) (Range, bool) {
	first := today.FirstOfMonth()
	if g[1] == "primera" {
		return Range{From: first, To: first.AddDays(half - 1)}, true
	}
	return Range{From: first.AddDays(half), To: first.AddMonths(1).AddDays(-1)}, true
}
