package locale

import (
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Fold returns a text in lower case, without accents and surrounding white space, for comparisons.
func Fold(text string) string {
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn))), text)
	if err != nil {
		plain = text
	}
	return strings.ToLower(strings.TrimSpace(plain))
}
