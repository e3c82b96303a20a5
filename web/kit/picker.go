package kit

import (
	"net/http"
	"strings"

	"banca/internal/platform/locale"
)

// maxSuggestions bounds the options of one answer.
const maxSuggestions = 20

// suggestParam is the parameter of the address of suggestions with the typed text.
const suggestParam = "q"

// PickerInput is a field that finds one of many objects by its text while the user types. The form submits the text, which
// is valid if find finds an object. Without scripts the field is a text input with a datalist.
func PickerInput(name, label string, find func(typed string) (value string, ok bool)) Input {
	input := typedInput(name, label, "input.picker", "maxlength=120 spellcheck=false", func(typed string) bool {
		_, ok := find(typed)
		return ok
	})
	input.picks = true
	return input
}

// SuggestFrom returns the field with the address of a Suggestions handler.
func (i Input) SuggestFrom(address string) Input {
	i.source = address
	return i
}

// FindByText returns a function for PickerInput that finds one of the options by its text. It ignores accents and case. It
// does not find a text that two options have.
func FindByText(options []Option) func(typed string) (value string, ok bool) {
	return func(typed string) (string, bool) {
		var found []Option
		for _, option := range options {
			if locale.Fold(option.Text) == locale.Fold(typed) {
				found = append(found, option)
			}
		}
		if len(found) != 1 {
			return "", false
		}
		return found[0].Value, true
	}
}

// MatchingOptions returns the first options whose text contains the typed text. It ignores accents and case.
func MatchingOptions(options []Option, typed string) []Option {
	var found []Option
	for _, option := range options {
		if len(found) < maxSuggestions && strings.Contains(locale.Fold(option.Text), locale.Fold(typed)) {
			found = append(found, option)
		}
	}
	return found
}

// Suggestions returns a handler that answers a picker with the options that find returns for the typed text, at most
// maxSuggestions.
func Suggestions(find func(r *Request, typed string) ([]Option, error)) Handler {
	return func(r *Request) error {
		options, err := find(r, r.Query(suggestParam))
		if err != nil {
			return err
		}
		r.write(http.StatusOK, r.site.sitePages, "refused", "picks", &View{Page: options[:min(len(options), maxSuggestions)]})
		return nil
	}
}
