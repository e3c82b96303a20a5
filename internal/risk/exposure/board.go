package exposure

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
)

// DrawOf names a draw and its game.
type DrawOf struct{ DrawID, GameID uuid.UUID }

// Board has the worst outcomes of several draws in one currency.
type Board struct {
	Currency ledger.Currency
	ByDraw   map[uuid.UUID]*DrawRisk // a draw that was not sold is missing

	sold map[uuid.UUID][]group
}

// DrawRisk is the sales of a draw and the outcome that costs most.
type DrawRisk struct {
	Sales      money.Amount // all stakes, including window bets
	Lines      int64
	Tickets    int64    // with a line on the draw, in all currencies
	Worst      *Outcome // without Share and Announced; nil where nothing that was sold can win
	Windows    Windows
	Selections []Selection
}

// Selection holds the sales of a selection of a bet type.
type Selection struct {
	BetType   string
	Selection string // canonical
	Stake     money.Amount
	Liability money.Amount
}

// Board computes the worst outcome of each draw from one statement over the lines of all. The outcome and its amounts
// equal [Service.Of]. Errors: ledger.ErrCurrencyNotFound.
func (s *Service) Board(ctx context.Context, by caller.Caller, currency string, draws []DrawOf) (*Board, error) {
	return s.board(ctx, by, currency, draws, &boardSums{})
}

// board brings the sums up to date and makes a board of them.
func (s *Service) board(
	ctx context.Context, by caller.Caller, code string, draws []DrawOf, sums *boardSums,
) (*Board, error) {
	currency, err := s.ledger.AnyCurrency(ctx, code)
	if err != nil {
		return nil, err
	}
	sold, tickets, err := sums.advance(ctx, s.pg, &soldQuestion{by, currency.ID, draws})
	if err != nil {
		return nil, err
	}
	games, err := s.gamesOf(ctx, draws)
	if err != nil {
		return nil, err
	}
	tables, err := s.tablesOf(ctx, draws, games, sold)
	if err != nil {
		return nil, err
	}
	b := &Board{Currency: currency, ByDraw: map[uuid.UUID]*DrawRisk{}, sold: sold}
	for i := range draws {
		if id := draws[i].DrawID; tickets[id] > 0 {
			b.ByDraw[id] = riskOf(games[draws[i].GameID], sold[id], tables)
			b.ByDraw[id].Tickets = tickets[id]
		}
	}
	return b, nil
}

// gamesOf returns the games of draws, each as it is now.
func (s *Service) gamesOf(ctx context.Context, draws []DrawOf) (map[uuid.UUID]*catalog.Game, error) {
	games := map[uuid.UUID]*catalog.Game{}
	for i := range draws {
		id := draws[i].GameID
		if games[id] != nil {
			continue
		}
		game, err := s.catalog.Game(ctx, id)
		if err != nil {
			return nil, err
		}
		games[id] = game
	}
	return games, nil
}

// tablesOf returns the tables of all rules that the draws were sold under.
func (s *Service) tablesOf(
	ctx context.Context, draws []DrawOf, games map[uuid.UUID]*catalog.Game, sold map[uuid.UUID][]group,
) (map[catalog.RulesKey]*table, error) {
	found := map[catalog.RulesKey]*table{}
	var missing []catalog.RulesKey
	for i := range draws {
		for _, g := range sold[draws[i].DrawID] {
			key := catalog.RulesKey{GameID: draws[i].GameID, Version: g.Version}
			if _, seen := found[key]; seen {
				continue
			}
			if found[key] = s.tables.get(key, games[key.GameID]); found[key] == nil {
				missing = append(missing, key)
			}
		}
	}
	if len(missing) == 0 {
		return found, nil
	}
	rules, err := s.catalog.RulesByVersion(ctx, missing)
	if err != nil {
		return nil, err
	}
	for _, key := range missing {
		version, ok := rules[key]
		if !ok {
			return nil, fmt.Errorf("exposure of draws: game %s has no version %d", key.GameID, key.Version)
		}
		found[key] = newTable(games[key.GameID], &version)
		s.tables.put(key, found[key])
	}
	return found, nil
}

// add adds a group to its selection, which may have been sold at several payouts. at has the indexes of the selections.
func (r *DrawRisk) add(at map[bet]int, g *group) {
	b := bet{g.Bet, g.Selection}
	i, known := at[b]
	if !known {
		i = len(r.Selections)
		at[b] = i
		r.Selections = append(r.Selections, Selection{BetType: g.Bet, Selection: g.Selection})
	}
	r.Selections[i].Stake += g.Stake
	r.Selections[i].Liability += g.Liability
}

// riskOf sums the groups of a draw and finds the outcome that costs most.
func riskOf(game *catalog.Game, sold []group, tables map[catalog.RulesKey]*table) *DrawRisk {
	r := &DrawRisk{}
	byVersion, at := map[int][]group{}, make(map[bet]int, len(sold))
	for i := range sold {
		g := &sold[i]
		r.Sales, r.Lines = r.Sales+g.Stake, r.Lines+g.Lines
		r.add(at, g)
		if _, several := tables[catalog.RulesKey{GameID: game.ID, Version: g.Version}].windows[g.Bet]; several {
			r.Windows.Stake, r.Windows.Liability, r.Windows.Lines = r.Windows.Stake+g.Stake, r.Windows.Liability+g.Liability, r.Windows.Lines+g.Lines
			continue
		}
		byVersion[g.Version] = append(byVersion[g.Version], *g)
	}
	var outcomes []catalog.Outcome
	var sums []due
	for version, groups := range byVersion {
		t := tables[catalog.RulesKey{GameID: game.ID, Version: version}]
		if sums == nil {
			outcomes, sums = t.outcomes, make([]due, len(t.outcomes))
		}
		t.count(groups, sums)
	}
	for i := range sums {
		o := Outcome{
			Value: outcomes[i].Value, Sign: outcomes[i].Sign, Stake: sums[i].stake, Liability: sums[i].liability,
			Lines: sums[i].lines,
		}
		if o.Liability > 0 && (r.Worst == nil || byLiability(o, *r.Worst) < 0) {
			r.Worst = &o
		}
	}
	if r.Worst != nil {
		r.Worst.Result, r.Worst.Name = r.Sales-r.Worst.Liability, nameOf(game, r.Worst)
	}
	return r
}
