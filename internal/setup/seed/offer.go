package seed

import (
	"slices"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/models"
)

// Offer is a game of the catalogue that an operator can take over.
type Offer struct {
	ShortCode string
	Name      string
	Category  string
	Elements  int      // of its grid
	Times     []string // HH:MM of its draws
	Bets      []Payout
	Sources   []string // names of the systems that its results are fetched from
}

// Payout is a bet type with what it pays for a stake of one, of one element only where Element is not empty.
type Payout struct{ Type, Payout, Element string }

// Offers lists the games in the order of the catalogue.
func Offers() ([]Offer, error) {
	games, err := readGames()
	if err != nil {
		return nil, err
	}
	bets, err := readCSV("data/bets.csv")
	if err != nil {
		return nil, err
	}
	offers := make([]Offer, len(games))
	for i, g := range games {
		o := Offer{ShortCode: g.slug, Name: titleOf(g.slug), Category: g.category, Elements: g.elements, Times: g.times}
		o.Bets = append(o.Bets, Payout{Type: plainBet(g.category), Payout: g.payout})
		for _, bet := range bets {
			if bet[0] == g.slug {
				o.Bets = append(o.Bets, Payout{Type: bet[1], Payout: bet[2], Element: bet[3]})
			}
		}
		o.Sources = sourcesOf(g)
		offers[i] = o
	}
	return offers, nil
}

// Currency is a currency that an operator can take over.
type Currency struct {
	ID                 uuid.UUID
	Code, Name, Symbol string
}

// Currencies lists them, the bank's first.
func Currencies() []Currency {
	var list []Currency
	for _, c := range currencies() {
		list = append(list, Currency{ID: ID("currency", c.code), Code: c.code, Name: c.name, Symbol: c.symbol})
	}
	return list
}

// GameCodes are the short codes of all games.
func GameCodes() ([]string, error) {
	offers, err := Offers()
	codes := make([]string, len(offers))
	for i := range offers {
		codes[i] = offers[i].ShortCode
	}
	return slices.Clip(codes), err
}

// plainBet is the bet type on one element of a category's games.
func plainBet(category string) string {
	return map[string]string{
		models.CategoryTriples: catalog.BetTriple, models.CategoryTerminales: catalog.BetTerminal, models.CategoryAnimalitos: catalog.BetStraight,
	}[category]
}
