package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/prizes"
	"banca/internal/risk"
	"banca/models"
	"banca/storage"
)

// Settlement is what a settlement decided.
type Settlement struct {
	Won     int
	Lost    int
	Waiting int // have lines of draws that are not settled yet
}

// Settle decides the tickets of a draw by its verified result, in one transaction of a few statements, whatever the
// number of tickets. A draw that is settled already is left as it is. A ticket whose other draws are not settled
// yet stays pending until they are. Errors: ErrDrawNotFound, ErrNoResult, ErrSealBroken.
func (s *Service) Settle(ctx context.Context, id uuid.UUID) (*Settlement, error) {
	done := new(Settlement)
	var changed []changedTicket
	err := s.inLongTx(ctx, func(tx pgx.Tx) error {
		if err := risk.LockExclusively(ctx, tx, id); err != nil {
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
	if err != nil {
		return nil, fmt.Errorf("settle draw %s: %w", id, s.sealAlerted(ctx, id, err))
	}
	s.told(ctx, changed)
	return done, nil
}

func (s *Service) settleTx(ctx context.Context, tx pgx.Tx, d *draw, done *Settlement) ([]changedTicket, error) {
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
	if err := fileWinners(ctx, tx, d.ID, rules, r, now); err != nil {
		return nil, err
	}
	if err := fileWindows(ctx, tx, d, rules); err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, `UPDATE draws SET status = $2, settled_at = $3, updated_at = $3 WHERE id = $1`, d.ID, models.DrawSettled, now); err != nil {
		return nil, fmt.Errorf("settle draw: %w", err)
	}
	if err := storage.LockSettlements.Take(ctx, tx); err != nil {
		return nil, err
	}
	windowed, err := decideWindows(ctx, tx, openWindows, d, r.ID, now)
	if err != nil {
		return nil, err
	}
	return decideTickets(ctx, tx, d.ID, r.ID, windowed, done, now)
}

// The tickets of a settlement are gathered in a temporary table and counted, so that Postgres plans for as many as there
// are: a draw sold out within minutes is one its statistics know nothing of, and a plan for a handful of tickets took
// a hundred times as long for twenty thousand.
const (
	createTouched = `CREATE TEMPORARY TABLE touched (ticket_id uuid, last timestamptz, prize bigint) ON COMMIT DROP`

	// A ticket that waits has no last draw: one of its lines is on a draw that is neither settled nor suspended, or
	// one of its window bets is open.
	fillTouched = `
		INSERT INTO touched
		SELECT x.ticket_id, CASE WHEN bool_and(d.status IN ('settled', 'suspended'))
				AND NOT EXISTS (SELECT 1 FROM window_bets b WHERE b.ticket_id = x.ticket_id AND b.state = 'pending') THEN max(d.draw_time) END,
			coalesce((SELECT sum(l.prize) FROM winning_lines l WHERE l.ticket_id = x.ticket_id AND l.annulled_at IS NULL), 0)::bigint
		FROM (SELECT ticket_id FROM ticket_items WHERE draw_id = $1 UNION SELECT unnest($2::uuid[])) x
		JOIN ticket_items i ON i.ticket_id = x.ticket_id JOIN draws d ON d.id = i.draw_id
		GROUP BY x.ticket_id`

	// A winner has as long to collect from now on as it was sold with after its last draw.
	decideTouched = `
		WITH decided AS (
			UPDATE tickets t SET status = CASE WHEN x.prize > 0 THEN 'won' ELSE 'lost' END, prize = x.prize, settled_at = $1,
				expires_at = CASE WHEN x.prize > 0 THEN greatest(t.expires_at, $1::timestamptz + (t.expires_at - x.last)) ELSE t.expires_at END
			FROM touched x WHERE t.id = x.ticket_id AND x.last IS NOT NULL AND t.status = 'pending'
			RETURNING t.id, t.entity_id, t.status
		), counts AS (
			SELECT count(*) FILTER (WHERE status = 'won') AS won, count(*) FILTER (WHERE status = 'lost') AS lost FROM decided
		)
		SELECT c.won, c.lost, (SELECT count(*) FROM touched x JOIN tickets t ON t.id = x.ticket_id WHERE x.last IS NULL AND t.status = 'pending'), w.id, w.entity_id, w.status
		FROM counts c LEFT JOIN (SELECT id, entity_id, status FROM decided WHERE status = 'won' LIMIT $2) w ON true`
)

// decideTickets decides the pending tickets of a draw, and those in others, whose lines are all decided, and returns
// winners to tell of. Of others, those with a window bet that result decided, some may be paid.
func decideTickets(ctx context.Context, tx pgx.Tx, drawID, result uuid.UUID, others []uuid.UUID, done *Settlement, now time.Time) ([]changedTicket, error) {
	if _, err := tx.Exec(ctx, createTouched); err != nil {
		return nil, fmt.Errorf("decide tickets: %w", err)
	}
	b := &pgx.Batch{}
	b.Queue(fillTouched, drawID, storage.UUIDs(others))
	b.Queue(`ANALYZE touched`)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return nil, fmt.Errorf("decide tickets: %w", err)
	}
	if err := revisePaid(ctx, tx, result, others, now); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, decideTouched, now, maxTold)
	if err != nil {
		return nil, fmt.Errorf("decide tickets: %w", err)
	}
	winners, err := readDecided(rows, done)
	if err != nil || result == uuid.Nil {
		return winners, failed("decide tickets", err)
	}
	return winners, reopen(ctx, tx, `SELECT ticket_id FROM touched WHERE last IS NOT NULL`, result, now)
}

// reopen hands the tickets that which selects, those of a settlement or of a correction, to prizes.ReopenTx.
func reopen(ctx context.Context, tx pgx.Tx, which string, result uuid.UUID, now time.Time) error {
	rows, err := tx.Query(ctx, which)
	if err != nil {
		return fmt.Errorf("decided tickets: %w", err)
	}
	tickets, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("decided tickets: %w", err)
	}
	return prizes.ReopenTx(ctx, tx, result, tickets, now)
}

// readDecided reads the rows of decideTouched.
func readDecided(rows pgx.Rows, done *Settlement) ([]changedTicket, error) {
	defer rows.Close()
	var winners []changedTicket
	for rows.Next() {
		var id, entity uuid.NullUUID
		var status *string
		if err := rows.Scan(&done.Won, &done.Lost, &done.Waiting, &id, &entity, &status); err != nil {
			return nil, fmt.Errorf("decide tickets: %w", err)
		}
		if status != nil {
			winners = append(winners, changedTicket{ID: id.UUID, EntityID: entity.UUID, Status: *status})
		}
	}
	return winners, rows.Err()
}

// revisePaid gives paid tickets with a window bet that was just decided what they are worth now: a correction had opened
// the window again after the payment.
func revisePaid(ctx context.Context, tx pgx.Tx, result uuid.UUID, tickets []uuid.UUID, now time.Time) error {
	if len(tickets) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `UPDATE tickets t SET prize = x.prize FROM touched x
		WHERE t.id = ANY ($1::uuid[]) AND x.ticket_id = t.id AND t.status = 'paid' AND t.prize <> x.prize RETURNING t.id`, storage.UUIDs(tickets))
	if err != nil {
		return fmt.Errorf("revise paid tickets: %w", err)
	}
	paid, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil || len(paid) == 0 {
		return failed("revise paid tickets", err)
	}
	return prizes.ReviseTx(ctx, tx, result, paid, now)
}
