package assistant

import (
	"strings"
	"unicode"
)

// Clean returns a text of the database or of a user without characters that could change how the rest is read: control characters, line ends, marks of
// direction, invisible ones; cut to a number of characters.
func Clean(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.ToValidUTF8(text, "") {
		if r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029' {
			r = ' '
		}
		if unicode.Is(unicode.C, r) { // control, format, surrogate, private use
			continue
		}
		if n++; n > most {
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// cleanLines is Clean for a text that keeps its line ends.
func cleanLines(text string, most int) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = Clean(lines[i], most)
	}
	joined := []rune(strings.TrimSpace(strings.Join(lines, "\n")))
	return string(joined[:min(len(joined), most)])
}

// escapeMarkdown returns a text that Markdown shows as it is, in a cell of a table too.
func escapeMarkdown(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]<>()#+!|~$&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
