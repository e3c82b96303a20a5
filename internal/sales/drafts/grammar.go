package drafts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"banca/internal/catalog"
	"banca/internal/platform/money"
)

// pick is what is bet on: a number as it is written, or the name of an element; with a sign where one follows. Until is the end of a run.
type pick struct{ number, name, sign, until string }

// bet is a stake on each of some picks. Kind is a bet type that the text names, or "".
type bet struct {
	kind   string
	picks  []pick
	amount money.Amount
}

// reading is a way to read tokens as bets.
type reading []bet

// key tells readings apart.
func (r reading) key() string { return fmt.Sprint([]bet(r)) }

// grammar reads the tokens of one place.
type grammar struct {
	tokens []token
	fits   func(kind, number string) bool // whether a game has numbers of this form
	known  map[int][]reading
}

// enough readings make a text unclear.
const enough = 2

// readings returns the distinct ways to read all tokens, at most two.
func (g *grammar) readings() []reading {
	g.known = map[int][]reading{}
	return g.from(0)
}

// from returns the ways to read the tokens from a place to the end.
func (g *grammar) from(at int) []reading {
	if at == len(g.tokens) {
		return []reading{nil}
	}
	if found, read := g.known[at]; read {
		return found
	}
	begin := at
	if at > 0 {
		for begin < len(g.tokens) && (g.is(begin, senseComma) || g.is(begin, senseAnd)) {
			begin++
		}
	}
	var found []reading
	seen := map[string]bool{}
	for _, first := range g.betsAt(begin, at == 0 || begin > at) {
		for _, rest := range g.from(first.end) {
			whole := append(reading{first.bet}, rest...)
			if key := whole.key(); !seen[key] {
				seen[key] = true
				found = append(found, whole)
			}
		}
		if len(found) >= enough {
			found = found[:enough]
			break
		}
	}
	g.known[at] = found
	return found
}

func (g *grammar) is(at int, senses ...sense) bool {
	return at < len(g.tokens) && slices.Contains(senses, g.tokens[at].sense)
}

// separated reports whether a bet that ends at a place is followed by a separator or by nothing.
func (g *grammar) separated(end int) bool {
	return end == len(g.tokens) || g.is(end, senseComma, senseAnd)
}

// candidate is a bet with the place behind its tokens.
type candidate struct {
	bet bet
	end int
}

// betsAt returns the bets that may begin at a place. apart reports whether a separator or nothing stands before it.
func (g *grammar) betsAt(at int, apart bool) []candidate {
	return append(g.picksFirst(at, apart), g.amountFirst(at)...)
}

// picksFirst reads "05 18 x 20", "leon 20", "tripleta 5 12 20 por 10".
func (g *grammar) picksFirst(at int, apart bool) []candidate {
	kind, begin := g.kindAt(at)
	var list []candidate
	for _, p := range g.picksAt(begin) {
		kind, end := kind, p.end
		if kind == "" {
			kind, end = g.kindAt(p.end)
		}
		if !g.allFit(kind, p.picks) {
			continue
		}
		amount := end
		for g.is(amount, sensePer, sensePerOrTo, senseEach) {
			amount++
		}
		said := amount > end
		if !said && g.is(end, senseDash) && len(p.picks) == 1 && (p.named || g.explicit(end+1)) {
			amount, said = end+1, true
		}
		if !g.amountAt(amount) || p.run && !said {
			continue
		}
		after := amount + 1
		for g.is(after, senseEach) {
			after++
		}
		if kind == "" && g.is(after, senseBet) { // "123 x 5 triple"
			kind, _ = g.kindAt(after)
			list = append(list, g.named(kind, &p, amount, after+1, said)...)
			kind = ""
		}
		if !said && !p.endsBefore(g, kind, amount, apart && g.separated(after)) {
			continue
		}
		list = append(list, candidate{bet{kind, p.picks, g.tokens[amount].amount}, after})
	}
	return list
}

// named is the candidate whose bet type stands behind its amount.
func (g *grammar) named(kind string, p *selected, amount, end int, said bool) []candidate {
	if !said && !p.endsBefore(g, kind, amount, true) || !g.allFit(kind, p.picks) {
		return nil
	}
	return []candidate{{bet{kind, p.picks, g.tokens[amount].amount}, end}}
}

// amountFirst reads "1000 al 28 y 32", "20 a leon", "20 leon".
func (g *grammar) amountFirst(at int) []candidate {
	if !g.amountAt(at) {
		return nil
	}
	begin := at + 1
	for g.is(begin, senseEach) {
		begin++
	}
	said, per := false, false
	for g.is(begin, senseTo, sensePerOrTo, sensePer) {
		per = per || g.is(begin, sensePer)
		begin, said = begin+1, true
	}
	kind, begin := g.kindAt(begin)
	var list []candidate
	for _, p := range g.picksAt(begin) {
		if per && !p.named { // "20 x 05" is the number 20
			continue
		}
		if p.run || !said && !p.named && kind == "" && !g.explicit(at) || !g.allFit(kind, p.picks) {
			continue
		}
		list = append(list, candidate{bet{kind, p.picks, g.tokens[at].amount}, p.end})
	}
	return list
}

// kindAt reads the name of a bet type.
func (g *grammar) kindAt(at int) (kind string, end int) {
	if g.is(at, senseBet) {
		return g.tokens[at].text, at + 1
	}
	return "", at
}

