package draws

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/models"
)

// maxReason bounds a reason, in characters.
const maxReason = 500

// proposal is a result to insert.
type proposal struct {
	draw       *draw
	outcome    catalog.Outcome // canonical
	origin     string
	source     string
	evidence   []byte // JSON object; nil for none
	supersedes uuid.UUID
	reason     string
	by         uuid.UUID // Nil unless typed
	at         time.Time
}

// Enter proposes a result that a person typed. It takes effect when a second person verifies it. Errors:
// ErrDrawNotFound, ErrNotClosed, ErrNotHeld, ErrSuspended, ErrInvalidOutcome, ErrResultExists, ErrResultPending.
func (s *Service) Enter(
	ctx context.Context, by caller.Caller, drawID uuid.UUID, outcome catalog.Outcome,
) (*Result, error) {
	var entered *Result
	err := s.PG.Retried(ctx, func(tx pgx.Tx) error {
		d, err := lockDraw(ctx, tx, drawID)
		if err != nil {
			return err
		}
		if d.ResultID != uuid.Nil {
			return ErrResultExists
		}
		entered, err = s.enterTx(ctx, tx, &proposal{draw: d, outcome: outcome, by: by.UserID})
		return err
	})
	return entered, err
}

// enterTx inserts a typed result as a proposal and records it in the activity log.
func (s *Service) enterTx(ctx context.Context, tx pgx.Tx, p *proposal) (*Result, error) {
	var err error
	p.at, p.origin = s.Clock.Now().Truncate(time.Microsecond), models.ResultTyped
	if p.outcome, err = s.validateTyped(ctx, tx, p.draw, p.outcome, p.at); err != nil {
		return nil, err
	}
	r, err := insertResult(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	return r, s.recordTx(ctx, tx, activity.ResultsEnter, r)
}

// validateTyped validates an outcome that a person typed for a draw and returns its canonical form. Errors:
// ErrNotClosed, ErrNotHeld, ErrSuspended, ErrInvalidOutcome, ErrResultPending.
func (s *Service) validateTyped(
	ctx context.Context, tx pgx.Tx, d *draw, outcome catalog.Outcome, now time.Time,
) (catalog.Outcome, error) {
	if err := d.mayHaveResult(now); err != nil {
		return outcome, err
	}
	game, err := s.Catalog.Game(ctx, d.GameID)
	if err != nil {
		return outcome, err
	}
	checked, location, message := game.CheckOutcome(outcome)
	if message != "" {
		return outcome, ErrInvalidOutcome.WithDetails(apperr.Detail{Location: location, Message: message})
	}
	var open bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM results WHERE draw_id = $1 AND status = $2 AND origin = $3)`,
		d.ID, models.ResultProposed, models.ResultTyped).Scan(&open); err != nil {
		return outcome, err
	}
	if open {
		return outcome, ErrResultPending
	}
	return checked, nil
}

// insertResult inserts a proposal as the next version of the draw's result. The caller has locked the draw's row.
func insertResult(ctx context.Context, tx pgx.Tx, p *proposal) (*Result, error) {
	id := uuid.Must(uuid.NewV7())
	evidence, flags := p.evidence, p.outcome.Flags
	if evidence == nil {
		evidence = []byte("{}")
	}
	if flags == nil {
		flags = []string{}
	}
	_, err := tx.Exec(ctx, `INSERT INTO results (id, draw_id, version, value, sign, wildcard, flags, status, origin, source, evidence, supersedes, reason, entered_by, entered_at)
		SELECT $1, $2, coalesce(max(version), 0) + 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 FROM results WHERE draw_id = $2`,
		id, p.draw.ID, p.outcome.Value, p.outcome.Sign, p.outcome.Wildcard, flags, models.ResultProposed, p.origin,
		p.source, evidence,
		models.Optional(p.supersedes), p.reason, models.Optional(p.by), p.at)
	if err != nil {
		return nil, fmt.Errorf("insert result: %w", err)
	}
	return resultBy(ctx, tx, `WHERE r.id = $1`, id)
}

// Reject closes a proposed result, which then cannot be verified. Errors: ErrResultNotFound, ErrResultClosed,
// ErrReasonMissing.
func (s *Service) Reject(ctx context.Context, by caller.Caller, id uuid.UUID, reason string) (*Result, error) {
	reason, err := checkReason(reason)
	if err != nil {
		return nil, err
	}
	var rejected *Result
	err = s.PG.Retried(ctx, func(tx pgx.Tx) error {
		r, _, err := lockResult(ctx, tx, id)
		if err != nil {
			return err
		}
		if r.Status != models.ResultProposed {
			return ErrResultClosed
		}
		_, err = tx.Exec(ctx, `UPDATE results SET status = $2, closed_by = $3, closed_at = $4, reason = $5 WHERE id = $1`,
			id, models.ResultRejected, by.UserID, s.Clock.Now(), reason)
		if err != nil {
			return fmt.Errorf("reject result: %w", err)
		}
		if rejected, err = resultBy(ctx, tx, `WHERE r.id = $1`, id); err != nil {
			return err
		}
		return s.recordTx(ctx, tx, activity.ResultsReject, rejected)
	})
	return rejected, err
}

// lockResult locks a result's draw and then reads both. Errors: ErrResultNotFound.
func lockResult(ctx context.Context, tx pgx.Tx, id uuid.UUID) (*Result, *draw, error) {
	drawID, err := drawOfResult(ctx, tx, id)
	if err != nil {
		return nil, nil, err
	}
	d, err := lockDraw(ctx, tx, drawID)
	if err != nil {
		return nil, nil, err
	}
	r, err := resultBy(ctx, tx, `WHERE r.id = $1`, id)
	return r, d, err
}

func drawOfResult(ctx context.Context, tx pgx.Tx, id uuid.UUID) (drawID uuid.UUID, err error) {
	err = tx.QueryRow(ctx, `SELECT draw_id FROM results WHERE id = $1`, id).Scan(&drawID)
	if errors.Is(err, pgx.ErrNoRows) {
		return drawID, ErrResultNotFound
	}
	return drawID, err
}

func checkReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" || utf8.RuneCountInString(reason) > maxReason || !utf8.ValidString(reason) || strings.ContainsRune(reason, 0) {
		return "", ErrReasonMissing
	}
	return reason, nil
}

// recordTx adds an entry about a result to the activity log.
func (s *Service) recordTx(ctx context.Context, tx pgx.Tx, action activity.Action, r *Result) error {
	return activity.RecordOperatorTx(ctx, tx, activity.Entry{
		Action: action, Target: r.ID.String(),
		Details: map[string]any{"draw_id": r.DrawID, "game": r.Game.Name, "result": r.Outcome.String(), "version": r.Version, "reason": r.Reason},
	})
}
