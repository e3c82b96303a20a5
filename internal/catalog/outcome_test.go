package catalog

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/models"
)

// gameDrawing decodes a game with these mechanics, one bet and a grid whose last element is retired.
func gameDrawing(t require.TestingT, mechanics, bet string) *Game {
	grid := []models.GameElement{
		{Code: "0", Name: "Delfín"},
		{Code: "00", Name: "Ballena", Position: 1},
		{Code: "1", Name: "Carnero", Position: 2},
		{Code: "36", Name: "Culebra", Position: 3, Status: models.ElementRetired},
	}
	g, err := gameOf(&models.Game{
		Mechanics: []byte(mechanics), BettingRules: []byte(`{"bet_types":[{"type":"` + bet + `","payout":"30"}]}`), ScheduleConfig: []byte(`{}`),
	}, models.CategoryAnimalitos, grid)
	require.NoError(t, err)
	return g
}

const (
	animals = `{"kind":"element","flags":[{"code":"MEGA","set":"40"},{"code":"LUCKY","add":"5"}],"wildcards":[{"code":"C1","multiply":"2"}]}`
	triples = `{"kind":"number","digits":3,"sign":true}`
	ends    = `{"kind":"number","digits":2}`
)

func TestOutcomesAreCheckedAgainstTheMechanics(t *testing.T) {
	t.Parallel()
	games := map[string]*Game{"animals": gameDrawing(t, animals, BetStraight), "triples": gameDrawing(t, triples, BetTriple), "ends": gameDrawing(t, ends, BetTerminal)}
	for _, tt := range []struct {
		game    string
		outcome Outcome
		want    Outcome
		at      string // location of the refusal; "" for a valid outcome
	}{
		{"animals", Outcome{Value: "0"}, Outcome{Value: "0"}, ""},
		{"animals", Outcome{Value: "00"}, Outcome{Value: "00"}, ""},
		{"animals", Outcome{Value: "36"}, Outcome{Value: "36"}, ""}, // retired, but it may be drawn
		{"animals", Outcome{Value: "000"}, Outcome{}, "value"},
		{"animals", Outcome{Value: "01"}, Outcome{}, "value"},
		{"animals", Outcome{Value: "Delfín"}, Outcome{}, "value"},
		{"animals", Outcome{}, Outcome{}, "value"},
		{"animals", Outcome{Value: "1", Sign: "LEO"}, Outcome{}, "sign"},
		{"animals", Outcome{Value: "1", Wildcard: "C1"}, Outcome{Value: "1", Wildcard: "C1"}, ""},
		{"animals", Outcome{Value: "1", Wildcard: "c1"}, Outcome{}, "wildcard"},
		{"animals", Outcome{Value: "1", Wildcard: "MEGA"}, Outcome{}, "wildcard"},
		{"animals", Outcome{Value: "1", Flags: []string{"MEGA", "LUCKY", "MEGA"}}, Outcome{Value: "1", Flags: []string{"LUCKY", "MEGA"}}, ""},
		{"animals", Outcome{Value: "1", Flags: []string{"C1"}}, Outcome{}, "flags[0]"},
		{"animals", Outcome{Value: "1", Flags: []string{"MEGA", "ZERO"}}, Outcome{}, "flags[1]"},
		{"triples", Outcome{Value: "007", Sign: "leo"}, Outcome{Value: "007", Sign: "LEO"}, ""},
		{"triples", Outcome{Value: "7", Sign: "LEO"}, Outcome{}, "value"},
		{"triples", Outcome{Value: "0007", Sign: "LEO"}, Outcome{}, "value"},
		{"triples", Outcome{Value: "00a", Sign: "LEO"}, Outcome{}, "value"},
		{"triples", Outcome{Value: "-07", Sign: "LEO"}, Outcome{}, "value"},
		{"triples", Outcome{Value: "٠٠٧", Sign: "LEO"}, Outcome{}, "value"}, // digits of another script
		{"triples", Outcome{Value: "007"}, Outcome{}, "sign"},
		{"triples", Outcome{Value: "007", Sign: "OFI"}, Outcome{}, "sign"},
		{"triples", Outcome{Value: "007", Sign: "LEO", Wildcard: "C1"}, Outcome{}, "wildcard"},
		{"ends", Outcome{Value: "05"}, Outcome{Value: "05"}, ""},
		{"ends", Outcome{Value: "5"}, Outcome{}, "value"},
		{"ends", Outcome{Value: "05", Sign: "LEO"}, Outcome{}, "sign"},
	} {
		given := slices.Clone(tt.outcome.Flags)
		got, at, message := games[tt.game].CheckOutcome(tt.outcome)
		require.Equal(t, tt.at, at, "%s %+v: %s", tt.game, tt.outcome, message)
		require.Equal(t, tt.at == "", message == "", "%s %+v", tt.game, tt.outcome)
		require.Equal(t, given, tt.outcome.Flags, "the caller's flags stay in their order")
		if tt.at == "" {
			require.True(t, got.Equal(&tt.want), "%s %+v: %+v", tt.game, tt.outcome, got)
		}
	}
}

