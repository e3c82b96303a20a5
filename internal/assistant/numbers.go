package assistant

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"banca/internal/assistant/dates"
	"banca/internal/businessday"
)

// Forms of what is not a figure, or is compared as a whole.
var (
	isoForm     = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`)
	slashForm   = regexp.MustCompile(`\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b`)
	wordedForm  = regexp.MustCompile(`(?i)\b\d{1,2} (?:de |of )?(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre|january|february|march|april|may|june|july|august|september|october|november|december)(?:,? (?:de |del )?\d{4})?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{1,2}(?:st|nd|rd|th)?(?:, \d{4})?\b`)
	ordinalForm = regexp.MustCompile(`(?m)(?:^\s*(?:[-*]\s+)?\d{1,2}[.)]\s)|\b\d{1,2}(?:º|ª|°|er\b|do\b|ro\b|to\b|ta\b|st\b|nd\b|rd\b|th\b)`)
	timeForm    = regexp.MustCompile(`(?i)\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?\s?m\.?)?|\b\d{1,2}\s?[ap]\.?m\.?\b`)
	numberForm  = regexp.MustCompile(`\d+(?:[.,\x{00A0}\x{202F}' ]\d{3})*(?:[.,]\d+)?`)
)

// maxUntraced bounds the figures that are named to the reader.
const maxUntraced = 20

// untraced lists the figures of the answer that no result has.
func (s *Service) untraced(r *run) []string {
	known := figuresOf(r.results, s.today())
	return known.missing(r.text.String(), s.today())
}

// figures are the numbers, days and times that results have.
type figures struct {
	numbers map[string]bool
	days    map[businessday.Day]bool
	times   map[string]bool
}

// figuresOf collects what results have: each number in each text, the number of rows, the days from the first to the last one of a period.
func figuresOf(results []Result, today businessday.Day) *figures {
	f := &figures{numbers: map[string]bool{}, days: map[businessday.Day]bool{today: true}, times: map[string]bool{}}
	for i := range results {
		res := &results[i]
		f.numbers[strconv.Itoa(len(res.Rows))] = true
		f.numbers[strconv.FormatInt(res.Total, 10)] = true
		f.days[res.From], f.days[res.To] = true, true
		plain := *res
		plain.CallArgs, plain.Link = "", ""
		raw, err := json.Marshal(plain)
		if err != nil {
			continue
		}
		text := string(raw)
		for _, found := range isoForm.FindAllString(text, -1) {
			if d, err := businessday.Parse(found); err == nil {
				f.days[d] = true
			}
		}
		for _, found := range timeForm.FindAllString(text, -1) {
			f.times[clockOf(found)] = true
		}
		text = timeForm.ReplaceAllString(isoForm.ReplaceAllString(text, " "), " ")
		for _, found := range regexp.MustCompile(`\d+(?:\.\d+)?`).FindAllString(text, -1) {
			f.numbers[canonical(found)] = true
		}
	}
	return f
}

// missing lists the numbers, days and times of a text that are not known.
func (f *figures) missing(text string, today businessday.Day) []string {
	var out []string
	add := func(found string) {
		if found = strings.TrimSpace(found); len(out) < maxUntraced && !slices.Contains(out, found) {
			out = append(out, found)
		}
	}
	checked := func(form *regexp.Regexp, known func(string) bool) {
		text = form.ReplaceAllStringFunc(text, func(found string) string {
			if !known(found) {
				add(found)
			}
			return " \x00 "
		})
	}
	day := func(found string) bool { // 15/11 is the one without a year of any known day
		r, err := dates.Parse(found, today)
		if err != nil {
			return false
		}
		for d := range f.days {
			if d == r.From || !hasYear(found) && !d.IsZero() && d.Format("01-02") == r.From.Format("01-02") {
				return true
			}
		}
		return false
	}
	checked(isoForm, day)
	checked(wordedForm, day)
	checked(slashForm, day)
	checked(timeForm, func(found string) bool { return f.times[clockOf(found)] })
	checked(ordinalForm, func(string) bool { return true })
	checked(numberForm, f.has)
	return out
}

func hasYear(date string) bool { return regexp.MustCompile(`\d{4}`).MatchString(date) }

// has reports whether one reading of a number is known. "1.234" may be a thousand or one and a fraction.
func (f *figures) has(text string) bool {
	for _, reading := range readings(text) {
		if f.numbers[reading] {
			return true
		}
	}
	return false
}

// readings are the values that a number may have, in canonical form.
func readings(text string) []string {
	text = strings.NewReplacer("\u00a0", "", "\u202f", "", "'", "", " ", "").Replace(text)
	last := strings.LastIndexAny(text, ".,")
	if last < 0 {
		return []string{canonical(text)}
	}
	digits := strings.NewReplacer(".", "", ",", "")
	decimal := canonical(digits.Replace(text[:last]) + "." + text[last+1:])
	const group = 3
	mark := text[last : last+1]
	grouped := len(text)-last-1 == group
	switch {
	case strings.Count(text, mark) > 1: // 1.234.567
		return []string{canonical(digits.Replace(text))}
	case grouped:
		return []string{canonical(digits.Replace(text)), decimal}
	default:
		return []string{decimal}
	}
}

// canonical writes a decimal without zeros that say nothing.
func canonical(text string) string {
	whole, fraction, _ := strings.Cut(text, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// clockOf writes a time as 15:04.
func clockOf(text string) string {
	text = strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), ".", ""))
	late, early := strings.HasSuffix(text, "pm"), strings.HasSuffix(text, "am")
	text = strings.TrimRight(text, "apm")
	hour, minute, _ := strings.Cut(text, ":")
	n, err := strconv.Atoi(hour)
	if err != nil {
		return ""
	}
	const half = 12
	if late && n < half {
		n += half
	}
	if early && n == half {
		n = 0
	}
	if minute == "" {
		minute = "00"
	}
	return strconv.Itoa(n) + ":" + minute[:min(len(minute), 2)]
}
