package currency

import (
	"banca/internal/platform/money"
	"banca/web/kit"
)

// Owed says who owes an amount, which has no sign: the entity above zero, the operator below. Zero is the amount alone. text formats an amount.
func Owed(v *kit.View, a money.Amount, text func(a money.Amount) string) string {
	switch {
	case a > 0:
		return v.T("weekly.owes", text(a))
	case a < 0:
		return v.T("weekly.is_owed", text(-a))
	default:
		return text(0)
	}
}
