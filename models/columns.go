package models

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Storable reports whether Postgres can store and search a text: valid UTF-8 without NUL.
func Storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// Clip returns a storable text of at most the given number of bytes. It removes NUL and invalid bytes.
func Clip(text string, most int) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// Optional returns a nullable column: the zero value is NULL.
func Optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// Value returns the value of a nullable column, or the zero value for NULL: the reverse of Optional.
func Value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Instant returns a nullable column in UTC: NULL is the zero time.
func Instant(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
