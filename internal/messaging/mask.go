package messaging

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxErrorText bounds the stored part of a gateway's answer, in bytes.
const maxErrorText = 300

// Mask hides a telephone number but for its first three and last two characters: "+58********67".
func Mask(phone string) string {
	const head, tail = 3, 2
	if len(phone) <= head+tail {
		return strings.Repeat("*", len(phone))
	}
	return phone[:head] + strings.Repeat("*", len(phone)-head-tail) + phone[len(phone)-tail:]
}

// clean makes a foreign text fit to keep: numbers long enough to be a telephone's are masked, and it is
// short, valid text.
func clean(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "?")
	text = regexp.MustCompile(`\+?[0-9]{7,}`).ReplaceAllStringFunc(text, Mask)
	if len(text) <= maxErrorText {
		return text
	}
	cut := maxErrorText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}
