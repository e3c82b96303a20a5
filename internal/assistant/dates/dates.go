package dates

import (
	"errors"
	"strings"

	"banca/internal/platform/businessday"
)

// maxText bounds the searched text, in bytes.
const maxText = 4_000

// ahead is how many days a date without a year may lie in the future.
const ahead = 7

// ErrUnknown reports a text without a date.
var ErrUnknown = errors.New("dates: expected a date such as 2026-11-22, ayer, el lunes pasado, este mes, del 1 al 15")

// Range is days, both included.
type Range struct {
	From, To businessday.Day
	Phrase   string // the found text, in lower case and without accents
}

// One reports whether the range is one day.
func (r Range) One() bool { return r.From == r.To }

// Find returns the days that a text speaks of: its first phrase, the longest one there.
func Find(text string, today businessday.Day) (Range, bool) {
	all := FindAll(text, today, 1)
	if len(all) == 0 {
		return Range{}, false
	}
	return all[0], true
}

// FindAll returns the days of up to most phrases of a text, in their order.
func FindAll(text string, today businessday.Day, most int) []Range {
	plain := Normalise(text)
	var out []Range
	for at := 0; at < len(plain) && len(out) < most; {
		r, end, ok := next(plain, at, today)
		if !ok {
			break
		}
		out = append(out, r)
		at = end
	}
	return out
}

// Parse returns the days of a text that is a date or holds one; today for "". Errors: ErrUnknown.
func Parse(text string, today businessday.Day) (Range, error) {
	if strings.TrimSpace(text) == "" {
		return Range{From: today, To: today}, nil
	}
	if r, ok := Find(text, today); ok {
		return r, nil
	}
	return Range{}, ErrUnknown
}

// next returns the first phrase from an index on, and where it ends. A text that has the form of a date and names no
// day, such as 31/02, is skipped whole.
func next(plain string, at int, today businessday.Day) (found Range, end int, ok bool) {
	for at < len(plain) {
		start, length, valid := len(plain), 0, false
		for _, rule := range rules() {
			m := rule.form.FindStringSubmatchIndex(plain[at:])
			if m == nil || at+m[0] > start || at+m[0] == start && m[1]-m[0] <= length {
				continue
			}
			start, length = at+m[0], m[1]-m[0]
			found, valid = rule.days(groups(plain[at:], m), today)
			valid = valid && !found.To.Before(found.From)
		}
		if length == 0 {
			return Range{}, 0, false
		}
		if at = start + length; valid {
			found.Phrase = strings.TrimSpace(plain[start:at])
			return found, at, true
		}
	}
	return Range{}, 0, false
}

func groups(text string, m []int) []string {
	out := make([]string, len(m)/2)
	for i := range out {
		if m[2*i] >= 0 {
			out[i] = text[m[2*i]:m[2*i+1]]
		}
	}
	return out
}

// Normalise returns a text in lower case, without accents, with single spaces.
func Normalise(text string) string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	plain := strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n", "à", "a", "è", "e", "ì", "i", "ò", "o", "ù", "u",
		"º", "", "ª", "", "\u0301", "", "\u0303", "").Replace(strings.ToLower(strings.ToValidUTF8(text, " ")))
	return strings.Join(strings.Fields(plain), " ")
}