// A checked outcome is checked again without a change, and two spellings of one outcome become equal.
func TestCheckedOutcomesAreCanonical(t *testing.T) {
	t.Parallel()
	g := gameDrawing(t, `{"kind":"number","digits":3,"sign":true,"flags":[{"code":"A","add":"1"},{"code":"B","add":"1"},{"code":"C","add":"1"}]}`, BetTriple)
	rapid.Check(t, func(t *rapid.T) {
		flags := rapid.SliceOf(rapid.SampledFrom([]string{"A", "B", "C"})).Draw(t, "flags")
		sign := rapid.SampledFrom(Signs()).Draw(t, "sign")
		value := digitsOf(rapid.IntRange(0, 999).Draw(t, "value"), 3)
		first, at, _ := g.CheckOutcome(Outcome{Value: value, Sign: sign, Flags: flags})
		require.Empty(t, at)
		again, at, _ := g.CheckOutcome(first)
		require.Empty(t, at)
		require.Equal(t, first, again)
		mixed := rapid.Permutation(flags).Draw(t, "another order")
		other, at, _ := g.CheckOutcome(Outcome{Value: value, Sign: strings.ToLower(sign), Flags: mixed})
		require.Empty(t, at)
		require.True(t, first.Equal(&other), "%+v and %+v", first, other)
	})
}

func TestOutcomesDifferInEachOfTheirParts(t *testing.T) {
	t.Parallel()
	base := Outcome{Value: "007", Sign: "LEO", Wildcard: "C1", Flags: []string{"A"}}
	require.True(t, base.Equal(&Outcome{Value: "007", Sign: "LEO", Wildcard: "C1", Flags: []string{"A"}}))
	for _, other := range []Outcome{
		{Value: "008", Sign: "LEO", Wildcard: "C1", Flags: []string{"A"}},
		{Value: "007", Sign: "ARI", Wildcard: "C1", Flags: []string{"A"}},
		{Value: "007", Sign: "LEO", Flags: []string{"A"}},
		{Value: "007", Sign: "LEO", Wildcard: "C1"},
		{Value: "007", Sign: "LEO", Wildcard: "C1", Flags: []string{"A", "B"}},
	} {
		require.False(t, base.Equal(&other), "%+v", other)
	}
	require.True(t, (&Outcome{Value: "1"}).Equal(&Outcome{Value: "1", Flags: []string{}}), "no flags are no flags")
	require.Equal(t, "007 LEO C1 A", base.String())
	require.Equal(t, "00", (&Outcome{Value: "00"}).String())
}

