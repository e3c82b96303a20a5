package catalog

import "slices"

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
	MatchWindow     Match = "window"     // several elements, all drawn within several draws of the game
)

// BetType declares a bet type. A line belongs to one draw; a type over several draws has MatchWindow.
type BetType struct {
	Name     string `json:"type"`
	Label    string `json:"-"`    // Spanish, as in the texts of the panel
	Mode     string `json:"mode"` // group of bet types at the counter
	Match    Match  `json:"match"`
	Elements int    `json:"elements,omitempty"` // codes of the grid in a selection; they differ, in any order
	Digits   int    `json:"digits,omitempty"`   // of the number in a selection without elements
	Sign     bool   `json:"sign,omitempty"`     // a zodiac sign follows the number
}

// betTypes declares every bet type, in the order of forms and of the counter's modes. Schemas, selections, prizes,
// chances, receipts and the counter follow the declaration; web/kit/declared_test.go compares its texts.
//
//nolint:gochecknoglobals // constants in all but the keyword
var betTypes = [...]BetType{
	{Name: BetStraight, Label: "Directo", Mode: "animals", Match: MatchWhole, Elements: 1},
	{Name: BetDupleta, Label: "Dupleta", Mode: "animals", Match: MatchWindow, Elements: 2},
	{Name: BetTripleta, Label: "Tripleta", Mode: "animals", Match: MatchWindow, Elements: 3},
	{Name: BetTriple, Label: "Triple", Mode: "triples", Match: MatchWhole, Digits: 3},
	{Name: BetTripleSign, Label: "Triple y signo", Mode: "triples", Match: MatchWhole, Digits: 3, Sign: true},
	{Name: BetApproximation, Label: "Aproximación", Mode: "triples", Match: MatchNeighbours, Digits: 3},
	{Name: BetTerminal, Label: "Terminal", Mode: "terminals", Match: MatchLast, Digits: 2},
	{Name: BetTerminalSign, Label: "Terminal y signo", Mode: "terminals", Match: MatchLast, Digits: 2, Sign: true},
	{Name: BetFirstTwo, Label: "Punta", Mode: "terminals", Match: MatchFirst, Digits: 2},
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
		return b.Elements > 0
	}
	if b.Elements > 0 || b.Sign && !m.Sign {
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
