package catalog

import (
	"encoding/json"
	"fmt"

	"banca/internal/money"
	"banca/models"
)

// What a draw of a game yields.
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

// Mechanics is the decoded mechanics column: how a game's outcome is drawn. Flags are announced beside an
// outcome and any of them may stand together; of the wildcards at most one comes out.
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

// Derivation says that a game is not drawn but takes part of another game's outcome of the same instant.
type Derivation struct {
	Game string `json:"game"` // short code
	Take string `json:"take"`
}

// DecodeMechanics reads a mechanics column; what it leaves out is as usual for the game's category.
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

// Adjustment is what the modifiers of an outcome together do to a payout.
type Adjustment struct {
	Set      money.Payout // 0: as sold
	Add      money.Payout
	Multiply money.Payout // in hundredths; 100 leaves it as it is
}

// unadjusted leaves payouts as they were sold.
func unadjusted() Adjustment { return Adjustment{Multiply: wholePayout} }

// wholePayout is one time the stake.
const wholePayout = 100

// Apply returns the payout as adjusted, rounded down to a hundredth.
func (a Adjustment) Apply(sold money.Payout) money.Payout {
	if a.Set > 0 {
		sold = a.Set
	}
	return (sold + a.Add) * a.Multiply / wholePayout
}

// with adds one modifier. Of several that set a payout the greatest holds.
func (a Adjustment) with(m *Modifier) Adjustment {
	a.Set = max(a.Set, money.Payout(m.Set))
	a.Add += money.Payout(m.Add)
	if m.Multiply > 0 {
		a.Multiply = a.Multiply * money.Payout(m.Multiply) / wholePayout
	}
	return a
}
