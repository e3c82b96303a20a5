package requestlog

import (
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// Bounds of a stored path.
const (
	maxPath    = 200
	maxSegment = 36 // a longer segment, such as a token, is masked
	maxNumber  = 12 // digits of a number that is shown

	shortestName = 8 // of a segment that may name a person or a ticket
)

// mask replaces a segment of a path that matched no route.
const mask = "…"

// Parameter is a parameter of a route with its value.
type Parameter struct{ Name, Value string }

// Path returns the path of a request as it is stored. Values of parameters are stored if they are ids or numbers; any
// other, such as the serial code of a ticket, is replaced by the name of its parameter, and so is every parameter
// named in secret. Of a path without a route, segments that are long, invalid text, or may name a person or a ticket
// are masked.
func Path(route, path string, parameters []Parameter, secret func(name string) bool) string {
	if route == "" {
		return unmatched(path)
	}
	plain := true
	for i := range parameters {
		plain = plain && shown(parameters[i], secret)
	}
	switch {
	case plain && len(path) <= maxPath:
		return path
	case len(parameters) == 0:
		return route
	}
	segments := strings.Split(route, "/")
	for i, segment := range segments {
		if segment == "" || segment[0] != ':' {
			continue
		}
		for _, p := range parameters {
			if p.Name == segment[1:] && shown(p, secret) {
				segments[i] = p.Value
			}
		}
	}
	return strings.Join(segments, "/")
}

// shown reports whether the value of a parameter is stored.
func shown(p Parameter, secret func(name string) bool) bool {
	if secret != nil && secret(p.Name) {
		return false
	}
	if len(p.Value) == maxSegment {
		_, err := uuid.Parse(p.Value)
		return err == nil
	}
	if p.Value == "" || len(p.Value) > maxNumber {
		return false
	}
	for i := range len(p.Value) {
		if p.Value[i] < '0' || p.Value[i] > '9' {
			return false
		}
	}
	return true
}

// unmatched returns a path that anybody may have written.
func unmatched(path string) string {
	segments := strings.Split(path[:min(len(path), maxPath)], "/")
	for i, segment := range segments {
		if len(segment) > maxSegment || strings.ContainsRune(segment, '@') || !printable(segment) || names(segment) {
			segments[i] = mask
		}
	}
	return strings.Join(segments, "/")
}

// names reports whether a segment may be what names a person or a ticket: a telephone, an identity document, a serial
// code, a key.
func names(segment string) bool {
	if len(segment) < shortestName || uuid.Validate(segment) == nil {
		return false
	}
	return strings.ContainsAny(segment, "0123456789") || strings.ToUpper(segment) == segment
}

func printable(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}
