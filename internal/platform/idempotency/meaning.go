package idempotency

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// Meaning is the hash of an operation with its fields. Two requests with one key are equal if their meanings are.
type Meaning = [sha256.Size]byte

// Of returns the meaning of an operation with its fields, in normal form and in a fixed order. Fields are separated
// by their lengths, so that no text can pass for two.
func Of(operation string, fields ...string) Meaning {
	h := sha256.New()
	var size [8]byte
	for _, field := range append([]string{operation}, fields...) {
		binary.BigEndian.PutUint64(size[:], uint64(len(field)))
		h.Write(size[:])
		h.Write([]byte(field))
	}
	return Meaning(h.Sum(nil))
}

// Decimal returns a decimal in one spelling: "10", "10.0" and "010.00" are "10". A text that is not a decimal is
// returned unchanged.
func Decimal(text string) string {
	if text == "" || strings.Trim(text, "0123456789.") != "" || strings.Count(text, ".") > 1 || text[0] == '.' || text[len(text)-1] == '.' {
		return text
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// Flag returns a boolean as a field.
func Flag(set bool) string {
	if set {
		return "true"
	}
	return "false"
}
