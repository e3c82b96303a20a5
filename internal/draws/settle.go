package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/drawstate"
	"banca/internal/platform/telemetry"
	"banca/internal/prizes"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
	"banca/tasks"
)

// Settlement counts the tickets that a settlement decided and the tickets that wait for other draws.
type Settlement = tickets.Decided

// Settle decides the tickets of a draw by its verified result, in one transaction. The number of statements does not
// depend on the number of tickets. For a settled draw, Settle is a no-op. A ticket with a draw that is not settled yet
// stays pending. Errors: ErrDrawNotFound, ErrNoResult, ErrSealBroken.
func (s *Service) Settle(ctx context.Context, id uuid.UUID) (*Settlement, error) {
	done := new(Settlement)
	var changed []tickets.Changed
	ctx, stage := telemetry.Settlements.Begin(ctx, "draw")
	err := s.inLongTx(ctx, func(tx pgx.Tx) error {
		if err := storage.LockDraws(ctx, tx, []uuid.UUID{id}); err != nil {
			return err
		}
		d, err := lockDraw(ctx, tx, id)
		if err != nil || d.Status == models.DrawSettled {
			return err
		}
		if d.Status != models.DrawResulted || d.ResultID == uuid.Nil {
			return ErrNoResult
		}
		changed, err = s.settleTx(ctx, tx, d, done)
		return err
	})
	stage.End(err)
	if err != nil {
		return nil, fmt.Errorf("settle draw %s: %w", id, s.alertSealBroken(ctx, id, err))
	}
	s.publishChanged(ctx, changed)
	return done, nil
}

func (s *Service) settleTx(ctx context.Context, tx pgx.Tx, d *draw, done *Settlement) ([]tickets.Changed, error) {
	if err := requireSeal(ctx, tx, d.ID); err != nil {
		return nil, err
	}
	now := s.Clock.Now().Truncate(time.Microsecond)
	r, err := resultBy(ctx, tx, `WHERE r.id = $1`, d.ResultID)
	if err != nil {
		return nil, err
	}
	rules, err := catalog.RulesOf(ctx, tx, d.GameID)
	if err != nil {
		return nil, err
	}
	if err := insertWinningLines(ctx, tx, d.ID, rules, r, now); err != nil {
		return nil, err
	}
	if err := insertWindowBets(ctx, tx, d, rules); err != nil {
		return nil, err
	}
	if err := drawstate.SettleTx(ctx, tx, d.ID, now); err != nil {
		return nil, err
	}
	if err := storage.LockSettlements.Take(ctx, tx); err != nil {
		return nil, err
	}
	windowed, err := decideWindows(ctx, tx, openWindows, d, r.ID, now)
	if err != nil {
		return nil, err
	}
	if err := enqueueTx(ctx, tx, noticeOf(d, now)); err != nil {
		return nil, err
	}
	return decideTickets(ctx, tx, d.ID, r.ID, windowed, done, now)
}

// noticeOf is the task that tells of a decision of the tickets of a draw.
func noticeOf(d *draw, now time.Time) tasks.NoticeDraw {
	return tasks.NoticeDraw{DrawID: d.ID, DecidedAt: now.UnixMicro()}
}

// fillDecisions fills the table decisions with the tickets that have a line on the draw $1, and those of $2.
const fillDecisions = decisionsOf + `SELECT ticket_id FROM ticket_lines WHERE draw_id = $1 UNION SELECT unnest($2::uuid[]) ORDER BY 1` + byTheirLines

// decisionsOf, a statement that selects tickets and byTheirLines fill the table decisions. The time of the last draw is
// NULL for a ticket that is not decided yet: one of its lines is on a draw that is neither settled nor suspended, or one
// of its window bets is open. OFFSET 0 has each ticket's lines looked up in the order of the tickets: a join reads the
// lines of the whole month, and took twice as long where they were three times the lines of the draw.
const (
	decisionsOf = `
	INSERT INTO decisions
	SELECT x.ticket_id, CASE WHEN bool_and(d.status IN ('settled', 'suspended'))
			AND NOT EXISTS (SELECT 1 FROM window_bets b WHERE b.ticket_id = x.ticket_id AND b.state = 'pending') THEN max(d.draw_time) END,
		coalesce((SELECT sum(l.prize) FROM winning_lines l WHERE l.ticket_id = x.ticket_id AND l.annulled_at IS NULL), 0)::bigint
	FROM (`
	byTheirLines = `) x
	CROSS JOIN LATERAL (SELECT draw_id FROM ticket_lines WHERE ticket_id = x.ticket_id OFFSET 0) i JOIN draws d ON d.id = i.draw_id
	GROUP BY x.ticket_id`
)

// decideTickets decides the pending tickets of a draw and of others, if all their lines are decided, and returns the
// winners to publish. others are the tickets with a window bet that result decided; they may be paid already.
func decideTickets(ctx context.Context, tx pgx.Tx, drawID, result uuid.UUID, others []uuid.UUID, done *Settlement, now time.Time) ([]tickets.Changed, error) {
	if err := tickets.FillDecisionsTx(ctx, tx, fillDecisions, drawID, storage.UUIDs(others)); err != nil {
		return nil, err
	}
	if err := revisePaid(ctx, tx, result, others, now); err != nil {
		return nil, err
	}
	decided, winners, err := tickets.DecideTx(ctx, tx, now, maxPublished)
	if *done = decided; err != nil || result == uuid.Nil {
		return winners, err
	}
	return winners, reopen(ctx, tx, `SELECT ticket_id FROM decisions WHERE last IS NOT NULL`, result, now)
}

// reopen passes the tickets that the statement which selects to prizes.ReopenTx.
func reopen(ctx context.Context, tx pgx.Tx, which string, result uuid.UUID, now time.Time) error {
	rows, err := tx.Query(ctx, which)
	if err != nil {
		return fmt.Errorf("decided tickets: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("decided tickets: %w", err)
	}
	return prizes.ReopenTx(ctx, tx, result, list, now)
}

// revisePaid sets the prize of the tickets in list that are paid. A correction had reopened the window of such a ticket
// after its payment, and now the window is decided again.
func revisePaid(ctx context.Context, tx pgx.Tx, result uuid.UUID, list []uuid.UUID, now time.Time) error {
	if len(list) == 0 {
		return nil
	}
	paid, err := tickets.RevisePaidTx(ctx, tx, list)
	if err != nil || len(paid) == 0 {
		return err
	}
	return prizes.ReviseTx(ctx, tx, result, paid, now)
}
