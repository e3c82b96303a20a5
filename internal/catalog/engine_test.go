package catalog

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/platform/money"
	"banca/models"
)

// engine is a game whose rules were made up, with every outcome it can have.
type engine struct {
	game   *Game
	rules  Rules
	list   []*Rule
	draws  []Outcome // the possible outcomes, without additions
	beyond []additions
	sold   map[string][]string // what sellable found
}

// additions is a set of additions to an outcome, and its probability.
type additions struct {
	wildcard string
	flags    []string
	weight   *big.Rat
}

func digitsOf(n, digits int) string { return fmt.Sprintf("%0*d", digits, n) }

func power(base, exponent int) int {
	p := 1
	for range exponent {
		p *= base
	}
	return p
}

// codes returns the codes of the first animals of a grid.
func codes(n int) []string {
	list := []string{"0", "00"}
	for i := 1; len(list) < n; i++ {
		list = append(list, strconv.Itoa(i))
	}
	return list[:n]
}

// decodeEngine reads a game as the database keeps it and lists its outcomes.
func decodeEngine(t require.TestingT, m *Mechanics, bets []*Rule, elements int) *engine {
	mechanics, err := json.Marshal(m)
	require.NoError(t, err)
	rules, err := json.Marshal(map[string]any{"bet_types": bets})
	require.NoError(t, err)
	var grid []models.GameElement
	for i, code := range codes(elements) {
		grid = append(grid, models.GameElement{Code: code, Name: "Name of " + code, Position: i})
	}
	e := &engine{sold: map[string][]string{}}
	e.game, err = gameOf(&models.Game{Mechanics: mechanics, BettingRules: rules, ScheduleConfig: []byte(`{}`)}, models.CategoryTriples, grid)
	require.NoError(t, err)
	e.rules, err = DecodeRules(1, mechanics, rules, models.CategoryTriples)
	require.NoError(t, err)
	e.list, err = listRules(rules)
	require.NoError(t, err)
	e.draws = drawsOfAll(&e.rules.Mechanics, elements)
	e.beyond = besides(&e.rules.Mechanics)
	return e
}

func drawsOfAll(m *Mechanics, elements int) []Outcome {
	values := codes(elements)
	if m.Kind == DrawsNumber {
		values = nil
		for n := range power(10, m.Digits) {
			values = append(values, digitsOf(n, m.Digits))
		}
	}
	signs := []string{""}
	if m.Sign {
		signs = Signs()
	}
	var list []Outcome
	for _, value := range values {
		for _, sign := range signs {
			list = append(list, Outcome{Value: value, Sign: sign})
		}
	}
	return list
}

// likely reads a modifier's chance as the schema explains it: always, when it does not say.
func likely(m *Modifier) *big.Rat {
	if m.Chance == "" {
		return big.NewRat(1, 1)
	}
	p, _ := new(big.Rat).SetString(m.Chance)
	return p
}

// besides lists every combination of one wildcard or none with any of the flags.
func besides(m *Mechanics) []additions {
	rest := big.NewRat(1, 1)
	var wild []additions
	for i := range m.Wildcards {
		p := likely(&m.Wildcards[i])
		rest.Sub(rest, p)
		wild = append(wild, additions{wildcard: m.Wildcards[i].Code, weight: p})
	}
	wild = append(wild, additions{weight: rest})
	var list []additions
	for _, w := range wild {
		for set := range power(2, len(m.Flags)) {
			b := additions{wildcard: w.wildcard, weight: new(big.Rat).Set(w.weight)}
			for i := range m.Flags {
				p := likely(&m.Flags[i])
				if set>>i&1 == 1 {
					b.flags = append(b.flags, m.Flags[i].Code)
				} else {
					p = new(big.Rat).Sub(big.NewRat(1, 1), p)
				}
				b.weight.Mul(b.weight, p)
			}
			slices.Sort(b.flags)
			list = append(list, b)
		}
	}
	return list
}

// sellable lists every selection that a bet type can be sold on, by asking the game for each.
func (e *engine) sellable(t require.TestingT, bet string) []string {
	if list, known := e.sold[bet]; known {
		return list
	}
	var asked [][]string
	grid := slices.Clone(codes(len(e.game.Elements)))
	numbers := func(digits int, signed bool) {
		for n := range power(10, digits) {
			if !signed {
				asked = append(asked, []string{digitsOf(n, digits)})
				continue
			}
			for _, sign := range Signs() {
				asked = append(asked, []string{digitsOf(n, digits), sign})
			}
		}
	}
	switch bet {
	case BetStraight:
		for _, code := range grid {
			asked = append(asked, []string{code})
		}
	case BetTriple, BetApproximation:
		numbers(3, false)
	case BetTripleSign:
		numbers(3, true)
	case BetTerminal, BetFirstTwo:
		numbers(2, false)
	case BetTerminalSign:
		numbers(2, true)
	}
	list := make([]string, len(asked))
	for i, picked := range asked {
		selection, refused := e.game.Select(bet, picked)
		require.Nil(t, refused, "%s %v", bet, picked)
		list[i] = selection.Key
	}
	e.sold[bet] = list
	return list
}

