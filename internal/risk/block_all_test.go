package risk_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/risk"
)

// everyBet lists each selection of each bet type of a game of triples with a sign.
func (e *engine) everyBet() []risk.Line {
	template := e.request(100, e.draws[0]).Lines[0]
	var lines []risk.Line
	add := func(bet, selection string) {
		line := template
		line.Item, line.BetType, line.Selection = len(lines), bet, selection
		lines = append(lines, line)
	}
	for n := range 1000 {
		number := fmt.Sprintf("%03d", n)
		add(catalog.BetTriple, number)
		add(catalog.BetApproximation, number)
		add(catalog.BetTripleSign, number+","+catalog.Signs()[n%12])
		if n < 100 {
			add(catalog.BetTerminal, number[1:])
			add(catalog.BetFirstTwo, number[1:])
			add(catalog.BetTerminalSign, number[1:]+","+catalog.Signs()[n%12])
		}
	}
	return lines
}

// endedBy reports, by the words of the rules, whether a block of an element ends a bet: one that names the element,
// or that wins when it is drawn.
func endedBy(element string, line *risk.Line) bool {
	number, sign, _ := strings.Cut(line.Selection, ",")
	if number == element || sign == element {
		return true
	}
	drawn, err := strconv.Atoi(element)
	if err != nil || len(element) != 3 {
		return false
	}
	switch line.BetType {
	case catalog.BetTerminal, catalog.BetTerminalSign:
		return number == element[1:]
	case catalog.BetFirstTwo:
		return number == element[:2]
	case catalog.BetApproximation:
		picked, _ := strconv.Atoi(number)
		return (picked+1)%1000 == drawn || (drawn+1)%1000 == picked
	}
	return false
}

// Of the 3,300 bets of a draw, a block ends those that the rules name, and no other.
func TestABlockEndsExactlyTheBetsThatItNames(t *testing.T) {
	t.Parallel()
	e := setup(t)
	k := e.keeper(t)
	e.exec(t, `UPDATE games SET mechanics = '{"kind": "number", "digits": 3, "sign": true}', betting_rules = '{"bet_types": [{"type": "triple", "payout": "600"}, {"type": "triple_sign", "payout": "5000"},
		{"type": "terminal", "payout": "60"}, {"type": "terminal_sign", "payout": "600"}, {"type": "first_two", "payout": "60"}, {"type": "approximation", "payout": "10"}]}'`)
	lines := e.everyBet()
	for _, element := range []string{"042", "000", "999", "07", "LEO"} {
		blocked, err := k.Block(t.Context(), e.operator(), e.block(element))
		require.NoError(t, err, element)
		remaining, err := e.Available(t.Context(), e.chain, e.request(1).Currency, lines)
		require.NoError(t, err)
		ended := 0
		for i := range lines {
			want := endedBy(element, &lines[i])
			if want {
				ended++
			}
			require.Equal(t, want, remaining[i].Stake == 0, "%s: %s %s", element, lines[i].BetType, lines[i].Selection)
		}
		require.Positive(t, ended, element)
		for _, l := range blocked {
			_, err = k.Unblock(t.Context(), e.operator(), l.ID)
			require.NoError(t, err)
		}
	}
}
