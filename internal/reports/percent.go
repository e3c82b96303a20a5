package reports

import (
	"math/big"

	"banca/internal/money"
)

// Percent returns part in percent of whole with two decimals, rounded half away from zero, such as "72.00"; "" if whole is 0.
func Percent(part, whole money.Amount) string {
	if whole == 0 {
		return ""
	}
	share := new(big.Rat).SetFrac(big.NewInt(int64(part)), big.NewInt(int64(whole)))
	return share.Mul(share, big.NewRat(100, 1)).FloatString(2)
}
