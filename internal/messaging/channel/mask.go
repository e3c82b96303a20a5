package channel

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// MaxErrorText bounds the stored part of a gateway's answer, in bytes.
const MaxErrorText = 300

// Mask hides a telephone number but for its first three and last two characters: "+58********67".
func Mask(phone string) string {
	const head, tail = 3, 2
	if len(phone) <= head+tail {
		return strings.Repeat("*", len(phone))
	}
	return phone[:head] + strings.Repeat("*", len(phone)-head-tail) + phone[len(phone)-tail:]
}

// Clean makes a foreign text fit to keep: numbers long enough to be a telephone's are masked, and it is
// short, valid text.
func Clean(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "?")
	text = regexp.MustCompile(`\+?[0-9]{7,}`).ReplaceAllStringFunc(text, Mask)
	if len(text) <= MaxErrorText {
		return text
	}
	cut := MaxErrorText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}
