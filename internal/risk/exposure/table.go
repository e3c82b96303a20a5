package exposure

import (
	"slices"
	"sync"

	"banca/internal/catalog"
	"banca/internal/platform/money"
)

// maxTables bounds the tables that are kept.
const maxTables = 256

// bet is a selection of a bet type.
type bet struct{ kind, selection string }

// table has the selections that each outcome of a game makes win under one version of the rules. It is computed once
// and used for every draw, because a number with a sign has 12,000 outcomes.
type table struct {
	mechanics catalog.Mechanics // of the game when the outcomes were listed
	outcomes  []catalog.Outcome
	wins      [][]int32 // of each outcome, indexes of bets
	bets      map[bet]int32
	windows   map[string]int // bets that run over several draws
}

func newTable(game *catalog.Game, rules *catalog.Rules) *table {
	t := &table{mechanics: game.Mechanics(), outcomes: game.Outcomes(), bets: map[bet]int32{}, windows: rules.Windows()}
	t.wins = make([][]int32, len(t.outcomes))
	for i := range t.outcomes {
		for _, w := range rules.Winners(&t.outcomes[i]) {
			b := bet{w.BetType, w.Selection}
			at, known := t.bets[b]
			if !known {
				at = int32(len(t.bets))
				t.bets[b] = at
			}
			t.wins[i] = append(t.wins[i], at)
		}
	}
	return t
}

// fits reports whether the game still has the outcomes of the table.
func (t *table) fits(game *catalog.Game) bool {
	m := game.Mechanics()
	if m.Kind != t.mechanics.Kind || m.Digits != t.mechanics.Digits || m.Sign != t.mechanics.Sign {
		return false
	}
	return m.Kind == catalog.DrawsNumber || slices.EqualFunc(t.outcomes, game.Elements, func(o catalog.Outcome, e catalog.Element) bool { return o.Value == e.Code })
}

// due holds the prizes due on an outcome and the stakes on it.
type due struct {
	liability, stake money.Amount
	lines            int64
}

// count adds to the sums of each outcome the groups of one version of the rules. The sums are in the order of the
// outcomes.
func (t *table) count(sold []group, sums []due) {
	each := make([]due, len(t.bets))
	for i := range sold {
		if at, known := t.bets[bet{sold[i].Bet, sold[i].Selection}]; known {
			each[at].liability += sold[i].Liability
			each[at].stake += sold[i].Stake
			each[at].lines += sold[i].Lines
		}
	}
	for i, wins := range t.wins {
		for _, at := range wins {
			sums[i].liability += each[at].liability
			sums[i].stake += each[at].stake
			sums[i].lines += each[at].lines
		}
	}
}

// tables keeps the tables of the versions that draws were sold under.
type tables struct {
	mu   sync.Mutex
	kept map[catalog.RulesKey]*table
}

func (t *tables) get(key catalog.RulesKey, game *catalog.Game) *table {
	t.mu.Lock()
	defer t.mu.Unlock()
	if found := t.kept[key]; found != nil && found.fits(game) {
		return found
	}
	return nil
}

func (t *tables) put(key catalog.RulesKey, made *table) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept == nil || len(t.kept) >= maxTables {
		t.kept = map[catalog.RulesKey]*table{}
	}
	t.kept[key] = made
}
