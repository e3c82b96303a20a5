// Package iddoc brings identity documents (cédula, RIF) into one form: "V12345678".
package iddoc

import (
	"strings"

	"banca/internal/platform/apperr"
)

// Expected is the message of a part of a request that ErrInvalid refuses.
const Expected = "must be an identity document such as V12345678 or J-40123456-7"

// ErrInvalid refuses a text that is not an identity document.
var ErrInvalid = apperr.New(apperr.Invalid, "INVALID_ID_DOCUMENT", Expected)

// ID is an identity document as payments are matched by it: the digits without leading zeros, because
// banks pad them, and the letter where it is known.
type ID struct {
	Letter string // V, E, J, G, P, or "" if the text has none
	Number string // 1 to 10 digits, the first not 0; "" only in the zero ID
}

// Bounds of a document: its digits as written, zeros included, and the whole text.
const (
	minDigits = 5
	maxDigits = 10
	MaxLength = 20
)

const letters = "VEJGP"

// Parse reads an optional letter and 5 to 10 digits, with dashes, points and blanks between them:
// "V12345678", "V-12.345.678", "j 40123456-7". Errors: ErrInvalid.
func Parse(text string) (ID, error) {
	if len(text) > MaxLength {
		return ID{}, ErrInvalid
	}
	var id ID
	digits := strings.NewReplacer("-", "", ".", "", " ", "").Replace(text)
	if digits != "" && (digits[0] < '0' || digits[0] > '9') {
		id.Letter, digits = strings.ToUpper(digits[:1]), digits[1:]
		if !strings.Contains(letters, id.Letter) {
			return ID{}, ErrInvalid
		}
	}
	if len(digits) < minDigits || len(digits) > maxDigits || strings.Trim(digits, "0123456789") != "" {
		return ID{}, ErrInvalid
	}
	if id.Number = strings.TrimLeft(digits, "0"); id.Number == "" {
		return ID{}, ErrInvalid
	}
	return id, nil
}

// Fits reports whether both are the same document: equal digits, and no letter against another.
func (id ID) Fits(other ID) bool {
	return id.Number == other.Number && (id.Letter == "" || other.Letter == "" || id.Letter == other.Letter)
}

// Written returns the normal form of a document as people write it: "V-12.345.678" for the cédula "V12345678", any other
// one unchanged.
func Written(normal string) string {
	id, err := Parse(normal)
	if err != nil || id.Letter != "V" && id.Letter != "E" {
		return normal
	}
	text := id.Number
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "." + text[at:]
	}
	return id.Letter + "-" + text
}

// String is the normal form, such as "V12345678", which Parse reads as the same ID; "" for the zero ID.
func (id ID) String() string {
	if id.Number == "" {
		return ""
	}
	return id.Letter + strings.Repeat("0", max(0, minDigits-len(id.Number))) + id.Number
}
