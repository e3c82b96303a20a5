package assistant

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"banca/internal/assistant/dates"
	"banca/internal/platform/businessday"
)

// Forms of numbers that are no figures, or are compared as a whole.
var (
	isoForm     = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`)
	slashForm   = regexp.MustCompile(`\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b`)
	wordedForm  = regexp.MustCompile(`(?i)\b\d{1,2} (?:de |of )?(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre|january|february|march|april|may|june|july|august|september|october|november|december)(?:,? (?:de |del )?\d{4})?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{1,2}(?:st|nd|rd|th)?(?:, \d{4})?\b`)
	ordinalForm = regexp.MustCompile(`(?m)(?:^\s*(?:[-*]\s+)?\d{1,2}[.)]\s)|\b\d{1,2}(?:º|ª|°|er\b|do\b|ro\b|to\b|ta\b|st\b|nd\b|rd\b|th\b)`)
	timeForm    = regexp.MustCompile(`(?i)\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?\s?m\.?)?|\b\d{1,2}\s?[ap]\.?m\.?\b`)
	valueForm   = regexp.MustCompile(`^[\s–-]*(?:\d+(?:\.\d+)?)?\s*%?$`) // of a cell, besides its days and times
	decimalForm = regexp.MustCompile(`\d+(?:\.\d+)?`)                    // of a result
	numberForm  = regexp.MustCompile(`\d+(?:[.,\x{00A0}\x{202F}' ]\d{3})*(?:[.,]\d+)?`)
	percentForm = regexp.MustCompile(numberForm.String() + `\s?%`)
)

// maxUntraced bounds the figures that are named to the reader.
const maxUntraced = 20

// untraced lists the figures of the answer that no result has.
func (s *Service) untraced(r *run) []string {
	known := figuresOf(r.results, s.today())
	return known.missing(r.text.String(), s.today())
}

// figures are the numbers, days and times that results have, and names with digits, which are no figures.
type figures struct {
	numbers  map[string]bool
	percents map[string]bool // rounded as sentences have them
	days     map[businessday.Day]bool
	times    map[string]bool
	names    []string // the longest first
}

// figuresOf collects what results have: the values of their tables and facts, the numbers of rows, the first and the
// last day.
func figuresOf(results []Result, today businessday.Day) *figures {
	f := &figures{numbers: map[string]bool{}, percents: map[string]bool{}, days: map[businessday.Day]bool{today: true}, times: map[string]bool{}}
	for i := range results {
		res := &results[i]
		f.numbers[strconv.Itoa(len(res.Rows))] = true
		f.numbers[strconv.FormatInt(res.Total, 10)] = true
		f.days[res.From], f.days[res.To] = true, true
		f.name(res.About)
		f.value(res.Note)
		if len(res.Rows) == 0 {
			f.value(res.Problem)
		}
		for k := range res.Facts {
			f.cell(res.Facts[k].Name, res.Facts[k].Value)
		}
		for _, row := range res.Rows {
			for k := range row[:min(len(row), len(res.Columns))] {
				f.cell(res.Columns[k], row[k])
			}
		}
	}
	slices.SortFunc(f.names, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	f.names = slices.Compact(f.names)
	return f
}

// cell collects a cell or fact. Columns of names hold no figures, whatever the names are; columns of outcomes such as
// "123LEO" hold nothing else.
func (f *figures) cell(column, text string) {
	if isPercent(column) {
		f.value(text)
		for _, found := range decimalForm.FindAllString(rounded(text), -1) {
			f.percents[canonical(found)] = true
		}
		return
	}
	switch column {
	case "number", "selection", "winner":
		f.value(text)
	case "draw": // its number, or a name
		f.name(text)
		if numberForm.FindString(text) == text {
			f.value(text)
		}
	case "entity", "game", "ticket_point", "open_point", "name", "serial":
		f.name(text)
	case "group":
		if d, err := businessday.Parse(text); err == nil {
			f.days[d] = true
			return
		}
		f.name(text)
	default:
		if valueForm.MatchString(timeForm.ReplaceAllString(isoForm.ReplaceAllString(text, ""), "")) {
			f.value(text)
			return
		}
		f.name(text)
	}
}

// name notes a text whose digits are a part of it. A name that is a number cannot be told from a figure and is not
// noted.
func (f *figures) name(text string) {
	if strings.ContainsFunc(text, unicode.IsDigit) && numberForm.FindString(text) != text {
		f.names = append(f.names, text)
	}
}

// value collects the days, times and numbers of a text.
func (f *figures) value(text string) {
	for _, found := range isoForm.FindAllString(text, -1) {
		if d, err := businessday.Parse(found); err == nil {
			f.days[d] = true
		}
	}
	for _, found := range timeForm.FindAllString(text, -1) {
		f.times[clockOf(found)] = true
	}
	text = timeForm.ReplaceAllString(isoForm.ReplaceAllString(text, " "), " ")
	for _, found := range decimalForm.FindAllString(text, -1) {
		f.numbers[canonical(found)] = true
	}
}

// withoutNames removes the names of results from a text, where they stand as words.
func (f *figures) withoutNames(text string) string {
	for _, name := range f.names {
		words := strings.Fields(name)
		for i := range words {
			words[i] = regexp.QuoteMeta(words[i])
		}
		form := regexp.MustCompile(`(?i)` + strings.Join(words, `[\s\\]+`))
		var out strings.Builder
		from := 0
		for _, at := range form.FindAllStringIndex(text, -1) {
			before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
			after, _ := utf8.DecodeRuneInString(text[at[1]:])
			if isWord(before) || isWord(after) {
				continue
			}
			out.WriteString(text[from:at[0]] + " \x00 ")
			from = at[1]
		}
		text = out.String() + text[from:]
	}
	return text
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// missing lists the numbers, days and times of a text that are not known.
func (f *figures) missing(text string, today businessday.Day) []string {
	text = f.withoutNames(text)
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
	text = percentForm.ReplaceAllStringFunc(text, func(found string) string {
		if has(f.percents, strings.TrimSpace(strings.TrimSuffix(found, "%"))) {
			return " \x00 "
		}
		return found
	})
	checked(numberForm, func(found string) bool { return has(f.numbers, found) })
	return out
}

func hasYear(date string) bool { return regexp.MustCompile(`\d{4}`).MatchString(date) }

// has reports whether one reading of a number is known. "1.234" may be a thousand or one and a fraction.
func has(known map[string]bool, text string) bool {
	return slices.ContainsFunc(readings(text), func(reading string) bool { return known[reading] })
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
