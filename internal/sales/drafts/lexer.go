package drafts

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// lexeme is a word, a group of digits or a sign of the text, in lower case and without accents.
type lexeme struct {
	text  string
	after bool // a space stands before it
}

// Forms that are rewritten before the text is divided: "p. m.", "c/u".
var (
	halfDay  = regexp.MustCompile(`(\d|\s)([ap])\s?\.?\s?m\b\.?`)
	eachWord = regexp.MustCompile(`\bc\s?/\s?[ua]\b`)
	lexemes  = regexp.MustCompile(`\s*(?:(\d{1,2}:\d{2}\b)|(\d+(?:[.,]\d+)*)|([a-z]+)|(\S))`)
)

// lexemesOf divides a line of the text.
func lexemesOf(line string) []lexeme {
	line = eachWord.ReplaceAllString(halfDay.ReplaceAllString(fold(line), "$1 ${2}m"), " cadauno ")
	var list []lexeme
	for _, found := range lexemes.FindAllStringSubmatchIndex(line, -1) {
		for group := 1; group <= 4; group++ {
			if from := found[2*group]; from >= 0 {
				list = append(list, lexeme{text: line[from:found[2*group+1]], after: from > found[0]})
			}
		}
	}
	return list
}

// fold returns a text in lower case and without accents. Signs that look alike become one, pictures become spaces.
func fold(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r == '×' || r == '✖':
			b.WriteByte('x')
		case unicode.Is(unicode.Pd, r) || r == '−':
			b.WriteByte('-')
		case r == '•' || r == '·' || r == '|' || r == '+':
			b.WriteByte(',')
		case unicode.IsLetter(r) || r < unicode.MaxASCII && r >= '0' && r <= '9' || strings.ContainsRune(",.-/:=*@$&", r):
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}
