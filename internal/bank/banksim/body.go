package banksim

import (
	"encoding/json"
	"strings"
)

// encode writes a phase's fields as one JSON object, in the bank's order. A field that is not in the map is
// left out, an empty one is sent empty. Fields of at most 200 characters, 6 bytes each, stay below the 16 KiB that the
// webhooks read.
func encode(phase Phase, fields map[string]string) (string, error) {
	var b strings.Builder
	for _, name := range FieldNames(phase) {
		value, given := fields[name]
		if !given {
			continue
		}
		text, err := quoteJSON(value)
		if err != nil {
			return "", err
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":` + text)
	}
	return "{" + b.String() + "}", nil
}

// quoteJSON returns text as a JSON string, with <, > and & as they are: a bank does not escape them.
func quoteJSON(text string) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(text)
	return strings.TrimSuffix(b.String(), "\n"), err
}
