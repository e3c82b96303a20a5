package lottery

import (
	"regexp"
	"slices"

	"github.com/tidwall/gjson"

	"banca/internal/catalog"
)

// Bounds of the parts of a result other than its value.
const (
	maxWords = 8
	maxWord  = 32
)

// scalar reads a text or a whole number, as it is written: a number keeps its digits and gets none.
func scalar(r gjson.Result) (string, bool) {
	switch r.Type {
	case gjson.String:
		return r.Str, true
	case gjson.Number:
		return r.Raw, regexp.MustCompile(`^(0|[1-9][0-9]*)$`).MatchString(r.Raw)
	default:
		return "", false
	}
}

// empty reports whether a present field has no value yet.
func empty(r gjson.Result) bool { return r.Type == gjson.Null || r.Type == gjson.String && r.Str == "" }

// isCode reports whether a text can be a code of an element or a number.
func isCode(text string) bool { return regexp.MustCompile(`^[0-9]{1,4}$`).MatchString(text) }

// value translates the drawn code. An item without one is a draw that is not drawn yet.
func (s *Source) value(r gjson.Result) (string, error) {
	if !r.Exists() {
		return "", malformed("there is nothing at the path of value")
	}
	if empty(r) {
		return "", ErrNotYet
	}
	foreign, ok := scalar(r)
	if !ok {
		return "", malformed("the value is neither a text nor a whole number")
	}
	code := foreign
	if len(s.Elements) > 0 {
		if code, ok = s.Elements[foreign]; !ok {
			return "", malformed("the value is not in the map of elements")
		}
	}
	if !isCode(code) {
		return "", malformed("the value is no code")
	}
	return code, nil
}

// sign translates the drawn sign, "" without one.
func (s *Source) sign(r gjson.Result) (string, error) {
	if empty(r) {
		return "", nil
	}
	foreign, ok := scalar(r)
	if !ok {
		return "", malformed("the sign is no text")
	}
	code := foreign
	if len(s.Signs) > 0 {
		if code, ok = s.Signs[foreign]; !ok {
			return "", malformed("the sign is not in the map of signs")
		}
	}
	if !slices.Contains(catalog.Signs(), code) {
		return "", malformed("the sign is unknown")
	}
	return code, nil
}

// words reads one word or a list of words, sorted, without repeats. Whether the game has them is checked elsewhere.
func words(r gjson.Result) ([]string, error) {
	if empty(r) {
		return nil, nil
	}
	list := []gjson.Result{r}
	if r.IsArray() {
		list = r.Array()
	}
	if len(list) > maxWords {
		return nil, malformed("there are too many words")
	}
	var result []string
	for _, item := range list {
		word, ok := scalar(item)
		if !ok || len(word) > maxWord || !regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(word) {
			return nil, malformed("a flag or wildcard is no word")
		}
		result = append(result, word)
	}
	slices.Sort(result)
	return slices.Compact(result), nil
}
