package catalog

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Bet types a game may offer.
const (
	BetStraight      = "straight"
	BetTriple        = "triple"
	BetTripleSign    = "triple_sign"
	BetTerminal      = "terminal"
	BetTerminalSign  = "terminal_sign"
	BetFirstTwo      = "first_two"
	BetApproximation = "approximation"
	BetDupleta       = "dupleta"
	BetTripleta      = "tripleta"
)

// Match is the part of an outcome that a selection must equal to win.
type Match string

// The matches.
const (
	MatchWhole      Match = "whole"
	MatchLast       Match = "last"       // the last digits
	MatchFirst      Match = "first"      // the first digits
	MatchNeighbours Match = "neighbours" // the number above or below; the numbers form a ring
	MatchWindow     Match = "window"     // each part is drawn within several draws of the game
)

// BetType declares a bet type. A line belongs to one draw; a type over several draws has MatchWindow.
type BetType struct {
	Name   string `json:"type"`
	Label  string `json:"-"`    // Spanish, as in the texts of the panel
	Mode   string `json:"mode"` // group of bet types at the counter
	Match  Match  `json:"match"`
	Parts  int    `json:"parts"`            // codes or numbers in a selection; several differ, in any order
	Grid   bool   `json:"grid,omitempty"`   // a part is a code of the grid
	Digits int    `json:"digits,omitempty"` // of a part that is a number
	Sign   bool   `json:"sign,omitempty"`   // a zodiac sign follows the number
}

// betTypes declares every bet type, in the order of forms and of the counter's modes. Schemas, selections, prizes,
// chances, receipts and the counter follow the declaration; web/kit/declared_test.go compares its texts.
//
//nolint:gochecknoglobals // constants in all but the keyword
var betTypes = [...]BetType{
	{Name: BetStraight, Label: "Directo", Mode: "animals", Match: MatchWhole, Parts: 1, Grid: true},
	{Name: BetDupleta, Label: "Dupleta", Mode: "animals", Match: MatchWindow, Parts: 2, Grid: true},
	{Name: BetTripleta, Label: "Tripleta", Mode: "animals", Match: MatchWindow, Parts: 3, Grid: true},
	{Name: BetTriple, Label: "Triple", Mode: "triples", Match: MatchWhole, Parts: 1, Digits: 3},
	{Name: BetTripleSign, Label: "Triple y signo", Mode: "triples", Match: MatchWhole, Parts: 1, Digits: 3, Sign: true},
	{Name: BetApproximation, Label: "Aproximación", Mode: "triples", Match: MatchNeighbours, Parts: 1, Digits: 3},
	{Name: BetTerminal, Label: "Terminal", Mode: "terminals", Match: MatchLast, Parts: 1, Digits: 2},
	{Name: BetTerminalSign, Label: "Terminal y signo", Mode: "terminals", Match: MatchLast, Parts: 1, Digits: 2, Sign: true},
	{Name: BetFirstTwo, Label: "Punta", Mode: "terminals", Match: MatchFirst, Parts: 1, Digits: 2},
}

// BetTypes returns every bet type.
func BetTypes() []BetType { return slices.Clone(betTypes[:]) }

// BetTypeNames returns the names of all bet types.
func BetTypeNames() []string { return betTypeNames(func(*BetType) bool { return true }) }

// betTypeNames returns the names of the bet types for which wanted is true.
func betTypeNames(wanted func(b *BetType) bool) []string {
	var names []string
	for i := range betTypes {
		if wanted(&betTypes[i]) {
			names = append(names, betTypes[i].Name)
		}
	}
	return names
}

// BetTypeOf returns the bet type with a name, nil if there is none.
func BetTypeOf(name string) *BetType {
	for i := range betTypes {
		if betTypes[i].Name == name {
			return &betTypes[i]
		}
	}
	return nil
}

// SeveralDraws reports whether several draws decide the bet.
func (b *BetType) SeveralDraws() bool { return b.Match == MatchWindow }

