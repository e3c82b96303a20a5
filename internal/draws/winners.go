package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/storage"
)

// fromWinners finds the winning lines of a draw: the engine's winners, by version, bet and selection, are joined with
// the sold lines. The prize is the stake times the payout as the line was sold, adjusted by the additions to the
// outcome; the product is exact and rounded down once, as by catalog.Adjustment.
const fromWinners = `FROM (
		SELECT i.ticket_id, i.line_no, floor(i.amount::numeric * (CASE WHEN w.set_to > 0 THEN w.set_to ELSE i.payout END + w.add_on) * w.multiply::numeric * 0.01)::bigint AS prize
		FROM unnest($2::integer[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[]) AS w (version, bet, selection, set_to, add_on, multiply)
		JOIN ticket_lines i ON i.draw_id = $1 AND i.rule_version = w.version AND i.bet_type = w.bet AND i.selection = w.selection
		JOIN tickets t ON t.id = i.ticket_id AND t.status <> 'cancelled'
	) won WHERE prize > 0`

const insertWinners = `INSERT INTO winning_lines (ticket_id, line_no, result_id, draw_id, prize, created_at)
	SELECT ticket_id, line_no, $8, $1, prize, $9 ` + fromWinners

// fileWinners files the winners of a result among the bets that one draw decides.
func fileWinners(ctx context.Context, tx pgx.Tx, drawID uuid.UUID, rules []catalog.Rules, r *Result, now time.Time) error {
	if _, err := tx.Exec(ctx, insertWinners, append(winnerArgs(drawID, rules, r), r.ID, now)...); err != nil {
		return fmt.Errorf("file winners: %w", err)
	}
	return nil
}

// winnerArgs are the parameters of fromWinners.
func winnerArgs(drawID uuid.UUID, rules []catalog.Rules, r *Result) []any {
	var versions storage.Integers
	var bets, selections, multiplies storage.Texts
	var sets, adds storage.Bigints
	for i := range rules {
		for _, w := range rules[i].Winners(&r.Outcome) {
			versions, bets, selections = append(versions, int32(rules[i].Version)), append(bets, w.BetType), append(selections, w.Selection)
			sets, adds, multiplies = append(sets, int64(w.Set)), append(adds, int64(w.Add)), append(multiplies, w.Decimal())
		}
	}
	return []any{drawID, versions, bets, selections, sets, adds, multiplies}
}
