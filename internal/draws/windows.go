package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/models"
	"banca/storage"
)

// A window bet (dupleta, tripleta) is a bet on several elements. Its window is the draw it was sold on and a number of
// following draws of the game. A suspended draw does not count: the window then ends one draw later. A bet wins as soon
// as all its elements were drawn in the window, and loses when the window is over.

// insertWindowBets copies the window bets of a draw that is being settled to window_bets, from which they are decided.
func insertWindowBets(ctx context.Context, tx pgx.Tx, d *draw, rules []catalog.Rules) error {
	var versions, counts storage.Integers
	var bets storage.Texts
	for i := range rules {
		for bet, n := range rules[i].Windows() {
			versions, bets, counts = append(versions, int32(rules[i].Version)), append(bets, bet), append(counts, int32(n))
		}
	}
	if len(bets) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO window_bets (ticket_id, line_no, game_id, draw_id, draw_time, draws, codes, prize)
		SELECT i.ticket_id, i.line_no, $2, $1, $3, w.n, string_to_array(i.selection, ','), i.potential_prize
		FROM unnest($4::integer[], $5::text[], $6::integer[]) AS w (version, bet, n)
		JOIN ticket_lines i ON i.draw_id = $1 AND i.rule_version = w.version AND i.bet_type = w.bet
		JOIN tickets t ON t.id = i.ticket_id AND t.status <> 'cancelled'
		ON CONFLICT DO NOTHING`, d.ID, d.GameID, d.Time, versions, bets, counts)
	if err != nil {
		return fmt.Errorf("insert window bets: %w", err)
	}
	return nil
}

// window is the first draw of window bets and the number of their draws.
type window struct {
	DrawID uuid.UUID
	Time   time.Time
	Draws  int
}

// openWindows are the windows of a game that are not decided yet.
const openWindows = `SELECT DISTINCT draw_id, draw_time, draws FROM window_bets WHERE game_id = $1 AND state = 'pending' AND draw_time <= $2`

// allWindows selects the windows, decided or not, that may contain a draw at a time: a correction decides them again.
// The limit of 100 draws is the maximum length of a window (internal/catalog/schemas/betting_rules.json).
const allWindows = `SELECT DISTINCT draw_id, draw_time, draws FROM window_bets WHERE game_id = $1 AND draw_time <= $2 AND draw_time >= (
	SELECT min(draw_time) FROM (SELECT draw_time FROM draws WHERE game_id = $1 AND draw_time <= $2 AND status <> 'suspended' ORDER BY draw_time DESC LIMIT 100) d)`

// decideWindows decides the window bets of a game whose windows the statement which selects. The winning lines that it
// inserts or annuls refer to result. It returns the tickets of the changed bets.
func decideWindows(ctx context.Context, tx pgx.Tx, which string, d *draw, result uuid.UUID, now time.Time) ([]uuid.UUID, error) {
	windows, err := windowsOf(ctx, tx, which, d)
	if err != nil {
		return nil, err
	}
	var changed []uuid.UUID
	for i := range windows {
		w := &windows[i]
		drawn, over, err := drawnIn(ctx, tx, d.GameID, w, override{})
		if err != nil {
			return nil, err
		}
		tickets, err := decideWindow(ctx, tx, w, drawn, over, d.ID, result, now)
		if err != nil {
			return nil, err
		}
		changed = append(changed, tickets...)
	}
	return changed, nil
}

// windowsOf lists the windows that which selects.
func windowsOf(ctx context.Context, tx pgx.Tx, which string, d *draw) ([]window, error) {
	rows, err := tx.Query(ctx, which, d.GameID, d.Time)
	if err != nil {
		return nil, fmt.Errorf("windows: %w", err)
	}
	windows, err := pgx.CollectRows(rows, pgx.RowToStructByPos[window])
	if err != nil {
		return nil, fmt.Errorf("windows: %w", err)
	}
	return windows, nil
}

// override replaces the result of one draw in a preview. The zero override replaces none.
type override struct {
	draw  uuid.UUID
	value string
}

// drawnIn returns the results in a window so far, and whether the window is over. It uses the results of settled draws
// only: the correction of another result decides no window bet again.
func drawnIn(ctx context.Context, tx pgx.Tx, game uuid.UUID, w *window, other override) (values []string, over bool, err error) {
	rows, err := tx.Query(ctx, `SELECT CASE WHEN d.id = $6 THEN $7::text ELSE coalesce(r.value, '') END FROM (
			SELECT id, CASE WHEN status = $5 THEN result_id END AS result_id, draw_time FROM draws WHERE game_id = $1 AND draw_time >= $2 AND status <> $3 ORDER BY draw_time, id LIMIT $4
		) d LEFT JOIN results r ON r.id = d.result_id ORDER BY d.draw_time, d.id`, game, w.Time, models.DrawSuspended, w.Draws, models.DrawSettled, other.draw, other.value)
	if err != nil {
		return nil, false, fmt.Errorf("draws of window: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, false, fmt.Errorf("draws of window: %w", err)
	}
	over = len(all) == w.Draws
	for _, v := range all {
		if v == "" {
			over = false
			continue
		}
		values = append(values, v)
	}
	return values, over, nil
}

// changedBets selects the bets of a window whose state changes, with the state that follows from the results.
const changedBets = `SELECT ticket_id, line_no, state, prize FROM (
		SELECT ticket_id, line_no, prize, state AS before, CASE WHEN codes <@ $3::text[] THEN 'won' WHEN $4 THEN 'lost' ELSE 'pending' END AS state
		FROM window_bets WHERE draw_id = $1 AND draws = $2
	) decided WHERE state <> before`

func changedArgs(w *window, drawn []string, over bool) []any {
	return []any{w.DrawID, w.Draws, storage.Texts(drawn), over}
}

// decideWindow updates the states of the bets of a window, inserts and annuls their winning lines, and returns the
// tickets of the changed bets.
func decideWindow(ctx context.Context, tx pgx.Tx, w *window, drawn []string, over bool, drawID, result uuid.UUID, now time.Time) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, `
		WITH decided AS (`+changedBets+`), changed AS (
			UPDATE window_bets b SET state = n.state FROM decided n
			WHERE b.ticket_id = n.ticket_id AND b.line_no = n.line_no
			RETURNING b.ticket_id, b.line_no, b.state, b.prize
		), annulled AS (
			UPDATE winning_lines l SET annulled_by = $6, annulled_at = $7 FROM changed c
			WHERE l.ticket_id = c.ticket_id AND l.line_no = c.line_no AND l.annulled_at IS NULL AND c.state <> 'won'
		), filed AS (
			INSERT INTO winning_lines (ticket_id, line_no, result_id, draw_id, prize, created_at)
			SELECT ticket_id, line_no, $6, $5, prize, $7 FROM changed WHERE state = 'won' AND prize > 0
		)
		SELECT DISTINCT ticket_id FROM changed`, append(changedArgs(w, drawn, over), drawID, result, now)...)
	if err != nil {
		return nil, fmt.Errorf("decide window: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
