package storage

import "strings"

// Below returns the LIKE pattern of the entity paths in a scope, the path of the caller's entity. The pattern of an
// empty scope matches no path, so that a missing scope cannot select every row.
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
