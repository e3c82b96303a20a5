package catalog

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"banca/internal/platform/money"
	"banca/models"
)

// Kinds of outcome.
const (
	DrawsElement = "element" // one element of the game's grid
	DrawsNumber  = "number"  // a number of Digits digits
)

// Ways to derive one game's result from another's.
const (
	TakeAll     = "all"
	TakeLastTwo = "last_two"
	TakeFirst   = "first_two"
)

// Mechanics is the decoded mechanics column: how a game's outcome is drawn. Flags are announced with an outcome, any
// number of them; of the wildcards at most one is.
type Mechanics struct {
	Kind        string      `json:"kind,omitempty"`
	Digits      int         `json:"digits,omitempty"`
	Sign        bool        `json:"sign,omitempty"` // a zodiac sign is drawn, too
	Flags       []Modifier  `json:"flags,omitempty"`
	Wildcards   []Modifier  `json:"wildcards,omitempty"`
	DerivedFrom *Derivation `json:"derived_from,omitempty"`
}

// Modifier changes what wins pay when its code is drawn: another payout, something more, or a multiple; in
// this order when several apply. BetTypes empty means every bet that one draw decides. Chance is how
// often it comes up, a decimal between 0 and 1; empty counts as always where payouts are judged.
type Modifier struct {
	Code     string   `json:"code"`
	Name     string   `json:"name,omitempty"`
	BetTypes []string `json:"bet_types,omitempty"`
	Set      Multiple `json:"set,omitempty"`
	Add      Multiple `json:"add,omitempty"`
	Multiply Multiple `json:"multiply,omitempty"`
	Chance   string   `json:"chance,omitempty"`
}

// Derivation is set for a game that is not drawn but takes part of another game's outcome of the same instant.
type Derivation struct {
	Game string `json:"game"` // short code
	Take string `json:"take"`
}

// DecodeMechanics reads a mechanics column; absent fields get the defaults of the game's category.
func DecodeMechanics(raw []byte, category string) (Mechanics, error) {
	var m Mechanics
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &m); err != nil {
			return m, fmt.Errorf("mechanics: %w", err)
		}
	}
	if m.Kind == "" {
		m.Kind = DrawsNumber
		if category == models.CategoryAnimalitos {
			m.Kind = DrawsElement
		}
	}
	if m.Kind == DrawsNumber && m.Digits == 0 {
		m.Digits = 3
		if category == models.CategoryTerminales {
			m.Digits = 2
		}
	}
	return m, nil
}

// Adjustment is the joint effect of an outcome's modifiers on a payout. It is exact: a prize is rounded once, down.
type Adjustment struct {
	Set      money.Payout // 0: as sold
	Add      money.Payout
	Multiply *big.Rat // product of all multiples; nil is 1
}

// wholePayout is one time the stake.
const wholePayout = 100

// multiplyDigits holds the decimals of every product: two for each modifier that mechanics may have.
const multiplyDigits = 64

// Exact returns how many times the stake a line pays that was sold at a payout.
func (a Adjustment) Exact(sold money.Payout) *big.Rat {
	if a.Set > 0 {
		sold = a.Set
	}
	times := big.NewRat(int64(sold+a.Add), wholePayout)
	if a.Multiply != nil {
		times.Mul(times, a.Multiply)
	}
	return times
}

// Changes reports whether a line pays something else than it was sold at.
func (a Adjustment) Changes(sold money.Payout) bool {
	return a.Exact(sold).Cmp(big.NewRat(int64(sold), wholePayout)) != 0
}

// Prize returns the prize of a stake that was sold at a payout, rounded down.
func (a Adjustment) Prize(stake money.Amount, sold money.Payout) money.Amount {
	times := a.Exact(sold)
	times.Mul(times, new(big.Rat).SetInt64(int64(stake)))
	whole := new(big.Int).Quo(times.Num(), times.Denom())
	if !whole.IsInt64() {
		return money.MaxAmount
	}
	return money.Amount(whole.Int64())
}

// Decimal returns the product of all multiples as an exact decimal.
func (a Adjustment) Decimal() string {
	if a.Multiply == nil {
		return "1"
	}
	return strings.TrimRight(strings.TrimRight(a.Multiply.FloatString(multiplyDigits), "0"), ".")
}

// with adds one modifier. Of several that set a payout the greatest holds.
func (a Adjustment) with(m *Modifier) Adjustment {
	a.Set = max(a.Set, money.Payout(m.Set))
	a.Add += money.Payout(m.Add)
	if m.Multiply > 0 {
		product := big.NewRat(int64(m.Multiply), wholePayout)
		if a.Multiply != nil {
			product.Mul(product, a.Multiply)
		}
		a.Multiply = product
	}
	return a
}