// hits decides one bet by the words of the rules alone, sharing nothing with the engine.
func hits(bet, selection string, o *Outcome) bool {
	number, sign, _ := strings.Cut(selection, ",")
	switch bet {
	case BetStraight, BetTriple:
		return selection == o.Value
	case BetTripleSign:
		return number == o.Value && sign == o.Sign
	case BetTerminal:
		return strings.HasSuffix(o.Value, selection)
	case BetTerminalSign:
		return strings.HasSuffix(o.Value, number) && sign == o.Sign
	case BetFirstTwo:
		return strings.HasPrefix(o.Value, selection)
	case BetApproximation:
		picked, _ := strconv.Atoi(selection)
		drawn, _ := strconv.Atoi(o.Value)
		ring := power(10, len(o.Value))
		return (picked+1)%ring == drawn || (drawn+1)%ring == picked
	}
	return false
}

type bought struct{ bet, selection string }

// price is what a winning selection is paid, and the additions to the outcome at which it is.
type price struct {
	set, add money.Payout
	multiply string
	payout   money.Payout
	beside   int
}

// returns adds up, over every outcome, what each selection pays, weighted by how likely that outcome is, in times
// the stake. Selections that are paid the same prices equally often share their sum.
func (e *engine) returns(t require.TestingT) map[bought]*big.Rat {
	var parts []*big.Rat // of the sum, by number of the price
	numbers := map[price]uint16{}
	paid := map[bought][]uint16{} // numbers of the prices
	for i, b := range e.beyond {
		for _, o := range e.draws {
			o.Wildcard, o.Flags = b.wildcard, b.flags
			for _, w := range e.rules.Winners(&o) {
				p := price{set: w.Set, add: w.Add, payout: e.game.Rule(w.BetType).PayoutFor(w.Selection), beside: i}
				if w.Multiply != nil {
					p.multiply = w.Multiply.RatString()
				}
				number, known := numbers[p]
				if !known {
					require.Less(t, len(parts), math.MaxUint16)
					number = uint16(len(parts))
					numbers[p] = number
					part := new(big.Rat).Quo(w.Exact(p.payout), big.NewRat(int64(len(e.draws)), 1))
					parts = append(parts, part.Mul(part, b.weight))
				}
				key := bought{w.BetType, w.Selection}
				paid[key] = append(paid[key], number)
			}
		}
	}
	require.NotEmpty(t, paid)
	sums, shared := make(map[bought]*big.Rat, len(paid)), map[string]*big.Rat{}
	for key, list := range paid {
		slices.Sort(list)
		var signature []byte
		for _, number := range list {
			signature = binary.BigEndian.AppendUint16(signature, number)
		}
		sum := shared[string(signature)]
		if sum == nil {
			sum = new(big.Rat)
			for _, number := range list {
				sum.Add(sum, parts[number])
			}
			shared[string(signature)] = sum
		}
		sums[key] = sum
	}
	return sums
}

// requireReturns compares, for every selection that can be sold, the sum over all outcomes with Expected.
func (e *engine) requireReturns(t require.TestingT) {
	sums := e.returns(t)
	over := map[bought]string{}
	for _, o := range Expected(e.rules.Mechanics, e.list, len(e.game.Elements)) {
		over[bought{o.BetType, o.Selection}] = o.Expected
	}
	named := 0
	for _, r := range e.list {
		if r.Window() > 1 {
			continue
		}
		plain, priced := "", 0
		wants := map[money.Payout]*big.Rat{}
		for _, selection := range e.sellable(t, r.Type) {
			key := bought{r.Type, selection}
			sum, wins := sums[key]
			if !wins {
				require.Fail(t, "never wins", "%v", key)
			}
			delete(sums, key)
			pays := r.PayoutFor(selection)
			if wants[pays] == nil {
				wants[pays] = new(big.Rat).Mul(chanceOf(r, len(e.game.Elements)), expectedPayout(&e.rules.Mechanics, r, pays))
			}
			if want := wants[pays]; sum.Cmp(want) != 0 {
				require.Fail(t, "another expectation", "%v: %s over all outcomes, %s expected", key, sum.FloatString(6), want.FloatString(6))
			}
			text := ""
			if sum.Cmp(big.NewRat(1, 1)) > 0 {
				text = sum.FloatString(3)
			}
			told := over[bought{r.Type, ""}]
			if _, own := r.ElementPayouts[selection]; own {
				told = over[key]
				priced++
				if told != "" {
					named++
				}
			} else {
				plain = text
			}
			if told != text {
				require.Fail(t, "another price", "%v: %q, refused with %q", key, text, told)
			}
		}
		if plain != "" {
			named++
		}
		require.Len(t, r.ElementPayouts, priced)
	}
	require.Empty(t, sums, "what cannot be sold never wins")
	for key := range over {
		if e.game.Rule(key.bet).Window() > 1 {
			delete(over, key)
		}
	}
	require.Len(t, over, named, "nothing else is refused: %v", over)
}

