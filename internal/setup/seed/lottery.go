package seed

import (
	"encoding/json"
	"slices"
	"strings"

	"banca/internal/catalog"
	"banca/internal/lottery"
	"banca/models"
)

// Names of the lottery systems that the seeded games ask; `banca-dev dev` has its simulator play both.
const (
	sourceOfficial = "official"
	sourceMirror   = "mirror"
)

// agreeing is the seeded game whose result two systems must agree on; of the others the official one suffices.
const agreeing = "la-granjita"

// follower is the seeded game whose result is the last two digits of another one's.
const (
	follower = "terminal-activo"
	followed = "trio-activo"
)

// externalCode returns the code of a game in the lottery systems.
func externalCode(slug string) string { return strings.ToUpper(strings.ReplaceAll(slug, "-", "")) }

// signNames are the zodiac signs as the lottery systems write them, in the order of catalog.Signs.
func signNames() []string {
	return []string{"Aries", "Tauro", "Geminis", "Cancer", "Leo", "Virgo", "Libra", "Escorpio", "Sagitario", "Capricornio", "Acuario", "Piscis"}
}

// drawsSign reports whether any bet of a game is on a sign.
func drawsSign(slug string, bets [][]string) bool {
	return slices.ContainsFunc(bets, func(bet []string) bool {
		return bet[0] == slug && (bet[1] == catalog.BetTripleSign || bet[1] == catalog.BetTerminalSign)
	})
}

// sourcesOf names the lottery systems that know a game.
func sourcesOf(g gameRow) []string {
	switch {
	case len(g.times) == 0: // a game without a schedule has no lottery system
		return nil
	case g.slug == agreeing:
		return []string{sourceOfficial, sourceMirror}
	default:
		return []string{sourceOfficial}
	}
}

// apiConfigOf writes the api_config of a game: the same calls of every system.
func apiConfigOf(g gameRow, bets [][]string) ([]byte, error) {
	if len(g.times) == 0 { // a game without a schedule has no lottery system
		return []byte("{}"), nil
	}
	c := lottery.Config{ExternalGame: externalCode(g.slug), Verify: lottery.Verify{Policy: lottery.PolicyTrusted}}
	names := sourcesOf(g)
	if g.slug == agreeing {
		c.Verify = lottery.Verify{Policy: lottery.PolicyAgree, Sources: len(names)}
	}
	for _, name := range names {
		s := lottery.Source{
			Name: name, Trusted: name == sourceOfficial, ExternalID: "{game}-{date:YYYYMMDD}-{time:HHMM}",
			Close: &lottery.Request{Method: "POST", URL: "{base}/draws/{external_id}/close"},
			Result: &lottery.Result{
				Request: lottery.Request{Method: "GET", URL: "{base}/results?game={game}&date={date}"},
				Items:   "results", Match: map[string]string{"external_id": "{external_id}"},
				Value: "value", Sign: "sign", Flags: "flags", Wildcard: "wildcard",
			},
		}
		if g.category == models.CategoryTriples && drawsSign(g.slug, bets) {
			s.Signs = map[string]string{}
			for i, code := range catalog.Signs() {
				s.Signs[signNames()[i]] = code
			}
		}
		c.Sources = append(c.Sources, s)
	}
	return json.Marshal(c)
}

// Chance is a word that comes with one of so many draws.
type Chance struct {
	Code  string
	OneIn uint64
}

// Flag and wildcard of the seeded games that have one.
const (
	flagged, flag      = "mega-animal-40", "MEGA"
	wildcarded, joker  = "selva-plus", "C1"
	flagIn, wildcardIn = 20, 100
)

// wordsOf lists the flags and wildcards that come with a seeded game's draws.
func wordsOf(slug string) (flags, wildcards []Chance) {
	switch slug {
	case flagged:
		return []Chance{{Code: flag, OneIn: flagIn}}, nil
	case wildcarded:
		return nil, []Chance{{Code: joker, OneIn: wildcardIn}}
	}
	return nil, nil
}

// drawnBeside adds the additions of a result (signs, flags, wildcard) and their paths to a game's mechanics.
func drawnBeside(slug string, mechanics map[string]any) {
	plain := []string{catalog.BetStraight}
	switch slug {
	case flagged:
		mechanics["flags"] = []map[string]any{{"code": flag, "name": "Mega", "bet_types": plain, "set": "40", "chance": "0.05"}}
	case wildcarded:
		mechanics["wildcards"] = []map[string]any{{"code": joker, "name": "Comodín", "bet_types": plain, "multiply": "2", "chance": "0.01"}}
	case follower:
		mechanics["derived_from"] = map[string]any{"game": followed, "take": catalog.TakeLastTwo}
	}
}
