package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/platform/caller"
	"banca/internal/platform/months"
	"banca/internal/prizes"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
)

// Correct proposes a result that is to supersede a draw's verified result id. It takes effect when a second person
// verifies it. With dryRun, Correct stores nothing and returns the difference that the correction would make; PreviewOf
// returns the difference of a stored proposal. Errors: ErrResultNotFound, ErrNoResult, ErrResultUnchanged,
// ErrResultPending, ErrInvalidOutcome, ErrReasonMissing; with dryRun also ErrSealBroken, with which the verification
// would fail.
func (s *Service) Correct(
	ctx context.Context, by caller.Caller, id uuid.UUID, outcome catalog.Outcome, reason string, dryRun bool,
) (*Result, *Difference, error) {
	reason, err := checkReason(reason)
	if err != nil {
		return nil, nil, err
	}
	if dryRun {
		difference, err := s.previewCorrection(ctx, id, outcome)
		return nil, difference, err
	}
	var entered *Result
	err = s.PG.Retried(ctx, func(tx pgx.Tx) error {
		old, d, err := lockResult(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := s.mayCorrect(ctx, tx, d, old, outcome); err != nil {
			return err
		}
		entered, err = s.enterTx(
			ctx, tx, &proposal{draw: d, outcome: outcome, by: by.UserID, supersedes: old.ID, reason: reason},
		)
		return err
	})
	return entered, nil, err
}

// mayCorrect returns nil if a result may be corrected to an outcome. Errors: ErrNoResult, ErrResultUnchanged,
// months.ErrArchived.
func (s *Service) mayCorrect(ctx context.Context, tx pgx.Tx, d *draw, old *Result, outcome catalog.Outcome) error {
	if old.Status != models.ResultVerified {
		return ErrNoResult
	}
	if err := months.RequireDrawKept(ctx, tx, d.Time); err != nil {
		return err
	}
	game, err := s.Catalog.Game(ctx, d.GameID)
	if err != nil {
		return err
	}
	if checked, _, message := game.CheckOutcome(outcome); message == "" && checked.Equal(&old.Outcome) {
		return ErrResultUnchanged
	}
	return nil
}

// resettleTx settles a settled draw again by a result that supersedes the earlier one: it annuls the winning lines of
// the earlier result, inserts the new ones, decides the tickets again, and passes prizes that were paid wrongly
// to internal/prizes.
func (s *Service) resettleTx(ctx context.Context, tx pgx.Tx, d *draw, r *Result, now time.Time) (*Difference, error) {
	rules, err := catalog.RulesOf(ctx, tx, d.GameID)
	if err != nil {
		return nil, err
	}
	if err := storage.LockSettlements.Take(ctx, tx); err != nil {
		return nil, err
	}
	const createCorrected = `CREATE TEMPORARY TABLE corrected (ticket_id uuid PRIMARY KEY, status text NOT NULL, prize bigint NOT NULL) ON COMMIT DROP`
	if _, err := tx.Exec(ctx, createCorrected); err != nil {
		return nil, fmt.Errorf("correct: %w", err)
	}
	annulled, err := annul(ctx, tx, r, now)
	if err != nil {
		return nil, err
	}
	if err := insertWinningLines(ctx, tx, d.ID, rules, r, now); err != nil {
		return nil, err
	}
	windowed, err := decideWindows(ctx, tx, allWindows, d, r.ID, now)
	if err != nil {
		return nil, err
	}
	if err := redecide(ctx, tx, r, append(annulled, windowed...), now); err != nil {
		return nil, err
	}
	return differenceOf(ctx, tx, r, now)
}

// annul annuls the winning lines on the draw of a result and returns their tickets. It leaves the lines of window bets,
// which decideWindows annuls.
func annul(ctx context.Context, tx pgx.Tx, by *Result, now time.Time) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, `UPDATE winning_lines l SET annulled_by = $2, annulled_at = $3 WHERE l.draw_id = $1 AND l.annulled_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM window_bets b WHERE b.ticket_id = l.ticket_id AND b.line_no = l.line_no) RETURNING l.ticket_id`, by.DrawID, by.ID, now)
	if err != nil {
		return nil, fmt.Errorf("annul winners: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// fillCorrected fills the table decisions with the tickets of a correction.
const fillCorrected = decisionsOf + `SELECT ticket_id FROM corrected ORDER BY 1` + byTheirLines

// redecide sets the state and prize of the tickets of a correction. A paid ticket stays paid: the amount paid too much
// or too little becomes a prize difference. A ticket with a line that is open again becomes pending.
func redecide(ctx context.Context, tx pgx.Tx, r *Result, touched []uuid.UUID, now time.Time) error {
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO corrected SELECT t.id, t.status, t.prize
		FROM (SELECT unnest($1::uuid[]) AS id UNION SELECT ticket_id FROM winning_lines WHERE draw_id = $3 AND result_id = $2) x JOIN tickets t ON t.id = x.id
		WHERE t.status <> 'cancelled' ORDER BY t.id FOR UPDATE OF t`, storage.UUIDs(touched), r.ID, r.DrawID)
	b.Queue(`ANALYZE corrected`)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("lock corrected tickets: %w", err)
	}
	if err := tickets.FillDecisionsTx(ctx, tx, fillCorrected); err != nil {
		return err
	}
	if err := tickets.RedecideTx(ctx, tx, now); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `SELECT ticket_id FROM corrected WHERE status = 'paid'`)
	if err != nil {
		return fmt.Errorf("corrected tickets: %w", err)
	}
	paid, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("corrected tickets: %w", err)
	}
	if len(paid) > 0 {
		if err := prizes.ReviseTx(ctx, tx, r.ID, paid, now); err != nil {
			return err
		}
	}
	return reopen(ctx, tx, `SELECT ticket_id FROM corrected`, r.ID, now)
}