// requireWinners compares the winners of outcomes with the words of the rules, selection by selection.
func (e *engine) requireWinners(t require.TestingT, outcomes []Outcome) {
	for i := range outcomes {
		o := &outcomes[i]
		var got, want []bought
		for _, w := range e.rules.Winners(o) {
			got = append(got, bought{w.BetType, w.Selection})
		}
		for _, r := range e.list {
			for _, selection := range e.sellable(t, r.Type) {
				if hits(r.Type, selection, o) {
					want = append(want, bought{r.Type, selection})
				}
			}
		}
		require.ElementsMatch(t, want, got, "%s", o)
	}
}

// hundredths is a random payout.
func hundredths(rt *rapid.T, most int, label string) Multiple {
	return Multiple(rapid.IntRange(1, most).Draw(rt, label))
}

// modifiers are up to most made-up ones whose chances together leave something over.
func modifiers(rt *rapid.T, prefix string, most int, bets []string) []Modifier {
	var list []Modifier
	left := 100
	for i := range rapid.IntRange(0, most).Draw(rt, prefix) {
		m := Modifier{Code: prefix + strconv.Itoa(9-i)} // not in the order of their codes
		switch rapid.IntRange(0, 2).Draw(rt, "effect") {
		case 0:
			m.Set = hundredths(rt, 9_000, "set")
		case 1:
			m.Add = hundredths(rt, 9_000, "add")
		default:
			m.Multiply = hundredths(rt, 900, "multiply")
		}
		for _, bet := range bets {
			if rapid.Bool().Draw(rt, bet) {
				m.BetTypes = append(m.BetTypes, bet)
			}
		}
		chance := rapid.IntRange(0, left/2).Draw(rt, "chance")
		left -= chance
		m.Chance = "0." + digitsOf(chance, 2)
		if prefix == "F" && chance == 0 {
			m.Chance = "" // always
		}
		list = append(list, m)
	}
	return list
}

// madeUp returns a random game with every bet that fits its mechanics.
func madeUp(rt *rapid.T, m Mechanics, elements, most int) *engine {
	var single []string
	var bets []*Rule
	for _, bet := range m.BetTypes() {
		r := &Rule{Type: bet, Payout: hundredths(rt, 20_000, "payout")}
		if r.Window() == 1 {
			single = append(single, bet)
		}
		bets = append(bets, r)
	}
	m.Flags, m.Wildcards = modifiers(rt, "F", most, single), modifiers(rt, "W", most, single)
	e := decodeEngine(rt, &m, bets, elements)
	for _, r := range bets {
		if list := e.sellable(rt, r.Type); len(list) > 0 {
			r.ElementPayouts = map[string]Multiple{}
			for range rapid.IntRange(0, 2).Draw(rt, "own payouts") {
				r.ElementPayouts[rapid.SampledFrom(list).Draw(rt, "selection")] = hundredths(rt, 40_000, "own")
			}
		}
	}
	return decodeEngine(rt, &m, bets, elements)
}

// For random games, the payout of every selection of every bet that one draw decides, summed over all outcomes,
// equals Expected, and the winners of every outcome follow the rules.
func TestExpectedPayoutEqualsTheSumOverAllOutcomes(t *testing.T) {
	t.Parallel()
	t.Run("elements", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(rt *rapid.T) {
			elements := rapid.IntRange(3, 12).Draw(rt, "elements")
			e := madeUp(rt, Mechanics{Kind: DrawsElement}, elements, 3)
			e.requireReturns(rt)
			e.requireWinners(rt, e.draws)
		})
	})
	t.Run("two digits", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(rt *rapid.T) {
			e := madeUp(rt, Mechanics{Kind: DrawsNumber, Digits: 2, Sign: rapid.Bool().Draw(rt, "sign")}, 0, 2)
			e.requireReturns(rt)
			e.requireWinners(rt, sampled(rt, e.draws))
		})
	})
	t.Run("three digits", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(rt *rapid.T) {
			e := madeUp(rt, Mechanics{Kind: DrawsNumber, Digits: 3}, 0, 1)
			e.requireReturns(rt)
			e.requireWinners(rt, sampled(rt, e.draws))
		})
	})
}

