// Package seeded configures the simulated lottery for the seeded games.
package seeded

import (
	"strings"

	"banca/internal/dev/simulators"
	"banca/internal/setup/seed"
)

// Seed makes the simulated results the same on every machine.
const Seed = 20260101

// Games returns the seeded games, so that the simulated lottery draws the games that are sold.
func Games() ([]simulators.LotteryGame, error) {
	games, err := seed.Games()
	if err != nil {
		return nil, err
	}
	list := make([]simulators.LotteryGame, len(games))
	for i, g := range games {
		list[i] = simulators.LotteryGame{
			Code: g.External, Times: g.Times, Elements: g.Elements, Signs: g.Signs,
			Flags: chances(g.Flags), Wildcards: chances(g.Wildcards), LastTwoOf: g.LastTwoOf,
		}
	}
	return list, nil
}

func chances(seeded []seed.Chance) []simulators.Chance {
	list := make([]simulators.Chance, len(seeded))
	for i, c := range seeded {
		list[i] = simulators.Chance(c)
	}
	return list
}

// GameNames returns the names of the seeded games.
func GameNames() ([]string, error) {
	games, err := seed.Games()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(games))
	for i, g := range games {
		names[i] = strings.ReplaceAll(g.ShortCode, "-", " ")
	}
	return names, nil
}
