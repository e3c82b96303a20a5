package storage

import "strings"

// Below is the pattern for LIKE of the paths of entities in a scope, the path of the caller's entity. That of an empty
// scope, which nobody has, fits none, so that a query for everything below it cannot become one for everything.
func Below(scope string) string {
	if scope == "" {
		return ""
	}
	return scope + "%"
}

// Containing is the pattern for LIKE of texts that hold a text as it was typed.
func Containing(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`, "\x00", "").Replace(text) + "%"
}