func (g *grammar) amountAt(at int) bool { return g.is(at, senseNumber) && g.tokens[at].amount > 0 }

// explicit reports whether a token can only be an amount.
func (g *grammar) explicit(at int) bool { return g.amountAt(at) && g.tokens[at].list == nil }

func (g *grammar) allFit(kind string, picks []pick) bool {
	return g.fits == nil || !slices.ContainsFunc(picks, func(p pick) bool { return p.number != "" && !g.fits(kind, p.number) })
}

// selected is a list of picks with the place behind it.
type selected struct {
	picks  []pick
	end    int
	named  bool // all are names
	run    bool // "del 5 al 9"
	listed bool // numbers with a comma or "y" between them
}

// endsBefore reports whether an amount may follow the picks without a word between: behind names, behind one number in a bet of its own, behind a list
// with commas, behind the parts of a combination, or where the amount has its currency.
func (p *selected) endsBefore(g *grammar, kind string, amount int, apart bool) bool {
	parts := 1
	if b := catalog.BetTypeOf(kind); b != nil {
		parts = b.Parts
	}
	switch {
	case p.named, g.explicit(amount):
		return true
	case parts > 1:
		return len(p.picks) == parts
	case len(p.picks) == 1:
		return apart && !g.says(sensePer) && plainAmount(g.tokens[amount].text)
	default:
		return p.listed && !strings.ContainsAny(g.tokens[amount].text, ",.")
	}
}

// says reports whether a token has a sense.
func (g *grammar) says(sense sense) bool {
	return slices.ContainsFunc(g.tokens, func(t token) bool { return t.sense == sense })
}

// plainAmount reports whether the text of an amount is no list of numbers: 20, 20,00 and 20,50, not 20,18.
func plainAmount(text string) bool {
	_, cents, marked := strings.Cut(strings.ReplaceAll(text, ".", ","), ",")
	return !marked || cents == "00" || cents == "50" || len(cents) > 2
}

// picksAt returns the lists of picks that may begin at a place, each part of a longer one, too.
func (g *grammar) picksAt(at int) []selected {
	if run, found := g.runAt(at); found {
		return []selected{run}
	}
	var list []selected
	if run, found := g.openRunAt(at); found {
		list = append(list, run)
	}
	current := selected{named: true, listed: true}
	numbers, dashes, spaces, marks := 0, 0, 0, 0
	for {
		items, end := g.itemAt(at)
		if items == nil {
			return list
		}
		current.picks, current.end = append(slices.Clip(current.picks), items...), end
		if items[0].number != "" {
			current.named = false
			numbers += len(items)
			if len(items) > 1 {
				marks++
			}
		}
		if current.sound(numbers, dashes, spaces, marks) {
			current.listed = dashes == 0 && spaces == 0
			list = append(list, current)
			if dashes == 1 && numbers == 2 && len(current.picks) == 2 { // the numbers 05 and 09, or from 05 to 09
				list = append(list, selected{picks: []pick{{number: current.picks[0].number, until: current.picks[1].number}}, end: end, run: true})
			}
		}
		switch at = end; {
		case g.is(at, senseDash):
			at, dashes = at+1, dashes+1
		case g.is(at, senseAnd), g.is(at, senseComma):
			if g.is(at, senseComma) {
				marks++
			}
			for g.is(at, senseAnd, senseComma) {
				at++
			}
			for g.is(at, senseTo) { // "al leon y al burro"
				at++
			}
		default:
			spaces++
		}
	}
}

// sound reports whether the picks are separated in one way, and numbers and names by marks.
func (p *selected) sound(numbers, dashes, spaces, marks int) bool {
	switch {
	case p.named:
		return dashes == 0
	case numbers < len(p.picks):
		return dashes == 0 && spaces == 0
	}
	return (dashes == 0 || spaces == 0 && marks == 0) && (spaces == 0 || marks == 0)
}

// itemAt reads one pick, or the numbers of a group such as 05,18.
func (g *grammar) itemAt(at int) (items []pick, end int) {
	switch {
	case g.is(at, senseElement):
		return []pick{{name: g.tokens[at].text}}, at + 1
	case !g.is(at, senseNumber) || g.tokens[at].list == nil:
		return nil, at
	}
	for _, number := range g.tokens[at].list {
		items = append(items, pick{number: number})
	}
	end = at + 1
	sign := end
	if g.is(sign, senseDash) {
		sign++
	}
	if g.is(sign, senseSign) && len(items) == 1 {
		items[0].sign, end = g.tokens[sign].text, sign+1
	}
	return items, end
}

// runAt reads "del 5 al 9", which is a run always.
func (g *grammar) runAt(at int) (selected, bool) {
	if !g.is(at, senseFrom) {
		return selected{}, false
	}
	run, found := g.openRunAt(at + 1)
	return run, found
}

// openRunAt reads "5 al 9", which may be an amount on a number, too.
func (g *grammar) openRunAt(at int) (selected, bool) {
	number := func(at int) string {
		if !g.is(at, senseNumber) || len(g.tokens[at].list) != 1 {
			return ""
		}
		return g.tokens[at].list[0]
	}
	first, last := number(at), number(at+2)
	if first == "" || last == "" || !g.is(at+1, senseTo) {
		return selected{}, false
	}
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	if errFrom != nil || errTo != nil || from >= to {
		return selected{}, false
	}
	return selected{picks: []pick{{number: first, until: last}}, end: at + 3, run: true}, true
}
