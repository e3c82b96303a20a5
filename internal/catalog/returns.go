package catalog

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"banca/internal/platform/money"
)

// Return is what a bet pays back on average, if each of the grid's elements (or each number) is equally likely and
// modifiers have their stated probabilities.
type Return struct {
	BetType   string
	Selection string // that has a payout of its own; "" for all others
	Payout    money.Payout
	Expected  *big.Rat // times the stake
}

// Returns lists the bets of a game in the order of its rules, each followed by its selections with payouts of their own.
func Returns(m Mechanics, rules []*Rule, elements int) []Return {
	var list []Return
	for _, r := range rules {
		chance := chanceOf(r, elements)
		add := func(selection string, payout money.Payout) {
			list = append(list, Return{BetType: r.Type, Selection: selection, Payout: payout, Expected: new(big.Rat).Mul(chance, expectedPayout(&m, r, payout))})
		}
		add("", money.Payout(r.Payout))
		for _, selection := range slices.Sorted(maps.Keys(r.ElementPayouts)) {
			add(selection, money.Payout(r.ElementPayouts[selection]))
		}
	}
	return list
}

// Percent is the expected payout in percent of the stake, rounded half up.
func (r *Return) Percent() money.BasisPoints {
	return money.BasisPoints(min(rounded(r.Expected, int64(money.FullRate)), math.MaxInt32))
}

// Of is the expected payout of a stake, rounded half up.
func (r *Return) Of(stake money.Amount) money.Amount {
	return money.Amount(rounded(r.Expected, int64(stake)))
}

// rounded returns a ratio of a whole that is not negative, rounded half up.
func rounded(ratio *big.Rat, whole int64) int64 {
	product := new(big.Rat).Mul(ratio, new(big.Rat).SetInt64(whole))
	product.Add(product, big.NewRat(1, 2))
	quotient := new(big.Int).Quo(product.Num(), product.Denom())
	if !quotient.IsInt64() {
		return int64(money.MaxAmount)
	}
	return quotient.Int64()
}
