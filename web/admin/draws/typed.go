package draws

import (
	"strings"

	"banca/internal/catalog"
	"banca/web/kit"
)

// elementOptions are the elements of a game as its results are typed and shown, such as 5 León. A retired element may still be drawn.
func elementOptions(game *catalog.Game) []kit.Option {
	if game.Mechanics().Kind == catalog.DrawsNumber {
		return nil
	}
	var options []kit.Option
	for _, list := range [][]catalog.Element{game.Elements, game.Retired} {
		for i := range list {
			options = append(options, kit.Option{Value: list[i].Code, Text: game.ResultText(list[i].Code)})
		}
	}
	return options
}

// readResult reads a result in one text: the code of an element, its name or both; or a number, with its sign if the game draws one. problem is
// the reason in the language of the request if there is no such result.
func readResult(r *kit.Request, game *catalog.Game, typed string) (outcome catalog.Outcome, problem string) {
	typed = strings.Join(strings.Fields(typed), " ")
	m := game.Mechanics()
	if m.Kind == catalog.DrawsNumber {
		number, sign, _ := strings.Cut(typed, " ")
		if len(number) != m.Digits || strings.Trim(number, "0123456789") != "" {
			return outcome, r.Say("results.wrong.number", number, m.Digits)
		}
		if m.Sign && sign == "" {
			return outcome, r.Say("results.wrong.nosign", number)
		}
		if code, ok := signOf(sign); m.Sign && ok {
			sign = code
		} else if sign != "" {
			return outcome, r.Say("results.wrong.sign", sign)
		}
		return catalog.Outcome{Value: number, Sign: sign}, ""
	}
	options := elementOptions(game)
	for i := range options {
		if options[i].Value == typed {
			return catalog.Outcome{Value: typed}, ""
		}
	}
	if code, ok := kit.FindByText(options)(typed); ok {
		return catalog.Outcome{Value: code}, ""
	}
	names := make([]kit.Option, 0, len(options))
	for i := range options {
		_, name, _ := strings.Cut(options[i].Text, " ")
		names = append(names, kit.Option{Value: options[i].Value, Text: name})
	}
	if code, ok := kit.FindByText(names)(typed); ok && typed != "" {
		return catalog.Outcome{Value: code}, ""
	}
	return outcome, r.Say("results.wrong.element", typed, game.Name)
}

// signOf returns the code of a sign of the zodiac by its code or its Spanish name, which begins with the code.
func signOf(typed string) (code string, ok bool) {
	names := make([]kit.Option, 0, 2*len(catalog.Signs()))
	for i, sign := range catalog.Signs() {
		names = append(names, kit.Option{Value: sign, Text: sign})
		if name := signNames()[i]; !strings.EqualFold(name, sign) {
			names = append(names, kit.Option{Value: sign, Text: name})
		}
	}
	return kit.FindByText(names)(typed)
}

// signNames are the names of the signs in the order of their codes.
func signNames() []string {
	return []string{"Aries", "Tauro", "Géminis", "Cáncer", "Leo", "Virgo", "Libra", "Escorpio", "Sagitario", "Capricornio", "Acuario", "Piscis"}
}
