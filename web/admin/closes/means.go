package closes

import (
	"banca/internal/closes"
	"banca/internal/platform/money"
	"banca/web/kit"
)

// meansColumns are the columns of what tickets were paid with besides cash in the currency of a close.
func meansColumns(c *closes.Close) []kit.Column[closes.Means] {
	own := kit.AmountsOf(func(m *closes.Means) int { return m.Currency.Digits })
	value := kit.AmountsOf(func(*closes.Means) int { return c.Currency.Digits })
	return []kit.Column[closes.Means]{
		{Title: "closes.means", Cell: func(v *kit.View, m *closes.Means) kit.Cell {
			return kit.Text(v.T("closes.means." + m.Means)).WithSecondLine(m.Currency.Code)
		}},
		own("closes.expected.cash", func(m *closes.Means) money.Amount { return m.Expected }),
		{Title: "closes.counted", Cell: func(v *kit.View, m *closes.Means) kit.Cell {
			if m.Counted == nil {
				return kit.Text("")
			}
			return kit.Text(v.Money(*m.Counted, m.Currency.Digits))
		}},
		own("closes.variance", func(m *closes.Means) money.Amount { return m.Variance() }),
		value("closes.means.value", func(m *closes.Means) money.Amount { return m.Value }),
	}
}
