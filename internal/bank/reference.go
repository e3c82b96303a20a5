package bank

import "strings"

// Bounds of the identifiers of a payment.
const (
	minReference   = 1
	maxReference   = 36
	bankCodeLength = 4
	maxNetworkCode = 8
)

// ParseReference parses Referencia: 1 to 36 digits. Leading zeros are significant. Errors: ErrField.
func ParseReference(text string) (string, error) {
	if len(text) < minReference || len(text) > maxReference || !isDigits(text) {
		return "", ErrField
	}
	return text, nil
}

// ParseBankCode parses BancoEmisor: 3 or 4 digits, padded on the left to 4. Errors: ErrField.
func ParseBankCode(text string) (string, error) {
	if (len(text) != bankCodeLength && len(text) != bankCodeLength-1) || !isDigits(text) {
		return "", ErrField
	}
	return strings.Repeat("0", bankCodeLength-len(text)) + text, nil
}

// Approved is the network code of an approved payment.
const Approved = "00"

// ParseNetworkCode parses CodigoRed: at most 8 letters and digits. It is compared as text: "0" is not "00". Errors:
// ErrField.
func ParseNetworkCode(text string) (string, error) {
	if text == "" || len(text) > maxNetworkCode {
		return "", ErrField
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		default:
			return "", ErrField
		}
	}
	return text, nil
}

// isDigits reports whether text holds ASCII digits only.
func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
