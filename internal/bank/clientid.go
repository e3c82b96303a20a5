package bank

import "strings"

// ClientID is an identity document as payments are matched by it: the digits without leading zeros, because
// banks pad them, and the letter where it is known.
type ClientID struct {
	Letter string // V, E, J, G, P or "" when it was not given
	Number string // 1..10 digits, the first not 0
}

// Bounds of an identity document's digits, as they are written.
const (
	minClientDigits = 5
	maxClientDigits = 10
)

// letters of Venezuelan identity documents.
const clientLetters = "VEJGP"

// ParseClientID reads IdCliente as the bank writes it: an optional letter and 5 to 10 digits.
// Errors: ErrField.
func ParseClientID(text string) (ClientID, error) {
	var id ClientID
	digits := text
	if digits != "" && (digits[0] < '0' || digits[0] > '9') {
		id.Letter, digits = strings.ToUpper(digits[:1]), digits[1:]
		if !strings.Contains(clientLetters, id.Letter) {
			return ClientID{}, ErrField
		}
	}
	if len(digits) < minClientDigits || len(digits) > maxClientDigits || !isDigits(digits) {
		return ClientID{}, ErrField
	}
	if id.Number = strings.TrimLeft(digits, "0"); id.Number == "" {
		return ClientID{}, ErrField
	}
	return id, nil
}

// ParseDocument reads a document as people write it, "V-12.345.678" or "j 40123456-7". Errors: ErrField.
func ParseDocument(text string) (ClientID, error) {
	if len(text) > 2*maxClientDigits {
		return ClientID{}, ErrField
	}
	return ParseClientID(strings.NewReplacer("-", "", ".", "", " ", "").Replace(text))
}

// Fits reports whether both are the same document: equal digits, and no letter against another.
func (c ClientID) Fits(other ClientID) bool {
	return c.Number == other.Number && (c.Letter == "" || other.Letter == "" || c.Letter == other.Letter)
}

// String is the normal form, such as "V12345678".
func (c ClientID) String() string { return c.Letter + c.Number }

// isDigits reports whether text holds ASCII digits only.
func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
