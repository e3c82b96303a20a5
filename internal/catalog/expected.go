package catalog

import (
	"math/big"

	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
)

// Overpriced is a bet whose expected payout exceeds its price, so that its buyer wins in the long run.
type Overpriced struct {
	BetType   string
	Selection string // "" when every selection of the type pays alike
	Expected  string // times the stake, three decimals
}

// Expected lists the bets of a game whose expected payout exceeds the stake. A bet that pays some elements more is judged
// by the best of them, because a buyer can choose them.
func Expected(m Mechanics, rules []*Rule, elements int) []Overpriced {
	var list []Overpriced
	for _, r := range Returns(m, rules, elements) {
		if r.Expected.Cmp(big.NewRat(1, 1)) > 0 {
			list = append(list, Overpriced{BetType: r.BetType, Selection: r.Selection, Expected: r.Expected.FloatString(3)})
		}
	}
	return list
}

// expectedPayout returns the payout of a win, averaged over the modifiers.
func expectedPayout(m *Mechanics, r *Rule, sold money.Payout) *big.Rat {
	sum, rest := new(big.Rat), big.NewRat(1, 1)
	if r.Window() > 1 { // modifiers concern single draws
		return big.NewRat(int64(sold), wholePayout)
	}
	for i := range m.Wildcards {
		if w := &m.Wildcards[i]; w.appliesTo(r.Type) {
			p := w.chance()
			rest.Sub(rest, p)
			sum.Add(sum, p.Mul(p, expectedFlags(m.Flags, r.Type, Adjustment{}.with(w), sold)))
		}
	}
	if rest.Sign() > 0 {
		sum.Add(sum, rest.Mul(rest, expectedFlags(m.Flags, r.Type, Adjustment{}, sold)))
	}
	return sum
}

// expectedFlags averages over the flags, each of which comes up or not by its own chance.
func expectedFlags(flags []Modifier, bet string, a Adjustment, sold money.Payout) *big.Rat {
	if len(flags) == 0 {
		return a.Exact(sold)
	}
	without := expectedFlags(flags[1:], bet, a, sold)
	f := &flags[0]
	if !f.appliesTo(bet) {
		return without
	}
	with, p := expectedFlags(flags[1:], bet, a.with(f), sold), f.chance()
	with.Mul(with, p)
	return with.Add(with, without.Mul(without, p.Sub(big.NewRat(1, 1), p)))
}

// chance is how often a modifier comes up; always, when it does not say.
func (m *Modifier) chance() *big.Rat {
	p, ok := new(big.Rat).SetString(m.Chance)
	if !ok || p.Sign() < 0 || p.Cmp(big.NewRat(1, 1)) > 0 {
		return big.NewRat(1, 1)
	}
	return p
}

// Message describes an overpriced bet for the person who configures it.
func (o Overpriced) Message() apperr.Message {
	if o.Selection != "" {
		return apperr.Messagef("%s on %s pays %s times its stake on average", o.BetType, o.Selection, o.Expected)
	}
	return apperr.Messagef("%s pays %s times its stake on average", o.BetType, o.Expected)
}
