package draws

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/drawstate"
	"banca/internal/platform/caller"
	"banca/internal/platform/realtime"
	"banca/internal/sales"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
	"banca/tasks"
)

// Suspend ends a draw that has no result: its sales are refused at once, and a task refunds them. Suspending a
// suspended draw is a no-op. Errors: ErrDrawNotFound, ErrCannotSuspend, ErrReasonMissing.
func (s *Service) Suspend(ctx context.Context, by caller.Caller, id uuid.UUID, reason string) error {
	reason, err := checkReason(reason)
	if err != nil {
		return err
	}
	suspended := &suspendedDraw{}
	err = s.PG.Retried(ctx, func(tx pgx.Tx) error {
		*suspended = suspendedDraw{ClosedDraw: realtime.ClosedDraw{DrawID: id}}
		return s.suspendTx(ctx, tx, by.UserID, reason, suspended)
	})
	if err != nil || suspended.at.IsZero() {
		return err
	}
	s.Wake()
	s.Catalog.ForgetDraws(id)
	s.Events.Publish(ctx, realtime.Everybody(), realtime.EventOf(suspended.at, suspended.ClosedDraw))
	return nil
}

// suspendedDraw is the data of the event draw.closed of a suspension, and its instant.
type suspendedDraw struct {
	realtime.ClosedDraw

	at time.Time
}

func (s *Service) suspendTx(ctx context.Context, tx pgx.Tx, by uuid.UUID, reason string, done *suspendedDraw) error {
	if err := storage.LockDraws(ctx, tx, []uuid.UUID{done.DrawID}); err != nil {
		return err
	}
	d, err := lockDraw(ctx, tx, done.DrawID)
	if err != nil || d.Status == models.DrawSuspended {
		return err
	}
	if d.Status == models.DrawResulted || d.Status == models.DrawSettled {
		return ErrCannotSuspend
	}
	now := s.Clock.Now().Truncate(time.Microsecond)
	b := &pgx.Batch{}
	drawstate.QueueSuspension(b, d.ID, by, reason, now)
	b.Queue(`UPDATE results SET status = $2, closed_at = $3, reason = 'the draw was suspended' WHERE draw_id = $1 AND status = $4`,
		d.ID, models.ResultRejected, now, models.ResultProposed)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("suspend draw: %w", err)
	}
	refund, closing, external := tasks.DrawRefund{DrawID: d.ID}, tasks.DrawClose{DrawID: d.ID}, tasks.DrawCloseExternal{DrawID: d.ID}
	if err := enqueueTx(ctx, tx, refund, closing, external); err != nil {
		return err
	}
	done.at, done.GameID, done.Number, done.Status = now, d.GameID, d.Number, models.DrawSuspended
	return activity.RecordOperatorTx(ctx, tx, activity.Entry{
		Action: activity.DrawsSuspend, Target: d.ID.String(),
		Details: map[string]any{"draw_number": d.Number, "draw_time": d.Time, "reason": reason},
	})
}

// Refund refunds the sales of a suspended draw. Then it decides the tickets whose other draws are settled, and the
// window bets over this draw, whose window now ends one draw later. A ticket that cannot be refunded, because its
// bookings differ, is named by the error and keeps nothing else waiting, but the draw stays unrefunded. Refund is
// idempotent.
func (s *Service) Refund(ctx context.Context, id uuid.UUID) error {
	_, mismatch := s.Refunds.RefundDraw(ctx, id)
	if mismatch != nil && !errors.Is(mismatch, sales.ErrBookings) {
		return mismatch
	}
	var changed []tickets.Changed
	err := s.inLongTx(ctx, func(tx pgx.Tx) error {
		if err := storage.LockDraws(ctx, tx, []uuid.UUID{id}); err != nil {
			return err
		}
		d, err := lockDraw(ctx, tx, id)
		if err != nil {
			return err
		}
		if d.Status != models.DrawSuspended {
			return ErrCannotSuspend
		}
		changed, err = s.afterRefund(ctx, tx, d, mismatch == nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("after refund of draw %s: %w", id, err)
	}
	s.publishChanged(ctx, changed)
	return mismatch
}

func (s *Service) afterRefund(ctx context.Context, tx pgx.Tx, d *draw, whole bool) ([]tickets.Changed, error) {
	now := s.Clock.Now().Truncate(time.Microsecond)
	if err := storage.LockSettlements.Take(ctx, tx); err != nil {
		return nil, err
	}
	last, err := resultBy(ctx, tx, `WHERE d.game_id = $1 AND r.status = $2 ORDER BY d.draw_time DESC LIMIT 1`, d.GameID, models.ResultVerified)
	var windowed []uuid.UUID
	var result uuid.UUID
	if err == nil { // without a result in the game there is no window to decide
		later := *d
		later.ID, later.Time = last.DrawID, last.Draw.Time
		result = last.ID
		if windowed, err = decideWindows(ctx, tx, openWindows, &later, result, now); err != nil {
			return nil, err
		}
	}
	if whole {
		if err := drawstate.RefundedTx(ctx, tx, d.ID, now); err != nil {
			return nil, err
		}
		if err := enqueueTx(ctx, tx, noticeOf(d, now)); err != nil {
			return nil, err
		}
	}
	return decideTickets(ctx, tx, d.ID, result, windowed, new(Settlement), now)
}
