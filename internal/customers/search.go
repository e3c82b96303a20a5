package customers

import (
	"slices"
	"strings"

	"banca/internal/platform/locale"
)

// maxWords bounds the words of a search; further ones are ignored.
const maxWords = 10

// searchName returns a name as it is searched: lower case, without accents, its words separated by one space.
func searchName(name string) string {
	return strings.Join(strings.Fields(locale.Fold(name)), " ")
}

// search is a parsed search text. A customer matches if its search_name contains every name and its telephone contains all digits.
type search struct{ names, digits []string }

// parseSearch splits a text into words. A word of digits and the punctuation of telephone numbers is searched in the
// telephone, without a leading 0 or 00, any other word in the name.
func parseSearch(text string) search {
	var s search
	words := strings.Fields(searchName(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")))
	for _, word := range words[:min(len(words), maxWords)] {
		if digits, ok := phoneDigits(word); ok {
			s.digits = append(s.digits, digits)
		} else {
			s.names = append(s.names, word)
		}
	}
	s.names, s.digits = distinct(s.names), distinct(s.digits)
	return s
}

// phoneDigits returns the digits of a part of a telephone number. ok is false if the word is not one.
func phoneDigits(word string) (digits string, ok bool) {
	digits = strings.Map(func(r rune) rune {
		if strings.ContainsRune(".-()+", r) {
			return -1
		}
		return r
	}, word)
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	if rest, found := strings.CutPrefix(digits, "00"); found {
		return rest, true
	}
	return strings.TrimPrefix(digits, "0"), true
}

func distinct(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}
