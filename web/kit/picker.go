package kit

import (
	"net/http"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// maxSuggestions is how many options are offered at once.
const maxSuggestions = 20

// suggestParam holds, in the address of suggestions, what is typed.
const suggestParam = "q"

// PickerInput is a field for one of many objects, found while one types and named by its text, never by a code. find
// returns the value of the object that a text names. Without scripts the field is a text with a datalist.
func PickerInput(name, label string, find func(typed string) (value string, ok bool)) Input {
	input := typedInput(name, label, "input.picker", "maxlength=120 spellcheck=false", func(typed string) bool {
		_, ok := find(typed)
		return ok
	})
	input.find = find
	return input
}

// From returns the field with the address of further suggestions, see Suggestions.
func (i Input) From(address string) Input {
	i.source = address
	return i
}

// Picked returns the value of the object that a picker names; ok is false if it names none.
func (f *Form) Picked(name string) (value string, ok bool) {
	for i := range f.Inputs {
		if input := &f.Inputs[i]; input.Name == name && input.find != nil {
			return input.find(f.Get(name))
		}
	}
	return "", false
}

// Among returns the function of a picker that finds one of the options by its text, whatever its accents and capitals.
// A text of two options finds neither.
func Among(options []Option) func(typed string) (value string, ok bool) {
	return func(typed string) (string, bool) {
		var found []Option
		for _, option := range options {
			if folded(option.Text) == folded(typed) {
				found = append(found, option)
			}
		}
		if len(found) != 1 {
			return "", false
		}
		return found[0].Value, true
	}
}

// Matching returns the first options whose text holds what is typed, whatever its accents and capitals.
func Matching(options []Option, typed string) []Option {
	var found []Option
	for _, option := range options {
		if len(found) < maxSuggestions && strings.Contains(folded(option.Text), folded(typed)) {
			found = append(found, option)
		}
	}
	return found
}

// folded returns a text without accents and capitals.
func folded(text string) string {
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn))), text)
	if err != nil {
		return text
	}
	return strings.ToLower(strings.TrimSpace(plain))
}

// Suggestions answers a picker with the options that match what is typed, of which the first ones are offered.
func Suggestions(find func(r *Request, typed string) ([]Option, error)) Handler {
	return func(r *Request) error {
		options, err := find(r, r.Query(suggestParam))
		if err != nil {
			return err
		}
		r.write(http.StatusOK, r.site.own, "refused", "picks", &View{Page: options[:min(len(options), maxSuggestions)]})
		return nil
	}
}