// The last two and the first two digits of every triple decide the games derived from it.
func TestDerivedOutcomesOfEveryTriple(t *testing.T) {
	t.Parallel()
	for n := range 1000 {
		o := &Outcome{Value: digitsOf(n, 3), Sign: "LEO", Wildcard: "C1", Flags: []string{"A"}}
		tail := (&Derivation{Take: TakeLastTwo}).Derive(o)
		require.True(t, tail.Equal(&Outcome{Value: digitsOf(n%100, 2)}), "%d: %+v", n, tail)
		head := (&Derivation{Take: TakeFirst}).Derive(o)
		require.True(t, head.Equal(&Outcome{Value: digitsOf(n/10, 2)}), "%d: %+v", n, head)
		whole := (&Derivation{Take: TakeAll}).Derive(o)
		require.True(t, whole.Equal(&Outcome{Value: o.Value, Sign: "LEO"}), "additions belong to the game that announces them: %+v", whole)
	}
}

func TestOutcomesOfAGameAreAllDifferentAndValid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mechanics, bet string
		count          int
	}{
		"animals": {animals, BetStraight, 3}, // without the retired one
		"ends":    {ends, BetTerminal, 100},
		"triples": {triples, BetTriple, 12_000},
		"numbers": {`{"kind":"number","digits":3}`, BetTriple, 1000},
	} {
		g := gameDrawing(t, tt.mechanics, tt.bet)
		seen := map[string]bool{}
		for _, o := range g.Outcomes() {
			checked, at, message := g.CheckOutcome(o)
			require.Empty(t, at, "%s %+v %s", name, o, message)
			require.True(t, checked.Equal(&o), "%s %+v", name, o)
			seen[o.String()] = true
		}
		require.Len(t, seen, tt.count, name)
	}
}

// The additions that an exposure is computed for: each wildcard and none, without flags and with all of them.
func TestAnnouncedAdditions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mechanics Mechanics
		want      []string
	}{
		{Mechanics{}, []string{""}},
		{Mechanics{Wildcards: []Modifier{{Code: "C1"}, {Code: "C2"}}}, []string{"", "C1", "C2"}},
		{Mechanics{Flags: []Modifier{{Code: "A"}, {Code: "B"}}}, []string{"", "A B"}},
		{Mechanics{Wildcards: []Modifier{{Code: "C1"}}, Flags: []Modifier{{Code: "A"}}}, []string{"", "C1", "A", "C1 A"}},
	} {
		var got []string
		for _, o := range tt.mechanics.Announced() {
			got = append(got, o.String())
		}
		require.Equal(t, tt.want, got)
	}
}

// For every triple and every selection of two of its bets, WinsOn says what the words of the rules say.
func TestWinsOnForEveryTriple(t *testing.T) {
	t.Parallel()
	for n := range 1000 {
		value := digitsOf(n, 3)
		for pick := range 100 {
			selection := digitsOf(pick, 2)
			require.Equal(t, n%100 == pick, WinsOn(BetTerminal, selection, value), "%s on %s", selection, value)
			require.Equal(t, n/10 == pick, WinsOn(BetFirstTwo, selection, value), "%s on %s", selection, value)
		}
		for _, distance := range []int{-2, -1, 0, 1, 2} {
			selection := digitsOf((n+distance+1000)%1000, 3)
			require.Equal(t, distance == 0, WinsOn(BetTriple, selection, value))
			require.Equal(t, distance == -1 || distance == 1, WinsOn(BetApproximation, selection, value), "%s on %s", selection, value)
		}
	}
	for _, sign := range Signs() { // the sign is the selection's own
		require.True(t, WinsOn(BetTripleSign, "007,"+sign, "007"))
		require.True(t, WinsOn(BetTerminalSign, "07,"+sign, "007"))
		require.False(t, WinsOn(BetTerminalSign, "00,"+sign, "007"))
	}
	require.False(t, WinsOn(BetStraight, "", ""), "no value is drawn yet")
	require.False(t, WinsOn(BetTripleta, "0,00,1", "0"), "one draw does not decide a tripleta")
}

