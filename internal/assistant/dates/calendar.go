package dates

import (
	"strconv"
	"strings"
	"time"

	"banca/internal/platform/businessday"
)

// The years that are dates of the business.
const (
	firstYear = 2000
	lastYears = 2100
)

// monthOf reads a month, by number or name; 0 for anything else.
func monthOf(text string) time.Month {
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 || n > 12 {
			return 0
		}
		return time.Month(n)
	}
	for i, names := range []string{"ene jan", "feb", "mar", "abr apr", "may", "jun", "jul", "ago aug", "sep set", "oct", "nov", "dic dec"} {
		for name := range strings.FieldsSeq(names) {
			if strings.HasPrefix(text, name) {
				return time.Month(i + 1)
			}
		}
	}
	return 0
}

// date returns an existing day.
func date(year int, m time.Month, d int) (businessday.Day, bool) {
	if year < firstYear || year > lastYears || m == 0 || d < 1 {
		return businessday.Day{}, false
	}
	first := businessday.Date(year, m, 1)
	out := first.AddDays(d - 1)
	return out, out.FirstOfMonth() == first
}

// exact reads a date with its year, of two digits too.
func exact(year, m, d string) (Range, bool) {
	y, err := strconv.Atoi(year)
	if err != nil {
		return Range{}, false
	}
	const century, short = 2000, 2
	if len(year) == short {
		y += century
	}
	n, err := strconv.Atoi(d)
	if err != nil {
		return Range{}, false
	}
	return single(date(y, monthOf(m), n))
}

// newest returns the newest day of a number that is at most a week ahead; month and year may be "".
func newest(d, m, year string, today businessday.Day) (businessday.Day, bool) {
	return newestBefore(d, m, year, today.AddDays(ahead))
}

func newestBefore(d, m, year string, limit businessday.Day) (businessday.Day, bool) {
	n, err := strconv.Atoi(d)
	if err != nil {
		return businessday.Day{}, false
	}
	if year != "" {
		r, ok := exact(year, m, d)
		return r.From, ok
	}
	const months, years = 12, 8 // a day 31 or 29 February is found within them
	if m == "" {
		for i := range months {
			first := limit.FirstOfMonth().AddMonths(-i).UTC()
			if out, ok := date(first.Year(), first.Month(), n); ok && !out.After(limit) {
				return out, true
			}
		}
		return businessday.Day{}, false
	}
	for i := range years {
		if out, ok := date(limit.UTC().Year()-i, monthOf(m), n); ok && !out.After(limit) {
			return out, true
		}
	}
	return businessday.Day{}, false
}

// between returns the days from the newest first day that is not after the last one.
func between(from, fromMonth, fromYear string, to businessday.Day, ok bool) (Range, bool) {
	if !ok {
		return Range{}, false
	}
	first, found := newestBefore(from, fromMonth, fromYear, to)
	return Range{From: first, To: to}, found
}

// span is "del 1 al 15", also of a named month.
func span(g []string, today businessday.Day) (Range, bool) {
	to, ok := newest(g[2], g[3], g[4], today)
	if g[3] == "" {
		return between(g[1], "", "", to, ok)
	}
	return between(g[1], g[3], g[4], to, ok)
}

// spanEnglish is "from november 1 to november 15".
func spanEnglish(g []string, today businessday.Day) (Range, bool) {
	month := g[3]
	if month == "" {
		month = g[1]
	}
	to, ok := newest(g[4], month, g[5], today)
	return between(g[2], g[1], "", to, ok)
}

// spanOfMonths is "del 20 de octubre al 3 de noviembre".
func spanOfMonths(g []string, today businessday.Day) (Range, bool) {
	to, ok := newest(g[4], g[5], g[6], today)
	return between(g[1], g[2], g[3], to, ok)
}

// spanOfNumbers is "del 20/10 al 3/11".
func spanOfNumbers(g []string, today businessday.Day) (Range, bool) {
	to, ok := newest(g[4], g[5], g[6], today)
	return between(g[1], g[2], g[3], to, ok)
}

// spanISO is "de 2026-11-01 a 2026-11-15".
func spanISO(g []string, _ businessday.Day) (Range, bool) {
	from, ok := exactISO(g[1])
	if !ok {
		return Range{}, false
	}
	to, ok := exactISO(g[2])
	return Range{From: from.From, To: to.To}, ok
}

// exactISO reads 2026-11-01.
func exactISO(text string) (Range, bool) {
	parts := strings.Split(text, "-")
	return exact(parts[0], parts[1], parts[2])
}

// month is a month by its name: the newest one that has begun, up to today.
func month(g []string, today businessday.Day) (Range, bool) {
	m := monthOf(g[1])
	year := today.UTC().Year()
	if g[2] != "" {
		year, _ = strconv.Atoi(g[2])
	}
	first, ok := date(year, m, 1)
	if !ok {
		return Range{}, false
	}
	if first.After(today) && g[2] == "" {
		first = first.AddMonths(-12)
	}
	last := first.AddMonths(1).AddDays(-1)
	if !first.After(today) && last.After(today) {
		last = today
	}
	return Range{From: first, To: last}, true
}
