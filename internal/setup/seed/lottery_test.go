package seed

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/simulators"
	"banca/internal/lottery"
	"banca/internal/platform/clock"
)

// The simulated systems have every seeded game, and their answers use the game's codes.
func TestSeededGamesUnderstandTheSimulatedLottery(t *testing.T) {
	t.Parallel()
	games, err := Games()
	require.NoError(t, err)
	zone := time.FixedZone("VET", -4*60*60)
	now := clock.NewFake(time.Date(2026, 3, 3, 3, 59, 0, 0, time.UTC)) // the evening: all draws are over
	var played []simulators.LotteryGame
	for _, g := range games {
		played = append(played, simulators.LotteryGame{Code: g.External, Times: g.Times, Elements: g.Elements, Signs: g.Signs, LastTwoOf: g.LastTwoOf})
	}
	server := httptest.NewServer(simulators.NewLottery(simulators.LotteryConfig{Seed: 1, Location: zone, Clock: now, Games: played}))
	t.Cleanup(server.Close)
	client, err := lottery.New(lottery.Options{Sources: map[string]string{sourceOfficial: server.URL, sourceMirror: server.URL + "/mirror"}})
	require.NoError(t, err)
	bets, err := readCSV("data/bets.csv")
	require.NoError(t, err)
	rows, err := readGames()
	require.NoError(t, err)
	values := map[string]string{}
	for i, row := range rows {
		raw, err := apiConfigOf(row, bets)
		require.NoError(t, err)
		require.Empty(t, client.Check(raw))
		cfg, err := lottery.Decode(raw)
		require.NoError(t, err)
		at, err := time.ParseInLocation("2006-01-02 15:04", "2026-03-02 "+row.times[0], zone)
		require.NoError(t, err)
		ref := lottery.DrawRef{GameCode: row.slug, DrawNumber: "1", Time: at, Zone: zone}
		require.NoError(t, client.CloseDraw(t.Context(), cfg, ref), row.slug)
		fetched := client.Fetch(t.Context(), cfg, ref)
		for _, f := range fetched {
			require.NoError(t, f.Err, row.slug)
			assert.Contains(t, games[i].Elements, f.Value, row.slug)
			assert.Equal(t, len(games[i].Signs) > 0, f.Sign != "", row.slug)
			assert.Equal(t, fetched[0].Value, f.Value, row.slug)
		}
		if row.slug == agreeing {
			require.Len(t, fetched, 2)
		}
		values[row.slug] = fetched[0].Value
	}
	assert.Equal(t, values[followed][1:], values[follower])
}

// The additions of simulated draws are in the games' mechanics: an unknown word would make a result unusable.
func TestSeededMechanicsAcceptTheAdditionsOfResults(t *testing.T) {
	t.Parallel()
	games, err := Games()
	require.NoError(t, err)
	rows, err := readGames()
	require.NoError(t, err)
	bets, err := readCSV("data/bets.csv")
	require.NoError(t, err)
	codes := func(list []catalog.Modifier) []string {
		var codes []string
		for i := range list {
			codes = append(codes, list[i].Code)
		}
		return codes
	}
	words := func(list []Chance) []string {
		var codes []string
		for _, c := range list {
			codes = append(codes, c.Code)
		}
		return codes
	}
	for i, row := range rows {
		raw, err := mechanicsOf(row, bets)
		require.NoError(t, err)
		mechanics, err := catalog.DecodeMechanics(raw, row.category)
		require.NoError(t, err)
		assert.Equal(t, words(games[i].Flags), codes(mechanics.Flags), row.slug)
		assert.Equal(t, words(games[i].Wildcards), codes(mechanics.Wildcards), row.slug)
		assert.Equal(t, len(games[i].Signs) > 0, mechanics.Sign, row.slug)
		assert.Equal(t, games[i].LastTwoOf != "", mechanics.DerivedFrom != nil, row.slug)
	}
}
