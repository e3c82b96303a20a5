package templates

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Values are the values of placeholders by key. A missing one is empty.
type Values map[string]string

// fill returns the message.
func (t *parsed) fill(v Values) string {
	f := filler{}
	for _, p := range t.parts {
		if p.field != nil {
			f.value(p.field.clean(v[p.field.Key]))
			continue
		}
		for i, words := range strings.Split(p.words, "\n") {
			if i > 0 {
				f.end()
			}
			f.line.WriteString(words)
		}
	}
	f.end()
	return strings.Trim(strings.Join(f.lines, "\n"), "\n")
}

// filler collects the lines of a message.
type filler struct {
	lines  []string
	line   strings.Builder
	fields bool // the line has a placeholder
}

func (f *filler) value(text string) {
	f.fields = true
	f.line.WriteString(text)
}

// end ends a line. A line of empty placeholders is left out, and so is a second empty line in a row.
func (f *filler) end() {
	line := strings.TrimRight(f.line.String(), " ")
	empty := strings.TrimSpace(line) == ""
	double := empty && (len(f.lines) == 0 || f.lines[len(f.lines)-1] == "")
	if (!empty || !f.fields) && !double {
		f.lines = append(f.lines, line)
	}
	f.line.Reset()
	f.fields = false
}

// markup are the characters that WhatsApp reads as bold, italics, struck through, code and quotes.
const markup = "*_~`<>"

// clean brings a value into the form in which it is inserted: one line, or several where the placeholder has them, without characters that cannot be
// seen, and, if a person typed it, without markup.
func (f *Field) clean(value string) string {
	lines := []string{strings.ToValidUTF8(value, "")}
	if f.lines {
		lines = strings.Split(lines[0], "\n")
	}
	for i := range lines {
		lines[i] = strings.Join(strings.FieldsFunc(lines[i], f.separates), " ")
	}
	value = strings.TrimSpace(strings.Map(visible, strings.Join(lines, "\n")))
	if utf8.RuneCountInString(value) <= f.Max {
		return value
	}
	return strings.TrimSpace(string([]rune(value)[:f.Max-1])) + "…"
}

// separates reports whether a character becomes a blank.
func (f *Field) separates(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || !f.system && strings.ContainsRune(markup, r)
}

// visible removes characters that have no width or change the direction of the text.
func visible(r rune) rune {
	if r != '\n' && (unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp)) {
		return -1
	}
	return r
}
