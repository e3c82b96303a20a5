package kit

import "banca/internal/money"

// Meter is a bar of how much of a bound is used.
type Meter struct {
	Percent int64 // at most 100
	Label   string
}

// CreditMeter returns how much of a credit limit a balance uses: 100 percent only if nothing is left. It is nil for a wallet without a
// limit whose balance is not below zero.
func (v *View) CreditMeter(balance, limit money.Amount) *Meter {
	if limit == 0 && balance >= 0 {
		return nil
	}
	used := int64(hundred)
	if debt := max(0, -balance); debt < limit {
		used = int64(debt * hundred / limit)
	}
	return &Meter{Percent: used, Label: v.T("wallet.used.percent", used)}
}

// MeterCell returns a cell with a meter, empty for nil.
func (v *View) MeterCell(m *Meter) Cell { return v.part("meter", m) }
