package channel

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"banca/internal/platform/phone"
)

// MaxErrorText bounds the stored part of a gateway's answer, in bytes.
const MaxErrorText = 300

// Clean makes a foreign text fit to keep: numbers long enough to be a telephone's are masked, and it is
// short, valid text.
func Clean(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "?")
	text = regexp.MustCompile(`\+?[0-9]{7,}`).ReplaceAllStringFunc(text, phone.Mask)
	if len(text) <= MaxErrorText {
		return text
	}
	cut := MaxErrorText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}
