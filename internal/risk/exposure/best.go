package exposure

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/platform/money"
	"banca/storage"
)

// Ticket names the lines of a ticket that can still win.
type Ticket struct {
	ID      uuid.UUID
	Decided []uuid.UUID // draws whose lines can win no more, except bets over several draws
	Won     []int       // lines that have won
}

// Best returns the most that the lines of a ticket can still win: on each draw the prizes of the outcome that pays most, and every bet over
// several draws. Wildcards and flags, which a draw announces with its result, are not in it.
func (s *Service) Best(ctx context.Context, t *Ticket) (money.Amount, error) {
	type line struct {
		Draw DrawOf
		group
	}
	lines, err := storage.Collect(ctx, s.pg.Pool, "lines of ticket", func(row pgx.CollectableRow) (l line, err error) {
		l.Lines = 1
		err = row.Scan(&l.Draw.DrawID, &l.Draw.GameID, &l.Version, &l.Bet, &l.Selection, &l.Payout, &l.Stake, &l.Liability)
		return l, err
	}, `SELECT draw_id, game_id, rule_version, bet_type, selection, payout, amount, potential_prize FROM ticket_lines
		WHERE ticket_id = $1 AND line_no <> ALL ($2)`, t.ID, append([]int{}, t.Won...))
	if err != nil {
		return 0, err
	}
	var draws []DrawOf
	sold := map[uuid.UUID][]group{}
	for i := range lines {
		if l := &lines[i]; sold[l.Draw.DrawID] == nil {
			draws = append(draws, l.Draw)
		}
		sold[lines[i].Draw.DrawID] = append(sold[lines[i].Draw.DrawID], lines[i].group)
	}
	games, err := s.gamesOf(ctx, draws)
	if err != nil {
		return 0, err
	}
	tables, err := s.tablesOf(ctx, draws, games, sold)
	if err != nil {
		return 0, err
	}
	var best money.Amount
	for i := range draws {
		best += bestOf(games[draws[i].GameID], sold[draws[i].DrawID], tables, slices.Contains(t.Decided, draws[i].DrawID))
	}
	return best, nil
}

// bestOf is the most that the lines of a ticket can win on a draw, with its bets over several draws.
func bestOf(game *catalog.Game, sold []group, tables map[catalog.RulesKey]*table, decided bool) money.Amount {
	risk := riskOf(game, sold, tables)
	if decided || risk.Worst == nil {
		return risk.Windows.Liability
	}
	return risk.Windows.Liability + risk.Worst.Liability
}
