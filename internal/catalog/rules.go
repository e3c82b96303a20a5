package catalog

import (
	"encoding/json"
	"fmt"
	"strings"

	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
)

// anyCurrency is the key of a stake bound that holds for every currency not named.
const anyCurrency = "*"

// BetBounds are members of a bet type in betting_rules, which its bodies in the API embed.
type BetBounds struct {
	MaxPerTicket int `json:"max_per_ticket,omitempty" doc:"lines of this type on a ticket"` // 0: no bound
}

// Rule is one bet type of a game. Draws is the number of consecutive draws of a bet over several.
type Rule struct {
	Type           string              `json:"type"`
	Payout         Multiple            `json:"payout"`
	ElementPayouts map[string]Multiple `json:"element_payouts,omitempty"`
	MinStake       StakeBound          `json:"min_stake,omitempty"`
	MaxStake       StakeBound          `json:"max_stake,omitempty"`
	BetBounds
	Draws int `json:"draws,omitempty"`
}

// Window returns the number of consecutive draws that decide the bet: 1, or at least as many as its parts.
func (r *Rule) Window() int {
	b := BetTypeOf(r.Type)
	if b == nil || !b.SeveralDraws() {
		return 1
	}
	return max(r.Draws, b.Parts)
}

// CheckStake refuses a stake outside the bounds of the rule in a currency with so many decimals. It returns the least stake, 0 without one.
func (r *Rule) CheckStake(stake money.Amount, currency string, digits int) (least money.Amount, refused *apperr.Detail) {
	if least, _ = r.MinStake.In(currency, digits); stake < least {
		minimum := least.Format(digits)
		return least, apperr.Line("STAKE_TOO_LOW", "amount is below the minimum stake, "+minimum, "minimum", minimum, "currency", currency)
	}
	if most, bounded := r.MaxStake.In(currency, digits); bounded && stake > most {
		maximum := most.Format(digits)
		return least, apperr.Line("STAKE_TOO_HIGH", "amount is above the maximum stake, "+maximum, "maximum", maximum, "currency", currency)
	}
	return least, nil
}

// PayoutFor returns the payout of a win with this canonical selection.
func (r *Rule) PayoutFor(selection string) money.Payout {
	if p, ok := r.ElementPayouts[selection]; ok {
		return money.Payout(p)
	}
	return money.Payout(r.Payout)
}

// Multiple is a payout as the JSON columns write it: "60" or 60, at most two digits after the point.
type Multiple money.Payout

// UnmarshalJSON reads a string or a number without passing through a float.
func (m *Multiple) UnmarshalJSON(raw []byte) error {
	hundredths, err := money.Parse(strings.Trim(string(raw), `"`), 2)
	if err != nil {
		return fmt.Errorf("payout: %w", err)
	}
	*m = Multiple(hundredths)
	return nil
}

// MarshalJSON writes the payout as a string.
func (m Multiple) MarshalJSON() ([]byte, error) { return json.Marshal(money.Payout(m).String()) }

// StakeBound is an amount by currency code: {"VES":"1.00","*":"5"} or one string for all of them.
type StakeBound map[string]string

// UnmarshalJSON accepts both forms.
func (b *StakeBound) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*b = StakeBound{anyCurrency: one}
		return nil
	}
	byCurrency := map[string]string{}
	if err := json.Unmarshal(raw, &byCurrency); err != nil {
		return fmt.Errorf("stake bound: %w", err)
	}
	*b = byCurrency
	return nil
}

// In returns the bound in a currency and whether there is one. A bound that is not a valid amount of the currency
// counts as zero, so that an unreadable maximum refuses every stake.
func (b StakeBound) In(currency string, digits int) (money.Amount, bool) {
	text, ok := b[currency]
	if !ok {
		text, ok = b[anyCurrency]
	}
	if !ok {
		return 0, false
	}
	amount, _ := money.Parse(text, digits) // zero when it cannot be read
	return amount, true
}

// bettingRules is a decoded betting_rules column. Properties of a game that sales obey are members, because the version of
// the rules covers them.
type bettingRules struct {
	types map[string]*Rule
}

// decodeRules reads a betting_rules column.
func decodeRules(raw []byte) (bettingRules, error) {
	var doc struct {
		BetTypes []*Rule `json:"bet_types"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return bettingRules{}, fmt.Errorf("betting_rules: %w", err)
	}
	rules := bettingRules{types: make(map[string]*Rule, len(doc.BetTypes))}
	for i, r := range doc.BetTypes {
		if r == nil || r.Payout <= 0 {
			return bettingRules{}, fmt.Errorf("betting_rules.bet_types[%d].payout is missing", i)
		}
		if BetTypeOf(r.Type) == nil {
			return bettingRules{}, fmt.Errorf("betting_rules.bet_types[%d].type is unknown", i)
		}
		rules.types[r.Type] = r
	}
	return rules, nil
}
