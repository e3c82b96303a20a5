package receipts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// substitute replaces a character that neither the font nor the printer's code page has.
const substitute = '?'

// printable reports whether r is in the set that both media show: ASCII and the printable half of
// Latin-1. Code page 850 has all of Latin-1, so the picture and the paper never differ.
func printable(r rune) bool {
	return r >= ' ' && r <= '~' || r >= 0xA1 && r <= 0xFF && r != 0xAD
}

// clean makes a text of unknown origin safe and printable: composed characters, no control bytes, no
// outer white space, at most maxText characters. It never lets ESC or another command byte pass.
func clean(s string) string {
	if ok, length := survey(s); ok && length <= maxText {
		return strings.TrimSpace(s)
	}
	if len(s) > 16*maxText { // bounds the work on a hostile text; combining marks may take many bytes
		s = s[:16*maxText]
	}
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.ToValidUTF8(s, string(substitute))) {
		if printable(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(replacement(r))
		}
	}
	return shorten(strings.TrimSpace(b.String()))
}

// survey reports whether s is printable as it is, and its length in characters. Nearly every text of a
// ticket is; composed Latin-1 is already in normal form C.
func survey(s string) (ok bool, length int) {
	for _, r := range s {
		if !printable(r) {
			return false, 0
		}
		length++
	}
	return true, length
}

// replacement returns the printable form of r: a typographic equivalent, its base letter, white space, nothing for a
// mark without a width, else the substitute.
func replacement(r rune) string {
	switch {
	case unicode.IsSpace(r):
		return " "
	case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Cf, r):
		return ""
	}
	switch r {
	case '‘', '’', '′':
		return "'"
	case '“', '”', '″':
		return `"`
	case '‐', '‑', '‒', '–', '—', '−':
		return "-"
	case '…':
		return "..."
	case '•':
		return "·"
	case '€':
		return "EUR"
	}
	return base(r)
}

// base returns the letter under r's accents (Ş -> S), or the substitute.
func base(r rune) string {
	if first, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r))); printable(first) {
		return string(first)
	}
	return string(substitute)
}

// shorten cuts s to maxText characters and shows that it did.
func shorten(s string) string {
	runes := []rune(s)
	if len(runes) <= maxText {
		return s
	}
	return string(runes[:maxText-3]) + "..."
}

// shortName is the form of an element's name on a receipt: four capitals, e.g. CIEM for Ciempiés.
// Capitals because accents stay apart from their letters on a thermal head.
func shortName(name string) string {
	name = clean(strings.ToUpper(clean(name)))
	n := 0
	for i := range name {
		if n == nameLength {
			return strings.TrimRight(name[:i], " ")
		}
		n++
	}
	return name
}
