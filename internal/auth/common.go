package auth

import (
	_ "embed"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// commonPasswords are the passwords that attackers try first, one per line in lower case. Those that [runs] refuses
// anyway are not listed.
//
//go:embed common_passwords.txt
var commonPasswords string

const (
	minDistinct = 4 // the least number of different characters of a password

	// maxParts is how many words, runs and dates a common password is joined of. A phrase of more words is no common one.
	maxParts = 3
	maxWords = 2
)

// common reports whether a password is among the first that are guessed. The password is compared in the form NFKC with folded case, so
// that full-width and half-width letters are the same. It is common if it is
//   - a listed word, also between digits or signs and with letters replaced by similar signs,
//   - of few different characters,
//   - a run of neighbours such as 12345678, hgfedcba, qwertyui or !@#$%^&*, a repetition, a date, or up to four repeated signs,
//   - up to three of these joined, of which at most two are words, such as abc12345 or banca-dev.
func common(password string) bool {
	text := folded(password)
	listed := strings.Fields(commonPasswords)
	for _, core := range []string{text, strings.TrimFunc(text, sign), strings.TrimRightFunc(text, notLetter), strings.TrimLeftFunc(text, notLetter), strings.TrimFunc(text, notLetter)} {
		if slices.Contains(listed, core) || slices.Contains(listed, unleet(core)) {
			return true
		}
	}
	return distinct(text) < minDistinct || runs(text) || date(text) || joined(listed, text)
}

func folded(text string) string { return cases.Fold().String(norm.NFKC.String(text)) }

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

func sign(r rune) bool { return notLetter(r) && !unicode.IsDigit(r) }

// unleet replaces signs by the letters that they resemble.
func unleet(text string) string {
	return strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t").Replace(text)
}

// joined reports whether a text is nothing but a few listed words, runs, dates and short numbers.
func joined(listed []string, text string) bool {
	parts, words := partsOf(text), 0
	if len(parts) == 0 { // signs only
		return len(unrepeated(text)) <= minDistinct
	}
	if len(parts) > maxParts {
		return false
	}
	for _, part := range parts {
		switch {
		case len(part) > 1 && (runs(part) || distinct(part) == 1):
		case unicode.IsDigit(rune(part[0])):
			if len(part) > 4 && !date(part) && distinct(part) >= minDistinct { // up to four: a year, the day of a birthday, a PIN
				return false
			}
		case slices.Contains(listed, part):
			words++
		default:
			return false
		}
	}
	return words <= maxWords
}

// unrepeated returns a text's characters, with one in place of equal neighbours.
func unrepeated(text string) []rune { return slices.Compact([]rune(text)) }

// partsOf splits a text into its sequences of letters and of digits; other characters separate them.
func partsOf(text string) []string {
	var parts []string
	var last func(rune) bool
	for _, r := range text {
		switch kind := kindOf(r); {
		case kind == nil:
			last = nil
		case last != nil && last(r):
			parts[len(parts)-1] += string(r)
		default:
			last = kind
			parts = append(parts, string(r))
		}
	}
	return parts
}

func kindOf(r rune) func(rune) bool {
	switch {
	case unicode.IsLetter(r):
		return unicode.IsLetter
	case r >= '0' && r <= '9':
		return unicode.IsDigit
	}
	return nil
}

// date reports whether a text is a date in one of the usual orders, with any separators or without.
func date(text string) bool {
	parts := partsOf(text)
	if slices.ContainsFunc(parts, func(part string) bool { return part[0] < '0' || part[0] > '9' }) {
		return false
	}
	for _, layout := range []string{"2/1/2006", "1/2/2006", "2006/1/2", "2/1/06", "1/2/06", "06/1/2", "02012006", "01022006", "20060102", "020106", "010206", "060102"} {
		if _, err := time.Parse(layout, strings.Join(parts, "/")); err == nil {
			return true
		}
	}
	return false
}

func distinct(text string) int {
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	return len(seen)
}

// runs reports whether a text is one run of neighbours in the alphabet, the digits or a row of the keyboard, in either
// direction, or repeats a shorter text.
func runs(text string) bool {
	const rows = "01234567890 abcdefghijklmnñopqrstuvwxyz abcdefghijklmnopqrstuvwxyz qwertyuiop asdfghjkl zxcvbnm 1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik" +
		" !@#$%^&*()_+ !\"·$%&/()=?¿" // the digits with Shift, on an English and a Spanish keyboard
	if strings.Contains(rows, text) || strings.Contains(rows, reversed(text)) {
		return true
	}
	for n := 1; n <= len(text)/2; n++ {
		if len(text)%n == 0 && strings.Repeat(text[:n], len(text)/n) == text && n < minPassword {
			return true
		}
	}
	return false
}

func reversed(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeLastRuneInString(text)
		b.WriteRune(r)
		text = text[:len(text)-size]
	}
	return b.String()
}
