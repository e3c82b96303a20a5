package reports

import (
	"math/big"

	"banca/internal/platform/money"
)

// percentDigits is the number of decimals of a percentage.
const percentDigits = 2

// Hundredths returns part in percent of whole in hundredths of a percent, rounded half away from zero, such as 7200 for 72 %. ok is false
// if whole is 0.
func Hundredths(part, whole money.Amount) (n money.Amount, ok bool) {
	if whole == 0 {
		return 0, false
	}
	share := new(big.Rat).SetFrac(big.NewInt(int64(part)), big.NewInt(int64(whole)))
	rounded, ok := new(big.Int).SetString(share.Mul(share, big.NewRat(10_000, 1)).FloatString(0), 10)
	if !ok || !rounded.IsInt64() {
		return 0, false
	}
	return money.Amount(rounded.Int64()), true
}

// Percent returns part in percent of whole with two decimals, rounded half away from zero, such as "72.00"; "" if whole is 0.
func Percent(part, whole money.Amount) string {
	n, ok := Hundredths(part, whole)
	if !ok {
		return ""
	}
	return n.Format(percentDigits)
}
