package models

import (
	"strings"
	"unicode/utf8"
)

// Storable reports whether a text can be stored and searched for: Postgres knows neither NUL nor what is not UTF-8.
func Storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }
