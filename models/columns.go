package models

import (
	"strings"
	"unicode/utf8"
)

// Storable reports whether Postgres can store and search a text: valid UTF-8 without NUL.
func Storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }
