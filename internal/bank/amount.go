package bank

import (
	"strings"

	"banca/internal/money"
)

// AmountDigits are the céntimos of the bank's currency; Monto has at most as many.
const AmountDigits = 2

// maxWholeDigits bounds Monto before its point.
const maxWholeDigits = 12

// ParseAmount reads Monto: 1 to 12 digits and at most two more after a point, above zero. Exponents, signs,
// commas and blanks are refused. Errors: ErrField.
func ParseAmount(text string) (money.Amount, error) {
	whole, _, _ := strings.Cut(text, ".")
	if len(whole) > maxWholeDigits {
		return 0, ErrField
	}
	amount, err := money.Parse(text, AmountDigits)
	if err != nil {
		return 0, ErrField
	}
	return amount, nil
}
