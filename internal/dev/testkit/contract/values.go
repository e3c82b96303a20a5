package contract

import (
	"encoding/json"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// maxDepth bounds how deep generated values nest.
const maxDepth = 6

func (g *Generator) wild() bool { return g.Wild > 0 && g.random.Float64() < g.Wild }

// value makes a value of a schema. name is that of the parameter or property.
func (g *Generator) value(schema any, name string, depth int) any {
	s, _ := g.document.deref(schema).(map[string]any)
	if g.wild() {
		return g.refused()
	}
	for _, kind := range []string{"anyOf", "oneOf"} {
		if list, ok := s[kind].([]any); ok && len(list) > 0 {
			return g.value(list[g.random.IntN(len(list))], name, depth)
		}
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return list[g.random.IntN(len(list))]
	}
	switch g.kind(s) {
	case "object":
		return g.object(s, depth)
	case "array":
		return g.array(s, name, depth)
	case "string":
		return g.text(s, name)
	case "integer":
		return g.integer(s)
	case "number":
		return json.Number(pick(g, "1", "2.5", "0.01", "100", "150.00"))
	case "boolean":
		return g.random.IntN(2) == 0
	default:
		return nil
	}
}

// kind chooses one of the types of a schema.
func (g *Generator) kind(s map[string]any) string {
	if kinds, ok := s["type"].([]any); ok && len(kinds) > 0 {
		kind, _ := kinds[g.random.IntN(len(kinds))].(string)
		return kind
	}
	kind, _ := s["type"].(string)
	return kind
}

func (g *Generator) object(s map[string]any, depth int) any {
	object := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names) // so that a seed repeats
	for _, name := range names {
		if !slices.Contains(required, any(name)) && (depth >= maxDepth || g.random.IntN(2) == 0) {
			continue
		}
		if g.Wild > 0 && g.random.Float64() < g.Wild/4 {
			continue // a required property is missing
		}
		object[name] = g.value(properties[name], name, depth+1)
	}
	if g.wild() {
		object["no_such_property"] = 1
	}
	return object
}

func (g *Generator) array(s map[string]any, name string, depth int) any {
	least, most := bound(s, "minItems", 0), bound(s, "maxItems", 3)
	list := make([]any, 0, most)
	for range least + g.random.IntN(max(min(most, least+3)-least, 0)+1) {
		list = append(list, g.value(s["items"], name, depth+1))
	}
	return list
}

func (g *Generator) integer(s map[string]any) any {
	least, most := bound(s, "minimum", 0), bound(s, "maximum", 100)
	return least + g.random.IntN(max(most-least, 0)+1)
}

func (g *Generator) text(s map[string]any, name string) any {
	switch s["format"] {
	case "uuid":
		if ids := slices.Concat(g.IDs[name], g.IDs[""]); len(ids) > 0 && g.random.IntN(4) > 0 {
			return ids[g.random.IntN(len(ids))]
		}
		return uuid.UUID{byte(g.random.IntN(256)), 1, 2, 3, 4, 5, 0x70, 7, 0x80, 9}.String()
	case "date":
		return time.Date(2026, 11, 1+g.random.IntN(28), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	case "date-time":
		return time.Date(2026, 11, 1+g.random.IntN(28), g.random.IntN(24), 0, 0, 0, time.UTC).Format(time.RFC3339)
	case "binary":
		return "\x89PNG\r\n\x1a\n"
	}
	if pattern, ok := s["pattern"].(string); ok {
		if parsed, err := syntax.Parse(pattern, syntax.Perl); err == nil {
			return g.match(parsed.Simplify())
		}
	}
	if examples, ok := s["examples"].([]any); ok && len(examples) > 0 && g.random.IntN(2) == 0 {
		return examples[g.random.IntN(len(examples))]
	}
	text := pick(g, "5", "a", "VES", "Ana María", "04141234567", "12.50", "x-1", "V12345678", "0134", "sold by mistake")
	for len(text) < bound(s, "minLength", 0) {
		text += text
	}
	return text[:min(len(text), bound(s, "maxLength", math.MaxInt))]
}

// match makes a text that a regular expression matches.
func (g *Generator) match(re *syntax.Regexp) string {
	var b strings.Builder
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		at := g.random.IntN(len(re.Rune)/2) * 2
		b.WriteRune(re.Rune[at] + rune(g.random.IntN(int(min(re.Rune[at+1]-re.Rune[at], 30))+1)))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteString("a")
	case syntax.OpAlternate:
		b.WriteString(g.match(re.Sub[g.random.IntN(len(re.Sub))]))
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		least := map[syntax.Op]int{syntax.OpPlus: 1, syntax.OpRepeat: re.Min}[re.Op]
		for range max(least, g.random.IntN(2)) {
			b.WriteString(g.match(re.Sub[0]))
		}
	default:
		for _, sub := range re.Sub {
			b.WriteString(g.match(sub))
		}
	}
	return b.String()
}

// refused makes a value that most schemas refuse.
func (g *Generator) refused() any {
	list := []any{
		nil, true, -1, 0, json.Number("1e400"), json.Number("9223372036854775808"), json.Number("0.001"), "", " ", "\x00", "a\x00b",
		"\u202e", "''; DROP TABLE tickets; --", "%00", "../..", "ÿ\U0001F40E", strings.Repeat("9", 5000), []any{}, []any{nil}, map[string]any{},
		map[string]any{"a": map[string]any{"\x00": []any{"b"}}}, "not-a-uuid", "0001-01-01", "9999-12-31T23:59:60Z", "-0", "NaN",
	}
	return list[g.random.IntN(len(list))]
}

// bound reads a number of a schema.
func bound(s map[string]any, name string, fallback int) int {
	number, ok := s[name].(json.Number)
	if !ok {
		return fallback
	}
	n, err := number.Int64()
	if err != nil {
		return fallback
	}
	return int(n)
}

func pick[T any](g *Generator, list ...T) T { return list[g.random.IntN(len(list))] }