// Plain reports whether the bet is the default of its game, which receipts do not name.
func (b *BetType) Plain() bool { return b.Match == MatchWhole && !b.Sign }

// decidedBy reports whether an outcome of these mechanics decides the bet.
func (b *BetType) decidedBy(m *Mechanics) bool {
	if m.Kind == DrawsElement {
		return b.Grid
	}
	if b.Grid || b.Sign && !m.Sign {
		return false
	}
	switch b.Match {
	case MatchFirst:
		return b.Digits < m.Digits
	case MatchLast:
		return b.Digits <= m.Digits
	default:
		return b.Digits == m.Digits
	}
}

// chanceOf is how likely one selection of a bet type is to win.
func chanceOf(r *Rule, elements int) *big.Rat {
	b := BetTypeOf(r.Type)
	if b == nil {
		return new(big.Rat)
	}
	possible := elements
	if !b.Grid {
		possible = numbersOf(b.Digits)
	}
	if b.SeveralDraws() {
		return chanceOfAll(b.Parts, possible, r.Window())
	}
	if b.Sign {
		possible *= len(Signs())
	}
	winning := int64(1)
	if b.Match == MatchNeighbours {
		winning = 2
	}
	return big.NewRat(winning, int64(max(1, possible)))
}

// chanceOfAll is the probability that each of k elements out of n is drawn at least once in so many draws,
// by inclusion and exclusion.
func chanceOfAll(k, n, draws int) *big.Rat {
	sum := new(big.Rat)
	for missing := 0; missing <= k && missing <= n; missing++ {
		none := new(big.Rat).SetInt64(1)
		for range draws {
			none.Mul(none, big.NewRat(int64(n-missing), int64(max(1, n))))
		}
		none.Mul(none, new(big.Rat).SetInt(new(big.Int).Binomial(int64(k), int64(missing))))
		if missing%2 == 1 {
			none.Neg(none)
		}
		sum.Add(sum, none)
	}
	return sum
}

// winningSelections lists the canonical selections of a bet type that win on an outcome; none for the bets
// that several draws decide.
func winningSelections(bet string, o *Outcome) []string {
	b := BetTypeOf(bet)
	if b == nil {
		return nil
	}
	var list []string
	switch b.Match {
	case MatchWhole:
		list = []string{o.Value}
	case MatchLast:
		list = []string{last(o.Value, b.Digits)}
	case MatchFirst:
		list = []string{first(o.Value, b.Digits)}
	case MatchNeighbours:
		list = neighbours(o.Value)
	case MatchWindow:
		return nil
	}
	if !b.Sign {
		return list
	}
	if o.Sign == "" {
		return nil
	}
	for i := range list {
		list[i] += "," + o.Sign
	}
	return list
}

// WinsOn reports whether a selection, in its canonical form, of a bet that one draw decides wins when a value is
// drawn, with any sign that the selection names.
func WinsOn(bet, selection, value string) bool {
	_, sign, _ := strings.Cut(selection, ",")
	return value != "" && slices.Contains(winningSelections(bet, &Outcome{Value: value, Sign: sign}), selection)
}

func last(value string, n int) string { return value[max(0, len(value)-n):] }

func first(value string, n int) string { return value[:min(n, len(value))] }

// neighbours are the numbers one below and one above; the numbers form a ring, so that each has two.
func neighbours(value string) []string {
	n, err := strconv.Atoi(value)
	if err != nil {
		return nil
	}
	numbers := numbersOf(len(value))
	return []string{fmt.Sprintf("%0*d", len(value), (n+numbers-1)%numbers), fmt.Sprintf("%0*d", len(value), (n+1)%numbers)}
}

// numbersOf is how many numbers have so many digits.
func numbersOf(digits int) int {
	numbers := 1
	for range digits {
		numbers *= 10
	}
	return numbers
}
