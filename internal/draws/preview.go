package draws

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/models"
)

// A preview computes the effect of a result's verification with the statements that decide winners and windows. It
// reads one snapshot in a transaction that can write temporary tables only. It takes no lock, so no transaction waits
// for it, even if the draw is large.

// previewCorrection returns what the correction of the result id to outcome would change. Errors: as Correct.
func (s *Service) previewCorrection(ctx context.Context, id uuid.UUID, outcome catalog.Outcome) (*Difference, error) {
	return s.preview(ctx, func(tx pgx.Tx) (*Result, *draw, error) {
		old, d, err := readResult(ctx, tx, id)
		if err != nil {
			return nil, nil, err
		}
		if err := s.mayCorrect(ctx, tx, d, old, outcome); err != nil {
			return nil, nil, err
		}
		checked, err := s.validateTyped(ctx, tx, d, outcome, s.Clock.Now())
		return &Result{DrawID: d.ID, Outcome: checked}, d, err
	})
}

// PreviewOf returns the effect of verifying a proposed result. Errors: ErrResultNotFound, ErrResultClosed,
// ErrResultExists, ErrSealBroken.
func (s *Service) PreviewOf(ctx context.Context, id uuid.UUID) (*Difference, error) {
	return s.preview(ctx, func(tx pgx.Tx) (*Result, *draw, error) {
		r, d, err := readResult(ctx, tx, id)
		if err != nil {
			return nil, nil, err
		}
		return r, d, s.mayVerify(ctx, tx, d, r, uuid.Nil, nil)
	})
}

const (
	// createPreview makes the tables of a preview, and then makes the transaction read-only except for them.
	createPreview = `
		CREATE TEMPORARY TABLE would_win (ticket_id uuid, line_no smallint, prize bigint) ON COMMIT DROP;
		CREATE TEMPORARY TABLE would_window (ticket_id uuid, line_no smallint, state text, prize bigint) ON COMMIT DROP;
		CREATE TEMPORARY TABLE would_touch (ticket_id uuid) ON COMMIT DROP;
		SET TRANSACTION READ ONLY`

	// fillTouched selects the tickets that win on the draw, would win, or have a window bet that changes.
	fillTouched = `
		INSERT INTO would_touch SELECT ticket_id FROM winning_lines l WHERE l.draw_id = $1 AND l.annulled_at IS NULL
		UNION SELECT ticket_id FROM would_win UNION SELECT ticket_id FROM would_window`

	// sumPreview sums the changes that the verification would make.
	sumPreview = `
		WITH wins AS (
			SELECT l.ticket_id, l.line_no, l.prize, l.draw_id, w.ticket_id IS NOT NULL AS redecided, b.ticket_id IS NOT NULL AS windowed
			FROM would_touch c JOIN winning_lines l ON l.ticket_id = c.ticket_id AND l.annulled_at IS NULL
			LEFT JOIN would_window w ON w.ticket_id = l.ticket_id AND w.line_no = l.line_no
			LEFT JOIN window_bets b ON b.ticket_id = l.ticket_id AND b.line_no = l.line_no
		), lines AS (
			SELECT ticket_id, CASE WHEN draw_id = $1 OR redecided THEN prize ELSE 0 END AS before,
				CASE WHEN draw_id = $1 AND windowed AND NOT redecided THEN prize ELSE 0 END AS after,
				CASE WHEN redecided OR draw_id = $1 AND NOT windowed THEN 0 ELSE prize END AS due FROM wins
			UNION ALL SELECT ticket_id, 0, prize, prize FROM would_win
			UNION ALL SELECT ticket_id, 0, prize, prize FROM would_window WHERE state = 'won'
		), decided AS (
			SELECT c.ticket_id, bool_and(d.status IN ('settled', 'suspended')) AND NOT EXISTS (
				SELECT 1 FROM window_bets b LEFT JOIN would_window w ON w.ticket_id = b.ticket_id AND w.line_no = b.line_no
				WHERE b.ticket_id = c.ticket_id AND coalesce(w.state, b.state) = 'pending') AS yes
			FROM would_touch c JOIN ticket_lines i ON i.ticket_id = c.ticket_id JOIN draws d ON d.id = i.draw_id GROUP BY c.ticket_id
		), touched AS (
			SELECT l.ticket_id, sum(l.before) AS before, sum(l.after) AS after, NOT d.yes AND t.status <> 'paid' AS undecided, sum(l.due) AS due
			FROM lines l JOIN decided d ON d.ticket_id = l.ticket_id JOIN tickets t ON t.id = l.ticket_id GROUP BY l.ticket_id, d.yes, t.status
		)` + sumChanges
)

// preview returns the difference that the result returned by propose would make. The difference is empty if the draw is
// not settled yet. If the seal is broken, preview adds an alert unless the draw has one of that kind. Errors:
// ErrSealBroken.
func (s *Service) preview(ctx context.Context, propose func(tx pgx.Tx) (*Result, *draw, error)) (*Difference, error) {
	difference, drawID := &Difference{}, uuid.Nil
	err := pgx.BeginTxFunc(ctx, s.PG.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, longTx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, createPreview); err != nil {
			return fmt.Errorf("preview: %w", err)
		}
		r, d, err := propose(tx)
		if err != nil || d.Status != models.DrawSettled {
			return err
		}
		drawID = d.ID
		if err := requireSeal(ctx, tx, d.ID); err != nil {
			return err
		}
		difference, err = previewTx(ctx, tx, d, r)
		return err
	})
	if errors.Is(err, ErrSealBroken) { // a preview does not reopen an acknowledged alert
		err = errors.Join(err, s.alertOnce(ctx, drawID, models.AlertSealBroken))
	}
	if err != nil {
		return nil, err
	}
	return difference, nil
}

func previewTx(ctx context.Context, tx pgx.Tx, d *draw, r *Result) (*Difference, error) {
	rules, err := catalog.RulesOf(ctx, tx, d.GameID)
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO would_win SELECT ticket_id, line_no, prize `+fromWinners, winnerArgs(d.ID, rules, r)...); err != nil {
		return nil, fmt.Errorf("preview winners: %w", err)
	}
	windows, err := windowsOf(ctx, tx, allWindows, d)
	if err != nil {
		return nil, err
	}
	for i := range windows {
		drawn, over, err := drawnIn(ctx, tx, d.GameID, &windows[i], override{draw: d.ID, value: r.Outcome.Value})
		if err != nil {
			return nil, err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO would_window `+changedBets, changedArgs(&windows[i], drawn, over)...); err != nil {
			return nil, fmt.Errorf("preview windows: %w", err)
		}
	}
	for _, sql := range []string{`ANALYZE would_win`, `ANALYZE would_window`} {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return nil, fmt.Errorf("preview: %w", err)
		}
	}
	if _, err := tx.Exec(ctx, fillTouched, d.ID); err != nil {
		return nil, fmt.Errorf("preview tickets: %w", err)
	}
	if _, err := tx.Exec(ctx, `ANALYZE would_touch`); err != nil {
		return nil, fmt.Errorf("preview: %w", err)
	}
	return differenceBy(ctx, tx, sumPreview, d.ID)
}

// readResult reads a result and its draw without a lock. Errors: ErrResultNotFound.
func readResult(ctx context.Context, tx pgx.Tx, id uuid.UUID) (*Result, *draw, error) {
	r, err := resultBy(ctx, tx, `WHERE r.id = $1`, id)
	if err != nil {
		return nil, nil, err
	}
	d, err := readDraw(ctx, tx, r.DrawID, "")
	return r, d, err
}
