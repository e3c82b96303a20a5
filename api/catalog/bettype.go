package catalog

import (
	"banca/api/kit"
	"banca/internal/catalog"
	"banca/internal/platform/money"
)

func betTypeBody(r *catalog.Rule) betType {
	b := betType{
		Type: r.Type, Payout: money.Payout(r.Payout).String(), MinStake: boundBody(r.MinStake), MaxStake: boundBody(r.MaxStake),
		BetBounds: r.BetBounds, Draws: r.Draws,
	}
	if len(r.ElementPayouts) > 0 {
		b.ElementPayouts = make(map[string]string, len(r.ElementPayouts))
	}
	for code, payout := range r.ElementPayouts {
		b.ElementPayouts[code] = money.Payout(payout).String()
	}
	return b
}

func boundBody(bound catalog.StakeBound) map[string]kit.Decimal {
	if len(bound) == 0 {
		return nil
	}
	amounts := make(map[string]kit.Decimal, len(bound))
	for currency, amount := range bound {
		amounts[currency] = kit.Decimal(amount)
	}
	return amounts
}
