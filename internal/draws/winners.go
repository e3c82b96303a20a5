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

// fromWinners selects the winning lines of a draw: it joins the engine's winners, by rule version, bet type and
// selection, with the sold lines. The prize is the stake times the payout the line was sold with, changed by the
// adjustments of the outcome. The product is exact and rounded down once, as by catalog.Adjustment.
const fromWinners = `FROM (
		SELECT i.ticket_id, i.line_no, floor(i.amount::numeric * (CASE WHEN w.set_to > 0 THEN w.set_to ELSE i.payout END + w.add_on) * w.multiply::numeric * 0.01)::bigint AS prize
		FROM unnest($2::integer[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[]) AS w (version, bet, selection, set_to, add_on, multiply)
		JOIN ticket_lines i ON i.draw_id = $1 AND i.rule_version = w.version AND i.bet_type = w.bet AND i.selection = w.selection
		JOIN tickets t ON t.id = i.ticket_id AND t.status <> 'cancelled'
	) won WHERE prize > 0`

const winningLinesSQL = `INSERT INTO winning_lines (ticket_id, line_no, result_id, draw_id, prize, created_at)
	SELECT ticket_id, line_no, $8, $1, prize, $9 ` + fromWinners

// insertWinningLines inserts the winning lines of a result, without those of window bets.
func insertWinningLines(ctx context.Context, tx pgx.Tx, drawID uuid.UUID, rules []catalog.Rules, r *Result, now time.Time) error {
	if _, err := tx.Exec(ctx, winningLinesSQL, append(winnerArgs(drawID, rules, r), r.ID, now)...); err != nil {
		return fmt.Errorf("insert winning lines: %w", err)
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
