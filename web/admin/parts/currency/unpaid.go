package currency

import (
	"banca/internal/platform/money"
	"banca/web/kit"
)

// Unpaid continues a text about the cash with the prizes won less the prizes paid of a period: negative if prizes of earlier days were paid. "" for zero.
func Unpaid(v *kit.View, unpaid money.Amount, digits int) string {
	switch {
	case unpaid > 0:
		return v.T("money.unpaid", v.Money(unpaid, digits))
	case unpaid < 0:
		return v.T("money.paid.earlier", v.Money(-unpaid, digits))
	default:
		return ""
	}
}
