// Package phone brings telephone numbers into one form, E.164: "+584141234567".
package phone

import (
	"strings"

	"banca/internal/platform/apperr"
)

// Expected is the message of a part of a request that ErrInvalid refuses.
const Expected = "must be a telephone number such as 04141234567 or +584141234567"

// ErrInvalid refuses a text that is not a telephone number.
var ErrInvalid = apperr.New(apperr.Invalid, "INVALID_PHONE", Expected)

// Lengths of an E.164 number without its plus sign, and of a Venezuelan one after the country code.
const (
	minDigits      = 8
	maxDigits      = 15
	nationalDigits = 10
	countryCode    = "58"
)

// Normalise accepts 0414..., 58414..., 0058..., +58... and foreign numbers with + or 00, with blanks,
// points, dashes and brackets between the digits.
func Normalise(text string) (string, error) {
	if len(text) > 2*maxDigits {
		return "", ErrInvalid
	}
	international := strings.HasPrefix(strings.TrimLeft(text, " "), "+")
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" .-()+", r) {
			return -1
		}
		return r
	}, text)
	if strings.Trim(digits, "0123456789") != "" {
		return "", ErrInvalid
	}
	if rest, ok := strings.CutPrefix(digits, "00"); ok && !international {
		digits, international = rest, true
	}
	if !international {
		digits = national(digits)
	}
	if len(digits) < minDigits || len(digits) > maxDigits || digits[0] == '0' {
		return "", ErrInvalid
	}
	if rest, ok := strings.CutPrefix(digits, countryCode); ok && len(rest) != nationalDigits {
		return "", ErrInvalid
	}
	return "+" + digits, nil
}

// national adds the country code to a Venezuelan number, or returns "".
func national(digits string) string {
	if rest, ok := strings.CutPrefix(digits, "0"); ok && len(rest) == nationalDigits {
		return countryCode + rest
	}
	if strings.HasPrefix(digits, countryCode) && len(digits) == len(countryCode)+nationalDigits {
		return digits
	}
	return ""
}
