// Package percent shows a part of an amount in percent.
package percent

import (
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/reports"
	"banca/web/kit"
)

// Text formats part in percent of whole; "" without a whole.
func Text(v *kit.View, part, whole money.Amount) string {
	n, ok := reports.Hundredths(part, whole)
	if !ok {
		return ""
	}
	return v.Money(n, 2) + " %"
}

// Column is a column of parts in percent.
func Column[R any](title string, of func(row *R) (part, whole money.Amount)) kit.Column[R] {
	return kit.Column[R]{
		Title: title, Number: true, Cell: func(v *kit.View, row *R) kit.Cell {
			part, whole := of(row)
			return kit.Text(Text(v, part, whole))
		},
		File: func(row *R) sheet.Cell {
			n, ok := reports.Hundredths(of(row))
			if !ok {
				return sheet.Cell{}
			}
			return sheet.Money(n, 2)
		},
	}
}
