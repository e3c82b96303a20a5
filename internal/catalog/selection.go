package catalog

import (
	"maps"
	"slices"
	"strings"
)

// shape says what the elements of a selection must look like for one bet type.
type shape struct {
	elements int  // how many codes of the game's grid
	digits   int  // instead of a grid code: a number of exactly this many digits
	sign     bool // followed by a zodiac sign
	set      bool // order does not matter and codes must differ
}

// selectionShapes is the form of every bet type's selection.
func selectionShapes() map[string]shape {
	return map[string]shape{
		BetStraight:      {elements: 1},
		BetTriple:        {digits: 3},
		BetTripleSign:    {digits: 3, sign: true},
		BetTerminal:      {digits: 2},
		BetTerminalSign:  {digits: 2, sign: true},
		BetFirstTwo:      {digits: 2},
		BetApproximation: {digits: 3},
		BetDupleta:       {elements: 2, set: true},
		BetTripleta:      {elements: 3, set: true},
	}
}

// BetTypes lists every bet type that a game may offer.
func BetTypes() []string { return slices.Sorted(maps.Keys(selectionShapes())) }

// Signs lists the codes of the zodiac signs in their order.
func Signs() []string {
	return []string{"ARI", "TAU", "GEM", "CAN", "LEO", "VIR", "LIB", "ESC", "SAG", "CAP", "ACU", "PIS"}
}

// maxCode bounds a submitted code before anything is looked up.
const maxCode = 8

// Selection is a checked bet: its canonical codes joined by commas and the names to show.
type Selection struct {
	Key  string
	Name string
}

// Select checks the codes of a bet of this type on the game and makes them canonical. The message is
// empty when they are right; it never repeats what was submitted.
func (g *Game) Select(betType string, codes []string) (Selection, string) {
	want, ok := g.shapes[betType]
	if !ok {
		return Selection{}, "bet type is not offered by this game; it offers " + strings.Join(g.BetTypes(), ", ")
	}
	for _, c := range codes {
		if len(c) > maxCode {
			return Selection{}, "selection code is too long"
		}
	}
	if want.digits > 0 {
		return selectNumber(want, codes)
	}
	return g.selectElements(want, codes)
}

func selectNumber(want shape, codes []string) (Selection, string) {
	expected := 1
	if want.sign {
		expected = 2
	}
	if len(codes) != expected {
		return Selection{}, "selection must be a number" + map[bool]string{true: " and a sign, as two elements"}[want.sign]
	}
	number := codes[0]
	if len(number) != want.digits || strings.Trim(number, "0123456789") != "" {
		return Selection{}, "selection must be a number of exactly " + string(rune('0'+want.digits)) + " digits"
	}
	if !want.sign {
		return Selection{Key: number, Name: number}, ""
	}
	sign := strings.ToUpper(codes[1])
	if !slices.Contains(Signs(), sign) {
		return Selection{}, "selection's sign must be one of " + strings.Join(Signs(), ", ")
	}
	return Selection{Key: number + "," + sign, Name: signed(number, sign)}, ""
}

func (g *Game) selectElements(want shape, codes []string) (Selection, string) {
	if len(codes) != want.elements {
		return Selection{}, "selection must hold exactly " + string(rune('0'+want.elements)) + " element codes"
	}
	if want.elements == 1 { // the common case, without allocation
		e, ok := g.byCode[codes[0]]
		if !ok {
			return Selection{}, "selection is not an element of this game"
		}
		return Selection{Key: e.Code, Name: e.Name}, ""
	}
	picked := make([]*Element, len(codes))
	for i, c := range codes {
		e, ok := g.byCode[c]
		if !ok {
			return Selection{}, "selection holds a code that is not an element of this game"
		}
		if slices.Contains(picked[:i], e) {
			return Selection{}, "selection names an element twice"
		}
		picked[i] = e
	}
	slices.SortFunc(picked, func(a, b *Element) int { return a.Position - b.Position })
	keys, names := make([]string, len(picked)), make([]string, len(picked))
	for i, e := range picked {
		keys[i], names[i] = e.Code, e.Name
	}
	return Selection{Key: strings.Join(keys, ","), Name: strings.Join(names, ", ")}, ""
}

func signed(number, sign string) string { return number + " " + sign }

// NameOf returns what to show for a canonical selection that was sold on the game, as Select named it.
func (g *Game) NameOf(key string) string {
	if number, sign, ok := strings.Cut(key, ","); ok && slices.Contains(Signs(), sign) {
		return signed(number, sign)
	}
	codes := strings.Split(key, ",")
	for i, c := range codes {
		if name, ok := g.names[c]; ok {
			codes[i] = name
		}
	}
	return strings.Join(codes, ", ")
}
