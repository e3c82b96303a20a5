package bank

import (
	"strings"

	"banca/internal/platform/money"
)

// AmountDigits is the number of decimals of the bank's currency. Monto has at most as many.
const AmountDigits = 2

// maxWholeDigits bounds the digits of Monto before the decimal point.
const maxWholeDigits = 12

// ParseAmount parses Monto: 1 to 12 digits and at most two after a decimal point, greater than zero. Exponents, signs,
// commas and blanks are invalid. Errors: ErrField.
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
