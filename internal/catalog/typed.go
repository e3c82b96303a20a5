package catalog

import (
	"cmp"
	"slices"
	"strings"

	"banca/internal/platform/locale"
)

// FindElement returns the code of the element that a person typed by its code, its name, or both. Case and accents do
// not matter in a name, but a name that two elements have finds none. A retired element may still be drawn and is found.
func (g *Game) FindElement(typed string) (code string, ok bool) {
	if _, known := g.names[typed]; known {
		return typed, true
	}
	typed = strings.Join(strings.Fields(locale.Fold(typed)), " ")
	for each, name := range g.names {
		name = locale.Fold(name)
		if typed == "" || typed != name && typed != locale.Fold(each)+" "+name {
			continue
		}
		if ok {
			return "", false
		}
		code, ok = each, true
	}
	return code, ok
}

// FindElementIn returns the code that an element has in all games that have it, as FindElement finds it. A number is one of a game that draws numbers.
func FindElementIn(games []*Game, typed string) (code string, ok bool) {
	for _, game := range games {
		found, ok := game.FindElement(typed)
		if ok && code != "" && found != code {
			return "", false
		}
		code = cmp.Or(code, found)
	}
	number, name, _ := strings.Cut(strings.TrimSpace(typed), " ")
	draws := func(g *Game) bool { return g.Mechanics().Kind == DrawsNumber }
	if code == "" && (len(games) == 1 || name == "" && strings.Trim(number, "0123456789") == "") && slices.ContainsFunc(games, draws) {
		code = number
	}
	return code, code != ""
}

// FindSign returns the code of the sign of the zodiac that a person typed by its code or its name.
func FindSign(typed string) (code string, ok bool) {
	typed = locale.Fold(typed)
	for _, sign := range Signs() {
		if typed == strings.ToLower(sign) || typed == locale.Fold(SignName(sign)) {
			return sign, true
		}
	}
	return "", false
}
