package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/catalog"
	"banca/internal/drawstate"
	"banca/internal/platform/caller"
	"banca/internal/platform/months"
	"banca/internal/platform/realtime"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// Verify makes a proposed result the draw's result. The verifier must be another person than the one who typed it.
// retyped, if not nil, is the value that the verifier read from the source, and must be equal to the result. The
// verification of a correction settles the draw again in the same transaction. Errors: ErrResultNotFound,
// ErrResultClosed, ErrSamePerson, ErrResultMismatch, ErrResultExists, ErrSealBroken, months.ErrArchived.
func (s *Service) Verify(
	ctx context.Context, by caller.Caller, id uuid.UUID, retyped *catalog.Outcome,
) (*Result, *Difference, error) {
	var verified *Result
	var difference *Difference
	var drawID uuid.UUID
	err := s.inLongTx(ctx, func(tx pgx.Tx) (err error) {
		if drawID, err = drawOfResult(ctx, tx, id); err != nil {
			return err
		}
		if err := storage.LockDraws(ctx, tx, []uuid.UUID{drawID}); err != nil {
			return err
		}
		r, d, err := lockResult(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := s.mayVerify(ctx, tx, d, r, by.UserID, retyped); err != nil {
			return err
		}
		if difference, err = s.verifyTx(ctx, tx, d, r, by.UserID); err != nil {
			return err
		}
		if verified, err = resultBy(ctx, tx, `WHERE r.id = $1`, id); err != nil {
			return err
		}
		return s.recordTx(ctx, tx, activity.ResultsVerify, verified)
	})
	if err != nil {
		return nil, nil, s.alertSealBroken(ctx, drawID, err)
	}
	s.publishVerified(ctx, verified, difference)
	return verified, difference, nil
}

func (s *Service) mayVerify(
	ctx context.Context, tx pgx.Tx, d *draw, r *Result, by uuid.UUID, retyped *catalog.Outcome,
) error {
	switch {
	case r.Status != models.ResultProposed:
		return ErrResultClosed
	case d.ResultID != r.Supersedes: // another result was verified since the proposal
		return ErrResultExists
	}
	if err := s.requireSecondPerson(ctx, tx, r.EnteredBy, by); err != nil {
		return err
	}
	if err := d.mayHaveResult(s.Clock.Now()); err != nil {
		return err
	}
	if retyped == nil {
		return nil
	}
	game, err := s.Catalog.Game(ctx, d.GameID)
	if err != nil {
		return err
	}
	if checked, _, message := game.CheckOutcome(*retyped); message != "" || !checked.Equal(&r.Outcome) {
		return ErrResultMismatch
	}
	return nil
}

// verifyTx makes r the verified result of d, which is locked. If d is settled, verifyTx settles it again and returns
// the difference; otherwise it enqueues the settlement and returns nil. by is Nil if a policy verifies.
func (s *Service) verifyTx(ctx context.Context, tx pgx.Tx, d *draw, r *Result, by uuid.UUID) (*Difference, error) {
	if d.Status == models.DrawSettled {
		if err := months.RequireDrawKept(ctx, tx, d.Time); err != nil {
			return nil, err
		}
		if err := requireSeal(ctx, tx, d.ID); err != nil {
			return nil, err
		}
	}
	now := s.Clock.Now().Truncate(time.Microsecond)
	b := &pgx.Batch{}
	if d.ResultID != uuid.Nil {
		b.Queue(
			`UPDATE results SET status = $2, closed_at = $3, closed_by = $4 WHERE id = $1`, d.ResultID,
			models.ResultSuperseded, now, models.Optional(by),
		)
	}
	b.Queue(`UPDATE results SET status = $3, closed_at = $4, reason = 'another result was verified' WHERE draw_id = $1 AND status = $5 AND id <> $2`,
		d.ID, r.ID, models.ResultRejected, now, models.ResultProposed)
	b.Queue(
		`UPDATE results SET status = $2, verified_by = $3, verified_at = $4 WHERE id = $1`, r.ID, models.ResultVerified,
		models.Optional(by), now,
	)
	drawstate.QueueResult(b, d.ID, r.ID, now)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return nil, fmt.Errorf("verify result: %w", err)
	}
	var difference *Difference
	follow := []tasks.Args{tasks.ResultDerive{ResultID: r.ID}}
	if d.Status == models.DrawSettled {
		var err error
		if difference, err = s.resettleTx(ctx, tx, d, r, now); err != nil {
			return nil, err
		}
		follow = append(follow, noticeOf(d, now))
	} else {
		follow = append(follow, tasks.DrawSettle{DrawID: d.ID})
	}
	return difference, enqueueTx(ctx, tx, follow...)
}

func enqueueTx(ctx context.Context, tx pgx.Tx, list ...tasks.Args) error {
	rows := make([]outbox.Row, len(list))
	for i, args := range list {
		var err error
		if rows[i], err = outbox.NewRow(args); err != nil {
			return err
		}
	}
	return outbox.EnqueueTx(ctx, tx, rows...)
}

// publishVerified publishes a verified result to all clients, and the changed tickets of a correction to their sellers.
func (s *Service) publishVerified(ctx context.Context, r *Result, difference *Difference) {
	s.Wake()
	s.Events.Publish(ctx, realtime.Everybody(), realtime.EventOf(s.Clock.Now(), realtime.PublishedResult{
		DrawID: r.DrawID, GameID: r.Game.ID, Number: r.Draw.Number, ResultID: r.ID, Version: r.Version,
		Value: r.Outcome.Value, Sign: r.Outcome.Sign, Wildcard: r.Outcome.Wildcard, Flags: r.Outcome.Flags,
	}))
	if difference != nil {
		s.publishChanged(ctx, difference.changed)
	}
}

// maxPublished bounds the tickets for which a settlement publishes an event. Sellers of other tickets read them again
// when the result is published.
const maxPublished = 2_000

func (s *Service) publishChanged(ctx context.Context, changed []tickets.Changed) {
	now := s.Clock.Now()
	for _, t := range changed {
		s.Events.Publish(
			ctx, realtime.Entity(t.EntityID),
			realtime.EventOf(now, realtime.UpdatedTicket{TicketID: t.ID, Status: t.Status}),
		)
	}
}

// longTx sets the timeout of one statement of a settlement, which may change a hundred thousand tickets. It also makes
// Postgres plan each statement for its parameters, because the generic plan for a list of tickets is quadratic.
const longTx = `SELECT set_config('statement_timeout', '240s', true), set_config('plan_cache_mode', 'force_custom_plan', true)`

// inLongTx is storage.Postgres.Retried with the settings longTx, for a transaction that may contain a settlement.
func (s *Service) inLongTx(ctx context.Context, fn func(tx pgx.Tx) error) error {
	return s.PG.Retried(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, longTx); err != nil {
			return err
		}
		return fn(tx)
	})
}
