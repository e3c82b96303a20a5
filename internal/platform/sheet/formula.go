package sheet

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// formulaSigns are the characters that begin a formula in a spreadsheet, with their full-width and small forms.
const formulaSigns = "=+-@\t\r\n＝＋－＠﹦﹢﹣﹫"

// escapeFormulas prefixes a text that a spreadsheet would run as a formula with a quote. It checks the text after each
// semicolon, too, because spreadsheets in languages with a decimal comma split cells there.
func escapeFormulas(cell string) string {
	parts := strings.Split(cell, ";")
	for i, part := range parts {
		if first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(part, isInvisible)); part != "" && strings.ContainsRune(formulaSigns, first) {
			parts[i] = "'" + part
		}
	}
	return strings.Join(parts, ";")
}

// isInvisible reports whether a spreadsheet may skip a character before a formula: spaces, byte order marks and other
// format characters.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Zs, unicode.Cf)
}
