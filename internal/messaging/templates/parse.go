package templates

import (
	"strings"
	"unicode/utf8"
)

// part is a piece of a text: words, or a placeholder.
type part struct {
	words string
	field *Field // nil for words
}

// parsed is a text that can be filled in.
type parsed struct{ parts []part }

// fault is why a text cannot be parsed.
type fault int

const (
	faultNone    fault = iota
	faultUnknown       // a placeholder that the purpose does not have
	faultOpen          // a brace that is not closed
	faultClose         // a brace that was not opened
)

// maxName bounds the name of a placeholder, in bytes.
const maxName = 40

// parse splits a text. at is the place of a fault, in characters from 1.
func parse(text string, fields []Field, l Language) (t parsed, why fault, at int) {
	var words strings.Builder
	for i := 0; i < len(text); {
		switch next := strings.IndexAny(text[i:], "{}"); {
		case next < 0:
			words.WriteString(text[i:])
			i = len(text)
		case next > 0:
			words.WriteString(text[i : i+next])
			i += next
		case strings.HasPrefix(text[i:], "{{"), strings.HasPrefix(text[i:], "}}"):
			words.WriteByte(text[i])
			i += 2
		case text[i] == '}':
			return parsed{}, faultClose, place(text, i)
		default:
			name, _, closed := strings.Cut(text[i+1:], "}")
			if !closed || len(name) > maxName || strings.ContainsAny(name, "{\n") {
				return parsed{}, faultOpen, place(text, i)
			}
			field := fieldOf(fields, l, name)
			if field == nil {
				return parsed{}, faultUnknown, place(text, i)
			}
			t.add(words.String(), field)
			words.Reset()
			i += len(name) + 2
		}
	}
	t.add(words.String(), nil)
	return t, faultNone, 0
}

func place(text string, i int) int { return utf8.RuneCountInString(text[:i]) + 1 }

// fieldOf returns the placeholder of a name, without regard to case and blanks around it, or nil.
func fieldOf(fields []Field, l Language, name string) *Field {
	name = strings.ToLower(strings.TrimSpace(name))
	for i := range fields {
		if fields[i].Name(l) == name {
			return &fields[i]
		}
	}
	return nil
}

func (t *parsed) add(words string, field *Field) {
	if words != "" {
		t.parts = append(t.parts, part{words: words})
	}
	if field != nil {
		t.parts = append(t.parts, part{field: field})
	}
}

// has reports whether the text has a placeholder.
func (t *parsed) has(key string) bool {
	for _, p := range t.parts {
		if p.field != nil && p.field.Key == key {
			return true
		}
	}
	return false
}

// longest is the length of the longest message, in characters.
func (t *parsed) longest() (n int) {
	for _, p := range t.parts {
		if p.field != nil {
			n += p.field.Max
		} else {
			n += utf8.RuneCountInString(p.words)
		}
	}
	return n
}