// sampled takes a few outcomes and both ends.
func sampled(rt *rapid.T, all []Outcome) []Outcome {
	list := []Outcome{all[0], all[len(all)-1]}
	for range 4 {
		list = append(list, rapid.SampledFrom(all).Draw(rt, "outcome"))
	}
	return list
}

// The same for the largest game there is, twelve thousand outcomes, each with two marks or without; together with the
// elements' bets these are all that there are.
func TestExpectedPayoutOfTriplesWithASign(t *testing.T) {
	t.Parallel()
	m := Mechanics{
		Kind: DrawsNumber, Digits: 3, Sign: true,
		Flags:     []Modifier{{Code: "DOUBLE", Multiply: 200, Chance: "0.1", BetTypes: []string{BetTriple, BetTripleSign, BetApproximation}}},
		Wildcards: []Modifier{{Code: "C1", Multiply: 150, Chance: "0.05"}},
	}
	var bets []*Rule
	covered := (&Mechanics{Kind: DrawsElement}).BetTypes()
	for i, bet := range m.BetTypes() {
		bets = append(bets, &Rule{Type: bet, Payout: Multiple(5_000 * (i + 1))})
		covered = append(covered, bet)
	}
	require.ElementsMatch(t, BetTypeNames(), covered, "every bet type that there is")
	e := decodeEngine(t, &m, bets, 0)
	e.requireReturns(t)
	e.requireWinners(t, []Outcome{e.draws[0], e.draws[len(e.draws)-1], {Value: "100", Sign: "LEO", Wildcard: "C1", Flags: []string{"DOUBLE"}}})
}

// holdsFirst reports whether each of the first k elements is drawn in a sequence, whose draws are the digits of a
// number in base elements.
func holdsFirst(k, sequence, elements, draws int) bool {
	drawn := map[int]bool{}
	for range draws {
		drawn[sequence%elements] = true
		sequence /= elements
	}
	for element := range k {
		if !drawn[element] {
			return false
		}
	}
	return true
}

// How likely several elements are all drawn within a window, by looking at every sequence of draws.
func TestWindowsOverEverySequence(t *testing.T) {
	t.Parallel()
	for _, bet := range []string{BetDupleta, BetTripleta} {
		k := BetTypeOf(bet).Parts
		for elements := k; elements <= 5; elements++ {
			for draws := k; draws <= 6; draws++ {
				r := &Rule{Type: bet, Payout: 100, Draws: draws}
				all := power(elements, draws)
				won := 0
				for sequence := range all {
					if holdsFirst(k, sequence, elements, draws) { // by symmetry, the first k elements represent any k
						won++
					}
				}
				m := Mechanics{Kind: DrawsElement, Wildcards: []Modifier{{Code: "C1", Multiply: 900}}}
				want := big.NewRat(int64(won), int64(all))
				got := new(big.Rat).Mul(chanceOf(r, elements), expectedPayout(&m, r, money.Payout(r.Payout)))
				require.Zero(t, got.Cmp(want), "%s of %d in %d draws: %s, of all sequences %s", bet, elements, draws, got, want)
			}
		}
	}
}

// The tripleta that pays 200 times over eleven draws of 38 animals returns more than twice its price.
func TestTheTripletaThatPaysTooMuch(t *testing.T) {
	t.Parallel()
	m := Mechanics{Kind: DrawsElement}
	require.Equal(t, []Overpriced{{BetType: BetTripleta, Expected: "2.628"}}, Expected(m, []*Rule{{Type: BetTripleta, Payout: 200_00, Draws: 11}}, 38))
	require.Empty(t, Expected(m, []*Rule{{Type: BetTripleta, Payout: 76_00, Draws: 11}, {Type: BetStraight, Payout: 38_00}}, 38))
	require.Len(t, Expected(m, []*Rule{{Type: BetTripleta, Payout: 77_00, Draws: 11}, {Type: BetStraight, Payout: 38_01}}, 38), 2)
	require.Contains(t, slices.Collect(maps.Keys((&Rules{bets: bettingRules{types: map[string]*Rule{BetTripleta: {Type: BetTripleta, Draws: 11}}}}).Windows())), BetTripleta)
}
