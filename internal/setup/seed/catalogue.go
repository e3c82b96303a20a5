package seed

import (
	"bytes"
	"embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/models"
	"banca/storage"
)

// data holds the games with their payouts and the 38 animals; bets.csv adds further bet types, those that the games'
// own rules define without ambiguity.
//
//go:embed data/*.csv
var data embed.FS

// gameRow is one line of games.csv.
type gameRow struct {
	slug, category string
	elements       int
	times          []string
	payout         string
}

// queueCategories inserts in one order: concurrent transactions then wait for each other and cannot deadlock.
func queueCategories(b *pgx.Batch) {
	for _, c := range [][2]string{{models.CategoryTriples, "Triples"}, {models.CategoryTerminales, "Terminales"}, {models.CategoryAnimalitos, "Animalitos"}} {
		b.Queue(`INSERT INTO game_categories (id, code, name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, ID("category", c[0]), c[0], c[1])
	}
}

// queueGames adds the games with the given short codes, all for nil.
func queueGames(b *pgx.Batch, chosen []string) error {
	games, err := readGames()
	if err != nil {
		return err
	}
	for position, g := range games {
		if chosen != nil && !slices.Contains(chosen, g.slug) {
			continue
		}
		if err := queueGame(b, g, position); err != nil {
			return err
		}
	}
	return nil
}

func queueGame(b *pgx.Batch, g gameRow, position int) error {
	bets, err := readCSV("data/bets.csv")
	if err != nil {
		return err
	}
	animals, err := readCSV("data/animalitos38.csv")
	if err != nil {
		return err
	}
	schedule, err := json.Marshal(catalog.Schedule{Times: catalog.At(g.times...)})
	if err != nil {
		return err
	}
	mechanics, err := mechanicsOf(g, bets)
	if err != nil {
		return err
	}
	rules, err := rulesOf(g, bets, mechanics)
	if err != nil {
		return err
	}
	api, err := apiConfigOf(g, bets)
	if err != nil {
		return err
	}
	id := ID("game", g.slug)
	b.Queue(`INSERT INTO games (id, category_id, name, short_code, position, schedule_config, betting_rules, mechanics, api_config) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
		id, ID("category", g.category), titleOf(g.slug), g.slug, position, schedule, rules, mechanics, api)
	queueElements(b, id, g, animals)
	return nil
}

// elementsOf lists the codes and names of a game's elements: the animals by their own codes (0 and 00
// differ, codes beyond the 38 known animals are their own names) or plain numbers of two or three digits.
func elementsOf(g gameRow, animals [][]string) (codes, names []string) {
	codes, names = make([]string, g.elements), make([]string, g.elements)
	for i := range codes {
		switch {
		case g.category == models.CategoryTriples:
			codes[i] = fmt.Sprintf("%03d", i)
		case g.category == models.CategoryTerminales:
			codes[i] = fmt.Sprintf("%02d", i)
		case i < len(animals):
			codes[i], names[i] = animals[i][1], animals[i][2]
		default:
			codes[i] = strconv.Itoa(i - 1)
		}
		if names[i] == "" {
			names[i] = codes[i]
		}
	}
	return codes, names
}

func queueElements(b *pgx.Batch, game uuid.UUID, g gameRow, animals [][]string) {
	codes, names := elementsOf(g, animals)
	ids := make(storage.UUIDs, len(codes))
	for i, code := range codes {
		ids[i] = ID("element", g.slug, code)
	}
	b.Queue(`INSERT INTO game_elements (id, game_id, code, name, display_value, position)
		SELECT i, $1, c, n, c, o FROM unnest($2::uuid[], $3::text[], $4::text[]) WITH ORDINALITY AS x (i, c, n, o) ON CONFLICT DO NOTHING`, game, ids, codes, names)
}

// rulesOf writes the betting_rules of a game: its plain bet and what bets.csv adds.
func rulesOf(g gameRow, bets [][]string, mechanics []byte) ([]byte, error) {
	types := []map[string]any{betType(plainBet(g.category), g.payout)}
	for _, bet := range bets {
		switch {
		case bet[0] != g.slug:
		case bet[3] != "": // another payout for one element of the plain bet
			types[0]["element_payouts"] = map[string]string{bet[3]: bet[2]}
		default:
			t := betType(bet[1], bet[2])
			if bet[4] != "" {
				draws, err := strconv.Atoi(bet[4])
				if err != nil {
					return nil, fmt.Errorf("bets.csv: %s: draws: %w", g.slug, err)
				}
				t["draws"] = draws
			}
			types = append(types, t)
		}
	}
	return forcedWhereNeeded(map[string]any{"bet_types": types}, g, mechanics)
}

// forcedWhereNeeded marks rules as forced that pay more than they take in: some games' own rules do, on one figure.
func forcedWhereNeeded(doc map[string]any, g gameRow, mechanics []byte) ([]byte, error) {
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var read struct {
		BetTypes []*catalog.Rule `json:"bet_types"`
	}
	if err := json.Unmarshal(raw, &read); err != nil {
		return nil, err
	}
	drawn, err := catalog.DecodeMechanics(mechanics, g.category)
	if err != nil || len(catalog.Expected(drawn, read.BetTypes, g.elements)) == 0 {
		return raw, err
	}
	doc["forced"] = map[string]string{"reason": "the game's official rules pay more on one figure"}
	return json.Marshal(doc)
}

// mechanicsOf writes how a game's outcome is drawn: an element of its grid, or a number, with a sign where one is bet on.
func mechanicsOf(g gameRow, bets [][]string) ([]byte, error) {
	kinds := map[string]map[string]any{
		models.CategoryTriples:    {"kind": "number", "digits": 3},
		models.CategoryTerminales: {"kind": "number", "digits": 2},
		models.CategoryAnimalitos: {"kind": "element"},
	}
	mechanics := kinds[g.category]
	for _, bet := range bets {
		if bet[0] == g.slug && (bet[1] == catalog.BetTripleSign || bet[1] == catalog.BetTerminalSign) {
			mechanics["sign"] = true
		}
	}
	drawnBeside(g.slug, mechanics)
	return json.Marshal(mechanics)
}

func betType(name, payout string) map[string]any {
	return map[string]any{
		"type": name, "payout": payout,
		"min_stake": map[string]string{"VES": "1.00", "USD": "0.10", "COP": "100.00"},
		"max_stake": map[string]string{"VES": "100000.00", "USD": "1000.00", "COP": "4000000.00"},
	}
}

func readGames() ([]gameRow, error) {
	lines, err := readCSV("data/games.csv")
	if err != nil {
		return nil, err
	}
	games := make([]gameRow, len(lines))
	for i, l := range lines {
		g := gameRow{slug: l[0], category: l[1], payout: l[4]}
		if g.elements, err = strconv.Atoi(l[2]); err != nil {
			return nil, fmt.Errorf("games.csv: %s: elements: %w", g.slug, err)
		}
		if g.times, err = timesOf(l[3]); err != nil {
			return nil, fmt.Errorf("games.csv: %s: draws: %w", g.slug, err)
		}
		games[i] = g
	}
	return games, nil
}

// timesOf reads "12 08:00-19:00" (hourly, both ends included) and "3 12:45/16:45/19:05" or "5 10/12".
func timesOf(text string) ([]string, error) {
	count, list, _ := strings.Cut(text, " ")
	var times []string
	if first, last, hourly := strings.Cut(list, "-"); hourly {
		from, err := time.Parse("15:04", first)
		if err != nil {
			return nil, err
		}
		to, err := time.Parse("15:04", last)
		if err != nil {
			return nil, err
		}
		for at := from; !at.After(to); at = at.Add(time.Hour) {
			times = append(times, at.Format("15:04"))
		}
	} else {
		for part := range strings.SplitSeq(list, "/") {
			if !strings.Contains(part, ":") {
				part += ":00"
			}
			times = append(times, part)
		}
	}
	if count != strconv.Itoa(len(times)) {
		return nil, fmt.Errorf("%s draws announced, %d times given", count, len(times))
	}
	return times, nil
}

// Game holds the grid and schedule of a seeded game, for the simulated lottery system.
type Game struct {
	ShortCode string
	External  string   // what the lottery systems call it
	Times     []string // HH:MM in the business's time zone
	Elements  []string
	Signs     []string // as the lottery systems write them; empty when none is drawn
	Flags     []Chance
	Wildcards []Chance
	LastTwoOf string // External of the game whose last two digits are the result
}

// Games lists the seeded games.
func Games() ([]Game, error) {
	rows, err := readGames()
	if err != nil {
		return nil, err
	}
	animals, err := readCSV("data/animalitos38.csv")
	if err != nil {
		return nil, err
	}
	bets, err := readCSV("data/bets.csv")
	if err != nil {
		return nil, err
	}
	games := make([]Game, len(rows))
	for i, g := range rows {
		codes, _ := elementsOf(g, animals)
		games[i] = Game{ShortCode: g.slug, External: externalCode(g.slug), Times: g.times, Elements: codes}
		games[i].Flags, games[i].Wildcards = wordsOf(g.slug)
		if drawsSign(g.slug, bets) {
			games[i].Signs = signNames()
		}
		if g.slug == follower {
			games[i].LastTwoOf = externalCode(followed)
		}
	}
	return games, nil
}

func titleOf(slug string) string {
	words := strings.Split(slug, "-")
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// readCSV returns the lines of an embedded file without its heading.
func readCSV(name string) ([][]string, error) {
	raw, err := data.ReadFile(name)
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return lines[1:], nil
}
