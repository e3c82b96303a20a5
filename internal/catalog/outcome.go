package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"banca/internal/platform/apperr"
)

// Outcome is the outcome of a draw: an element's code or a number, both text, and the additions announced with it.
type Outcome struct {
	Value    string
	Sign     string   // code of a zodiac sign, "" when none is drawn
	Wildcard string   // code, "" when none came out
	Flags    []string // codes, sorted
}

// Equal reports whether two outcomes decide every bet alike.
func (o *Outcome) Equal(other *Outcome) bool {
	return o.Value == other.Value && o.Sign == other.Sign && o.Wildcard == other.Wildcard && slices.Equal(o.Flags, other.Flags)
}

// String returns the value with its additions in words.
func (o *Outcome) String() string {
	parts := append([]string{o.Value, o.Sign, o.Wildcard}, o.Flags...)
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
}

// CheckOutcome returns an outcome in canonical form, or the location and message of what the game cannot draw: both
// are empty for a valid one. Codes are text, so "5" is not "05" and "0" is not "00".
func (g *Game) CheckOutcome(o Outcome) (checked Outcome, location string, message apperr.Message) {
	if location, message = g.checkValue(o.Value); message != "" {
		return o, location, message
	}
	o.Sign = strings.ToUpper(o.Sign)
	switch {
	case g.mechanics.Sign && o.Sign == "":
		return o, "sign", "is missing; the game draws a sign"
	case g.mechanics.Sign && !slices.Contains(Signs(), o.Sign):
		return o, "sign", apperr.Messagef("must be one of %s", strings.Join(Signs(), ", "))
	case !g.mechanics.Sign && o.Sign != "":
		return o, "sign", "is not drawn by this game"
	case o.Wildcard != "" && find(g.mechanics.Wildcards, o.Wildcard) == nil:
		return o, "wildcard", "is not one of this game's"
	}
	o.Flags = slices.Compact(slices.Sorted(slices.Values(o.Flags)))
	for i, f := range o.Flags {
		if find(g.mechanics.Flags, f) == nil {
			return o, "flags[" + strconv.Itoa(i) + "]", "is not one of this game's"
		}
	}
	return o, "", ""
}

func (g *Game) checkValue(value string) (location string, message apperr.Message) {
	if g.mechanics.Kind == DrawsNumber {
		if len(value) != g.mechanics.Digits || strings.Trim(value, "0123456789") != "" {
			return "value", apperr.Messagef("must be a number of exactly %d digits", g.mechanics.Digits)
		}
		return "", ""
	}
	if _, ok := g.names[value]; !ok { // an element that was retired since may still be drawn
		return "value", "is not the code of an element of this game"
	}
	return "", ""
}

func find(list []Modifier, code string) *Modifier {
	for i := range list {
		if list[i].Code == code {
			return &list[i]
		}
	}
	return nil
}

// Winning is a selection that an outcome makes win, and how its payout is adjusted.
type Winning struct {
	BetType   string
	Selection string // canonical
	Adjustment
}

// Rules are a game's mechanics and bets in one version.
type Rules struct {
	Version   int
	Mechanics Mechanics
	bets      bettingRules
}

// DecodeRules reads the mechanics and betting_rules columns of a version.
func DecodeRules(version int, mechanics, bettingRules []byte, category string) (Rules, error) {
	m, err := DecodeMechanics(mechanics, category)
	if err != nil {
		return Rules{}, err
	}
	bets, err := decodeRules(bettingRules)
	if err != nil {
		return Rules{}, fmt.Errorf("version %d: %w", version, err)
	}
	return Rules{Version: version, Mechanics: m, bets: bets}, nil
}

// Winners lists every selection that an outcome makes win under these rules, of the bets that one draw decides. A
// settlement uses nothing else: a selection that is not listed has lost.
func (r *Rules) Winners(o *Outcome) []Winning {
	var list []Winning
	for _, bet := range slices.Sorted(maps.Keys(r.bets.types)) {
		adjust := r.Mechanics.adjustment(o, bet)
		for _, selection := range winningSelections(bet, o) {
			list = append(list, Winning{BetType: bet, Selection: selection, Adjustment: adjust})
		}
	}
	return list
}

// Windows lists the bets that run over several draws, with how many.
func (r *Rules) Windows() map[string]int {
	windows := map[string]int{}
	for bet, rule := range r.bets.types {
		if n := rule.Window(); n > 1 {
			windows[bet] = n
		}
	}
	return windows
}

func (m *Mechanics) adjustment(o *Outcome, bet string) Adjustment {
	var a Adjustment
	if w := find(m.Wildcards, o.Wildcard); w != nil && w.appliesTo(bet) {
		a = a.with(w)
	}
	for _, f := range o.Flags {
		if flag := find(m.Flags, f); flag != nil && flag.appliesTo(bet) {
			a = a.with(flag)
		}
	}
	return a
}

func (m *Modifier) appliesTo(bet string) bool {
	return len(m.BetTypes) == 0 || slices.Contains(m.BetTypes, bet)
}

// two is the number of digits that a derived game takes.
const two = 2

// Derive takes a derived game's value out of the outcome it is derived from.
func (d *Derivation) Derive(o *Outcome) Outcome {
	switch d.Take {
	case TakeLastTwo:
		return Outcome{Value: last(o.Value, two)}
	case TakeFirst:
		return Outcome{Value: first(o.Value, two)}
	default:
		return Outcome{Value: o.Value, Sign: o.Sign}
	}
}

// Outcomes lists all outcomes of a game, without additions: a number with every sign if the game has signs.
func (g *Game) Outcomes() []Outcome {
	if g.mechanics.Kind != DrawsNumber {
		list := make([]Outcome, len(g.Elements))
		for i := range g.Elements {
			list[i].Value = g.Elements[i].Code
		}
		return list
	}
	signs := []string{""}
	if g.mechanics.Sign {
		signs = Signs()
	}
	count := numbersOf(g.mechanics.Digits)
	list := make([]Outcome, 0, count*len(signs))
	for n := range count {
		value := fmt.Sprintf("%0*d", g.mechanics.Digits, n)
		for _, sign := range signs {
			list = append(list, Outcome{Value: value, Sign: sign})
		}
	}
	return list
}

// Announced lists the additions to an outcome under these rules: no wildcard or one of them, with no flag or with all
// of them. The first one is empty.
func (m *Mechanics) Announced() []Outcome {
	flags := make([]string, len(m.Flags))
	for i := range m.Flags {
		flags[i] = m.Flags[i].Code
	}
	list := []Outcome{{}}
	for i := range m.Wildcards {
		list = append(list, Outcome{Wildcard: m.Wildcards[i].Code})
	}
	if len(flags) == 0 {
		return list
	}
	for i := range list {
		list = append(list, Outcome{Wildcard: list[i].Wildcard, Flags: flags})
	}
	return list
}
