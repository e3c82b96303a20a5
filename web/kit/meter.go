package kit

import "banca/internal/platform/money"

// Meter is a bar of how much of a bound is used.
type Meter struct {
	Percent int64 // at most 100
	Label   string
	Spent   bool // the bound stops what goes beyond it: nothing is to be done
}

// CreditMeter returns how much of a credit limit a balance uses. It is nil for a wallet without a limit whose balance is not below zero.
func (v *View) CreditMeter(balance, limit money.Amount) *Meter {
	used, limited := UsedCredit(balance, limit)
	if !limited {
		return nil
	}
	return &Meter{Percent: used, Label: v.T("wallet.used.percent", used)}
}

// UsedCredit returns how much of a credit limit a balance uses in whole percent: 100 only if nothing is left. A wallet without a limit whose
// balance is not below zero is not limited.
func UsedCredit(balance, limit money.Amount) (percent int64, limited bool) {
	if limit == 0 && balance >= 0 {
		return 0, false
	}
	if debt := max(0, -balance); debt < limit {
		return int64(debt * hundred / limit), true
	}
	return hundred, true
}

// MeterCell returns a cell with a meter, empty for nil.
func (v *View) MeterCell(m *Meter) Cell { return v.part("meter", m) }