// Select gives every order and spelling of a selection one key, NameOf names it as it was sold, and the codes of the key
// select it again.
func TestOneKeyForEverySpellingOfASelection(t *testing.T) {
	t.Parallel()
	g, err := gameWith(t, `{"bet_types": [{"type": "straight", "payout": "30"}, {"type": "dupleta", "payout": "800"}, {"type": "tripleta", "payout": "200"}, {"type": "triple_sign", "payout": "6000"}]}`)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		bet := rapid.SampledFrom(g.BetTypes()).Draw(t, "bet")
		var picked []string
		if bet == BetTripleSign {
			picked = []string{digitsOf(rapid.IntRange(0, 999).Draw(t, "number"), 3), rapid.SampledFrom(Signs()).Draw(t, "sign")}
		} else {
			all := make([]string, len(g.Elements))
			for i := range g.Elements {
				all[i] = g.Elements[i].Code
			}
			picked = rapid.Permutation(all).Draw(t, "codes")[:BetTypeOf(bet).Parts]
		}
		first, refused := g.Select(bet, picked)
		require.Nil(t, refused)
		spelled := slices.Clone(picked)
		if bet == BetTripleSign {
			spelled[1] = strings.ToLower(spelled[1])
		} else {
			spelled = rapid.Permutation(picked).Draw(t, "another order")
		}
		other, refused := g.Select(bet, spelled)
		require.Nil(t, refused)
		require.Equal(t, first, other)
		require.Equal(t, first.Name, g.NameOf(first.Key))
		require.Contains(t, g.ResultText(picked[0]+" x2"), g.NameOf(picked[0]))
		require.Equal(t, "99999 x2", g.ResultText("99999 x2"), "a value without a name")
		again, refused := g.Select(bet, strings.Split(first.Key, ","))
		require.Nil(t, refused)
		require.Equal(t, first, again)
		if bet != BetTripleSign {
			require.Equal(t, NormaliseCodes(bet, picked), NormaliseCodes(bet, strings.Split(first.Key, ",")), "before the game is read, the spelling is one, too")
		}
	})
}

// The description of a grid that a refusal gives names each code that can be bet on, and no other.
func TestTheDescriptionOfAGridNamesItsCodes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var grid []models.GameElement
		var want []string
		for i, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 1, 30, rapid.ID).Draw(rt, "numbers") {
			e := models.GameElement{Code: digitsOf(n, rapid.IntRange(1, 2).Draw(rt, "digits")), Name: "x", Position: i}
			if rapid.IntRange(0, 4).Draw(rt, "retired") == 0 {
				e.Status = models.ElementRetired
			} else {
				want = append(want, e.Code)
			}
			grid = append(grid, e)
		}
		g := &Game{names: map[string]string{}, byCode: map[string]*Element{}}
		g.take(grid)
		described := g.grid()
		if strings.Contains(described, "…") {
			require.Len(rt, strings.Split(described, ", "), maxGrid+1)
			return
		}
		require.Equal(rt, want, codesIn(rt, described), described)
	})
}

// codesIn reads a description such as "0, 00, 1..36".
func codesIn(t require.TestingT, described string) []string {
	var list []string
	for part := range strings.SplitSeq(described, ", ") {
		if part == "" {
			continue
		}
		first, last, isRange := strings.Cut(part, "..")
		list = append(list, first)
		if !isRange {
			continue
		}
		from, err := strconv.Atoi(first)
		require.NoError(t, err)
		to, err := strconv.Atoi(last)
		require.NoError(t, err)
		for n := from + 1; n <= to; n++ {
			list = append(list, digitsOf(n, len(first)))
		}
	}
	return list
}

// A code is repeated in a refusal only if it is short and plain, so that no refusal carries a client's markup.
func TestRefusalsRepeatPlainCodesOnly(t *testing.T) {
	t.Parallel()
	g := gameDrawing(t, animals, BetStraight)
	for code, repeated := range map[string]bool{
		"7": true, "abc": true, "12345678": true, "123456789": false, "<b>": false, "1 2": false, "ñ": false, "1\n": false, "": false,
	} {
		_, refused := g.Select(BetStraight, []string{code})
		require.NotNil(t, refused)
		require.Equal(t, "UNKNOWN_SELECTION", refused.Code)
		require.Equal(t, repeated, refused.Args["selection"] == code && code != "", "%q: %v", code, refused.Args)
	}
}
