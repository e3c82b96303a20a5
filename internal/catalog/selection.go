package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"banca/internal/platform/apperr"
)

// Signs lists the codes of the zodiac signs in their order.
func Signs() []string {
	return []string{"ARI", "TAU", "GEM", "CAN", "LEO", "VIR", "LIB", "ESC", "SAG", "CAP", "ACU", "PIS"}
}

// SignName returns the name of the sign with a code, or "".
func SignName(code string) string {
	names := []string{"Aries", "Tauro", "Géminis", "Cáncer", "Leo", "Virgo", "Libra", "Escorpio", "Sagitario", "Capricornio", "Acuario", "Piscis"}
	if at := slices.Index(Signs(), code); at >= 0 {
		return names[at]
	}
	return ""
}

// NormaliseCodes returns the codes of a bet in one spelling, without reading the game: the sign in capitals, and the
// codes sorted if their order does not matter. Codes in another form, which [Game.Select] refuses, are returned
// unchanged.
func NormaliseCodes(betType string, codes []string) []string {
	b := BetTypeOf(betType)
	switch {
	case b == nil:
	case b.Sign && len(codes) == 2:
		return []string{codes[0], strings.ToUpper(codes[1])}
	case b.Parts > 1:
		return slices.Sorted(slices.Values(codes))
	}
	return codes
}

// maxCode bounds a submitted code that is repeated in a refusal.
const maxCode = 8

// Selection is a checked bet: its canonical codes joined by commas and the names to show.
type Selection struct {
	Key  string
	Name string
}

// Select checks the codes of a bet of this type on the game and makes them canonical. The refusal is nil when they
// are right; it repeats a submitted code only if that is short and plain.
func (g *Game) Select(betType string, codes []string) (Selection, *apperr.Detail) {
	want := BetTypeOf(betType)
	if g.rules.types[betType] == nil || want == nil {
		return Selection{}, apperr.Line("BET_TYPE_NOT_OFFERED", "bet type is not offered by this game", "game", g.Name, "bet_types", strings.Join(g.BetTypes(), ", "))
	}
	if want.Parts == 1 && !want.Grid {
		return selectNumber(want, NormaliseCodes(betType, codes))
	}
	return g.selectParts(want, codes)
}

func selectNumber(want *BetType, codes []string) (Selection, *apperr.Detail) {
	digits := strconv.Itoa(want.Digits)
	switch {
	case want.Sign && len(codes) != 2:
		return Selection{}, apperr.Line("SELECTION_WITHOUT_SIGN", "selection must be a number and a sign, as two elements")
	case !want.Sign && len(codes) != 1, len(codes[0]) != want.Digits, strings.Trim(codes[0], "0123456789") != "":
		return Selection{}, apperr.Line("SELECTION_NOT_A_NUMBER", "selection must be a number of exactly "+digits+" digits", "digits", digits)
	}
	number := codes[0]
	if !want.Sign {
		return Selection{Key: number, Name: number}, nil
	}
	sign := codes[1]
	if !slices.Contains(Signs(), sign) {
		return Selection{}, apperr.Line("UNKNOWN_SIGN", "selection's sign is unknown", "signs", strings.Join(Signs(), ", "))
	}
	return Selection{Key: number + "," + sign, Name: signed(number, sign)}, nil
}

func (g *Game) selectParts(want *BetType, codes []string) (Selection, *apperr.Detail) {
	if len(codes) != want.Parts {
		count := strconv.Itoa(want.Parts)
		return Selection{}, apperr.Line("SELECTION_COUNT", "selection must hold exactly "+count+" element codes", "count", count, "game", g.Name)
	}
	if want.Parts == 1 { // the common case, without allocation
		e, refused := g.part(want, codes[0])
		if refused != nil {
			return Selection{}, refused
		}
		return Selection{Key: e.Code, Name: e.Name}, nil
	}
	picked := make([]*Element, len(codes))
	for i, c := range codes {
		e, refused := g.part(want, c)
		if refused != nil {
			return Selection{}, refused
		}
		if slices.Contains(codes[:i], c) {
			return Selection{}, apperr.Line("SELECTION_REPEATED", "selection names an element twice", "selection", c)
		}
		picked[i] = e
	}
	slices.SortFunc(picked, func(a, b *Element) int { return cmp.Or(a.Position-b.Position, strings.Compare(a.Code, b.Code)) })
	keys, names := make([]string, len(picked)), make([]string, len(picked))
	for i, e := range picked {
		keys[i], names[i] = e.Code, e.Name
	}
	return Selection{Key: strings.Join(keys, ","), Name: strings.Join(names, ", ")}, nil
}

// part returns the element of one part of a selection; a number is an element without a position.
func (g *Game) part(want *BetType, code string) (*Element, *apperr.Detail) {
	if !want.Grid {
		number, refused := selectNumber(want, []string{code})
		return &Element{Code: number.Key, Name: number.Name}, refused
	}
	if e, ok := g.byCode[code]; ok {
		return e, nil
	}
	return nil, g.unknown(code)
}

// unknown refuses a code that is not in the grid, and describes the grid.
func (g *Game) unknown(code string) *apperr.Detail {
	return apperr.Line("UNKNOWN_SELECTION", "selection is not an element of this game", "selection", plainCode(code), "game", g.Name, "grid", g.grid())
}

// plainCode returns a submitted code that is safe to repeat, else "".
func plainCode(code string) string {
	plain := func(r rune) bool { return r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' }
	if len(code) > maxCode || strings.ContainsFunc(code, plain) {
		return ""
	}
	return code
}

// maxGrid bounds the parts of a grid's description.
const maxGrid = 20

// grid describes the codes that can be bet on, in their order, with ".." between the ends of a range: "0, 00, 1..36".
func (g *Game) grid() string {
	var parts []string
	first, last := "", ""
	flush := func() {
		switch {
		case first == "":
		case first == last:
			parts = append(parts, first)
		case following(first) == last:
			parts = append(parts, first, last)
		default:
			parts = append(parts, first+".."+last)
		}
	}
	for i := range g.Elements {
		code := g.Elements[i].Code
		if g.byCode[code] == nil { // retired
			continue
		}
		if last == "" || following(last) != code {
			flush()
			first = code
		}
		last = code
	}
	flush()
	if len(parts) > maxGrid {
		parts = append(parts[:maxGrid], "…")
	}
	return strings.Join(parts, ", ")
}

// following is the number after a code, written in as many digits; "" for a code that is no number.
func following(code string) string {
	n, err := strconv.Atoi(code)
	if err != nil || n < 0 {
		return ""
	}
	return fmt.Sprintf("%0*d", len(code), n+1)
}

func signed(number, sign string) string { return number + " " + sign }

// ResultText returns a result with the name of its value, such as 5 León. A result begins with its value.
func (g *Game) ResultText(result string) string {
	value, rest, more := strings.Cut(result, " ")
	name, ok := g.names[value]
	if !ok || name == value {
		return result
	}
	if more {
		name += " " + rest
	}
	return value + " " + name
}

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
