package seed_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

func run(t testing.TB, env *testkit.Env) (hashed int) {
	t.Helper()
	require.NoError(t, seed.Run(t.Context(), env.PG, seed.Options{
		Root: uuid.MustParse("00000000-0000-7000-8000-000000000001"), HashPassword: func(string) (string, error) { hashed++; return "hash", nil },
	}))
	return hashed
}

// contents digests every table that a seed writes.
func contents(t testing.TB, env *testkit.Env) map[string]string {
	t.Helper()
	digests := map[string]string{}
	for _, table := range []string{"currencies", "entities", "wallets", "risk_limits", "game_categories", "games", "game_elements", "users", "draws", "account_credentials"} {
		var digest string
		require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) || ' ' || coalesce(md5(string_agg(x::text, '|' ORDER BY x::text)), '') FROM `+table+` x`).Scan(&digest))
		digests[table] = digest
	}
	return digests
}

func TestSeedingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	require.Equal(t, 1, run(t, env), "hashing is slow: once for all users")
	first := contents(t, env)
	require.Zero(t, run(t, env))
	require.Equal(t, first, contents(t, env))

	for _, edit := range []string{ // what an operator does
		`UPDATE entities SET name = 'Mine', status = 'suspended', finance_info = '{}'`, `UPDATE games SET status = 'inactive', betting_rules = '{}'`,
		`UPDATE risk_limits SET base = 1`, `UPDATE users SET password_hash = 'mine'`, `UPDATE wallets SET credit_limit = 1`,
		`UPDATE currencies SET status = 'inactive'`, `UPDATE game_elements SET name = 'Mine'`,
	} {
		_, err := env.PG.Pool.Exec(t.Context(), edit)
		require.NoError(t, err)
	}
	edited := contents(t, env)
	run(t, env)
	require.Equal(t, edited, contents(t, env), "what was edited stays")
}

// The records of the request examples are added by Examples only, once.
func TestOnlyExamplesAddsTheExampleRecords(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	run(t, env)
	plain := contents(t, env)
	examples := func() map[string]string {
		t.Helper()
		require.NoError(t, seed.Examples(t.Context(), env.PG, seed.Options{
			Root: uuid.MustParse("00000000-0000-7000-8000-000000000001"), HashPassword: func(string) (string, error) { return "hash", nil },
		}, clock.System{}.Now()))
		return contents(t, env)
	}
	first := examples()
	for _, table := range []string{"games", "game_elements", "users", "draws"} {
		require.NotEqual(t, plain[table], first[table], table)
	}
	require.Equal(t, first, examples())
	require.True(t, sales.ValidSerial(seed.ExampleSerial))
}

// Every game has the elements, draws a day and payout of its line in games.csv.
func TestGamesAreThoseOfTheList(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	run(t, env)
	cat := catalog.New(env.PG, clock.System{}, catalog.Options{})
	raw, err := os.ReadFile("data/games.csv")
	require.NoError(t, err)
	lines, err := csv.NewReader(strings.NewReader(string(raw))).ReadAll()
	require.NoError(t, err)
	games, err := cat.Games(t.Context())
	require.NoError(t, err)
	require.Len(t, games, len(lines)-1)
	plain := map[string]string{models.CategoryTriples: catalog.BetTriple, models.CategoryTerminales: catalog.BetTerminal, models.CategoryAnimalitos: catalog.BetStraight}
	for i, g := range games {
		l := lines[i+1]
		require.Equal(t, l[0], g.ShortCode)
		require.Equal(t, l[1], g.Category)
		require.Equal(t, l[2], strconv.Itoa(len(g.Elements)), l[0])
		count, _, _ := strings.Cut(l[3], " ")
		require.Equal(t, count, strconv.Itoa(len(g.Schedule().Times)), l[0])
		rule := g.Rule(plain[g.Category])
		require.NotNil(t, rule, l[0])
		require.Equal(t, l[4], rule.PayoutFor("no element of its own").String(), l[0])
		for _, bet := range g.BetTypes() {
			for _, currency := range []string{"VES", "USD", "COP"} {
				least, bounded := g.Rule(bet).MinStake.In(currency, 2)
				require.True(t, bounded)
				require.Positive(t, least)
				most, bounded := g.Rule(bet).MaxStake.In(currency, 2)
				require.True(t, bounded)
				require.Greater(t, most, least)
			}
		}
	}
}

func TestTheSeededAnimals(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	run(t, env)
	cat := catalog.New(env.PG, clock.System{}, catalog.Options{})
	g, err := cat.Game(t.Context(), seed.ID("game", "lotto-activo"))
	require.NoError(t, err)
	require.Len(t, g.Elements, 38)
	require.Equal(t, "Delfín", g.Element("0").Name)
	require.Equal(t, "Ballena", g.Element("00").Name)
	require.Equal(t, "Culebra", g.Element("36").Name)
	require.Equal(t, []string{"0", "00", "1"}, []string{g.Elements[0].Code, g.Elements[1].Code, g.Elements[2].Code})
	require.Nil(t, g.Element("05"))
	require.Nil(t, g.Element("37"))
	require.Equal(t, "08:00", g.Schedule().Times[0].Time)
	require.Equal(t, "19:00", g.Schedule().Times[11].Time)

	guacharo, err := cat.Game(t.Context(), seed.ID("game", "guacharo-activo"))
	require.NoError(t, err)
	require.Equal(t, "120", guacharo.Rule(catalog.BetStraight).PayoutFor("75").String())
	require.Equal(t, "60", guacharo.Rule(catalog.BetStraight).PayoutFor("74").String())
	require.NotNil(t, guacharo.Element("75"))
	zulia, err := cat.Game(t.Context(), seed.ID("game", "triple-zulia"))
	require.NoError(t, err)
	require.Equal(t, catalog.At("12:45", "16:45", "19:05"), zulia.Schedule().Times)
	require.Equal(t, "6000", zulia.Rule(catalog.BetTripleSign).PayoutFor("123,ARI").String())
}

// The tree is whole: paths end in the entity itself, children are of a lower type, and the rates are those
// of the worked example.
func TestTheTree(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	run(t, env)
	var wrong int
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM entities e LEFT JOIN entities p ON p.id = e.parent_id
		WHERE e.path <> coalesce(p.path, '/') || e.id || '/' OR (p.id IS NULL) <> (e.entity_type = 'OPERATOR')`).Scan(&wrong))
	require.Zero(t, wrong)
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM entities e CROSS JOIN currencies c
		LEFT JOIN wallets w ON w.entity_id = e.id AND w.currency_id = c.id WHERE w.id IS NULL OR w.unlimited <> (e.parent_id IS NULL)`).Scan(&wrong))
	require.Zero(t, wrong)
	for code, percent := range map[string]string{seed.CodeSuperAgency: "18", seed.CodeAgency: "15", seed.CodeGroup: "13", seed.CodeTicketPoint: "10"} {
		var raw []byte
		require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT finance_info FROM entities WHERE code = $1`, code).Scan(&raw))
		var finance struct {
			Commissions []struct{ Percent string }
		}
		require.NoError(t, json.Unmarshal(raw, &finance))
		require.Equal(t, percent, finance.Commissions[0].Percent)
	}
}
