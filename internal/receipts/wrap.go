package receipts

import (
	"strings"
	"unicode/utf8"
)

// columns is the width of s in characters of a fixed-width font.
func columns(s string) int { return utf8.RuneCountInString(s) }

// wrap appends to lines the lines of s, of at most width characters, broken between words where it can.
// It loses nothing but the spaces at the breaks.
func wrap(lines []string, s string, width int) []string {
	if columns(s) <= width {
		return append(lines, s)
	}
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && columns(line)+1+columns(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for columns(word) > width {
			head := firstRunes(word, width)
			lines, word = append(lines, head), word[len(head):]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// firstRunes returns the first n characters of s, which has more than n.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
