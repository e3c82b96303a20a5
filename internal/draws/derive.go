package draws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/catalog"
	"banca/models"
	"banca/storage"
)

// Derive computes the results that derive from the verified result id. It finds the draws at the same instant in games
// that derive their results from this game, and verifies the derived result of each. It corrects a result that was
// derived from an earlier version. It does not change a result of another origin, and adds an alert if that differs. A
// superseded result is ignored. Derive is idempotent. Errors: ErrResultNotFound, and ErrNotClosed while a derived draw
// still sells.
func (s *Service) Derive(ctx context.Context, id uuid.UUID) error {
	base, err := resultBy(ctx, s.PG.Pool, `WHERE r.id = $1`, id)
	if err != nil || base.Status != models.ResultVerified {
		return err
	}
	derived, err := s.ids(ctx, `SELECT d.id FROM draws d JOIN games g ON g.id = d.game_id JOIN games b ON b.short_code = g.mechanics -> 'derived_from' ->> 'game'
		WHERE b.id = $1 AND d.draw_time = $2 AND d.status <> $3`, base.Game.ID, base.Draw.Time, models.DrawSuspended)
	if err != nil {
		return fmt.Errorf("derived draws: %w", err)
	}
	var failures []error
	for _, drawID := range derived {
		failures = append(failures, s.deriveOne(ctx, base, drawID))
	}
	return errors.Join(failures...)
}

func (s *Service) deriveOne(ctx context.Context, base *Result, drawID uuid.UUID) error {
	var verified *Result
	var difference *Difference
	err := s.inLongTx(ctx, func(tx pgx.Tx) error {
		verified, difference = nil, nil
		if err := storage.LockDraws(ctx, tx, []uuid.UUID{drawID}); err != nil {
			return err
		}
		d, err := lockDraw(ctx, tx, drawID)
		if err != nil {
			return err
		}
		p, err := s.derivation(ctx, tx, base, d)
		if err != nil || p == nil {
			return err
		}
		if verified, err = insertResult(ctx, tx, p); err != nil {
			return err
		}
		if difference, err = s.verifyTx(ctx, tx, d, verified, uuid.Nil); err != nil {
			return err
		}
		return s.recordTx(ctx, tx, activity.ResultsDerive, verified)
	})
	if err != nil {
		return fmt.Errorf("derive result of draw %s: %w", drawID, s.alertSealBroken(ctx, drawID, err))
	}
	if verified != nil {
		s.publishVerified(ctx, verified, difference)
	}
	return nil
}

// derivation returns the result to insert for a derived draw, or nil if there is none.
func (s *Service) derivation(ctx context.Context, tx pgx.Tx, base *Result, d *draw) (*proposal, error) {
	// The base result may have been corrected, and derived from, while this waited for the draw's lock.
	base, err := resultBy(ctx, tx, `WHERE r.id = $1`, base.ID)
	if err != nil || base.Status != models.ResultVerified {
		return nil, err
	}
	now := s.Clock.Now().Truncate(time.Microsecond)
	if err := d.mayHaveResult(now); err != nil {
		return nil, err
	}
	game, err := s.Catalog.Game(ctx, d.GameID)
	if err != nil {
		return nil, err
	}
	from := game.Mechanics().DerivedFrom
	if from == nil { // the mechanics changed after the draw was listed
		return nil, nil //nolint:nilnil // no result to insert is no error
	}
	outcome, _, message := game.CheckOutcome(from.Derive(&base.Outcome))
	if message != "" {
		return nil, s.alertTx(ctx, tx, d.ID, models.AlertMalformed, "derived result: "+string(message))
	}
	if d.ResultID != uuid.Nil {
		current, err := resultBy(ctx, tx, `WHERE r.id = $1`, d.ResultID)
		switch {
		case err != nil || current.Outcome.Equal(&outcome):
			return nil, err
		case current.Origin != models.ResultDerived:
			return nil, s.alertTx(ctx, tx, d.ID, models.AlertDiffers, derivedSource+": "+outcome.String()+verifiedMark+current.Outcome.String())
		}
	}
	return derivedProposal(base, d, outcome, now)
}

func derivedProposal(base *Result, d *draw, outcome catalog.Outcome, now time.Time) (*proposal, error) {
	evidence, err := json.Marshal(map[string]string{"result_id": base.ID.String(), "result": base.Outcome.String()})
	if err != nil {
		return nil, err
	}
	return &proposal{
		draw: d, outcome: outcome, origin: models.ResultDerived, source: base.Game.Name, evidence: evidence, supersedes: d.ResultID,
		reason: "derived", at: now,
	}, nil
}
