// Package money holds amounts as integer minor units, percentages as basis points and payouts as
// hundredths, and splits sums without losing a unit. There is no float here nor near it.
package money

import (
	"strings"

	"banca/internal/platform/apperr"
)

// Amount is a sum in minor units of some currency (céntimos for VES).
type Amount int64

// MaxAmount bounds every single amount so that sums over millions of rows cannot overflow and every
// count stays exact in Lua's double-precision numbers (2^53).
const MaxAmount Amount = 1_000_000_000_000_00

// Expected is the message of a part of a request that ErrAmount refuses.
const Expected = "must be a positive decimal number with at most the currency's digits"

// ErrAmount refuses an amount that is not a plain positive decimal in the currency's digits.
var ErrAmount = apperr.New(apperr.Invalid, "INVALID_AMOUNT", Expected)

// ErrNegative is the error of ParseOrZero: the amount must be zero or valid by ErrAmount.
var ErrNegative = apperr.New(apperr.Invalid, "INVALID_AMOUNT", "must be zero or a positive decimal number with at most the currency's digits")

// Parse reads a decimal such as "12.50" or "12" with at most digits fractional digits. It refuses
// signs, exponents, blanks, more digits than the currency has, zero and sums above MaxAmount. Errors: ErrAmount.
func Parse(text string, digits int) (Amount, error) {
	amount, err := ParseOrZero(text, digits)
	if err != nil || amount == 0 {
		return 0, ErrAmount
	}
	return amount, nil
}

// ParseOrZero is Parse with zero allowed. Errors: ErrNegative.
func ParseOrZero(text string, digits int) (Amount, error) {
	whole, frac, dotted := strings.Cut(text, ".")
	if whole == "" || len(whole) > 15 || (dotted && frac == "") || len(frac) > digits {
		return 0, ErrNegative
	}
	var n int64
	for _, part := range [2]string{whole, frac} {
		for i := range len(part) {
			c := part[i]
			if c < '0' || c > '9' {
				return 0, ErrNegative
			}
			n = n*10 + int64(c-'0')
		}
	}
	for range digits - len(frac) {
		n *= 10
	}
	if n > int64(MaxAmount) {
		return 0, ErrNegative
	}
	return Amount(n), nil
}

// Format writes the amount as a decimal string with exactly digits fractional digits ("-3.05").
func (a Amount) Format(digits int) string {
	var buf [24]byte
	i := len(buf)
	n, negative := uint64(a), a < 0
	if negative {
		n = -n
	}
	for pos := 0; n > 0 || pos <= digits; pos++ {
		if pos == digits && digits > 0 {
			i--
			buf[i] = '.'
		}
		i--
		buf[i] = byte('0' + n%10)
		n /= 10
	}
	if negative {
		i--
		buf[i] = '-'
	}
	return string(buf[i:])
}

// FormatLocal writes the amount the Venezuelan way, for print: "10.000,00".
func (a Amount) FormatLocal(digits int) string {
	plain := a.Format(digits)
	sign := ""
	if strings.HasPrefix(plain, "-") {
		sign, plain = "-", plain[1:]
	}
	whole, frac, _ := strings.Cut(plain, ".")
	var b strings.Builder
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte('.')
		}
		b.WriteByte(whole[i])
	}
	if frac != "" {
		return sign + b.String() + "," + frac
	}
	return sign + b.String()
}
