package storage

import "strings"

// Containing is the pattern for LIKE of texts that hold a text as it was typed.
func Containing(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`, "\x00", "").Replace(text) + "%"
}
