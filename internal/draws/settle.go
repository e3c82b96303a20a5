package draws

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/risk"
	"banca/models"
	"banca/storage"
)

// Settlement is what a settlement decided.
type Settlement struct {
	Tickets int // touched by the draw, cancelled ones not counted
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
	if errors.Is(err, ErrSealBroken) {
		err = errors.Join(err, s.alert(ctx, id, models.AlertSealBroken, ""))
	}
	if err != nil {
		return nil, fmt.Errorf("settle draw %s: %w", id, err)
	}
	s.told(ctx, changed)
	return done, nil
}

func (s *Service) settleTx(ctx context.Context, tx pgx.Tx, d *draw, done *Settlement) ([]changedTicket, error) {
	holds, err := sealHolds(ctx, tx, d.ID)
	if err != nil {
		return nil, err
	}
	if !holds {
		return nil, ErrSealBroken
	}
	now := s.Clock.Now().Truncate(time.Microsecond)
	r, err := resultBy(ctx, tx, `WHERE r.id = $1`, d.ResultID)
	if err != nil {
		return nil, err
	}
	rules, err := rulesOf(ctx, tx, d.GameID)
	if err != nil {
		return nil, err
	}
	if err := fileWinners(ctx, tx, d.ID, rules, r, now); err != nil {
		return nil, err
	}
	if err := fileWindows(ctx, tx, d, rules); err != nil {
		return nil, err
	}
	windowed, err := decideWindows(ctx, tx, openWindows, d, r.ID, now)
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, `UPDATE draws SET status = $2, settled_at = $3, updated_at = $3 WHERE id = $1`, d.ID, models.DrawSettled, now); err != nil {
		return nil, fmt.Errorf("settle draw: %w", err)
	}
	return decideTickets(ctx, tx, d.ID, windowed, done, now)
}

// decideTicketsSQL decides the pending tickets of a draw, and others that are named, whose lines are all decided: a
// line is when its draw is settled or suspended and, if it is a window bet, that is decided. A winner has
// as long to collect from now on as it was sold with after its last draw.
const decideTicketsSQL = `
	WITH touched AS MATERIALIZED (
		SELECT ticket_id FROM ticket_items WHERE draw_id = $1
		UNION SELECT unnest($2::uuid[])
	), ready AS MATERIALIZED (
		SELECT x.ticket_id, max(d.draw_time) AS last FROM touched x JOIN ticket_items i ON i.ticket_id = x.ticket_id JOIN draws d ON d.id = i.draw_id
		GROUP BY x.ticket_id HAVING bool_and(d.status IN ('settled', 'suspended'))
	), prizes AS MATERIALIZED (
		SELECT l.ticket_id, sum(l.prize)::bigint AS prize FROM winning_lines l JOIN ready x ON x.ticket_id = l.ticket_id
		WHERE l.annulled_at IS NULL GROUP BY l.ticket_id
	), decided AS (
		UPDATE tickets t SET status = CASE WHEN p.prize > 0 THEN 'won' ELSE 'lost' END, prize = coalesce(p.prize, 0), settled_at = $3,
			expires_at = CASE WHEN p.prize > 0 THEN greatest(t.expires_at, $3::timestamptz + (t.expires_at - x.last)) ELSE t.expires_at END
		FROM ready x LEFT JOIN prizes p ON p.ticket_id = x.ticket_id
		WHERE t.id = x.ticket_id AND t.status = 'pending'
			AND NOT EXISTS (SELECT 1 FROM window_bets b WHERE b.ticket_id = t.id AND b.state = 'pending')
		RETURNING t.id, t.entity_id, t.status
	), counts AS (
		SELECT count(*) FILTER (WHERE status = 'won') AS won, count(*) FILTER (WHERE status = 'lost') AS lost FROM decided
	)
	SELECT c.won, c.lost, (SELECT count(*) FROM touched), w.id, w.entity_id, w.status
	FROM counts c LEFT JOIN (SELECT id, entity_id, status FROM decided WHERE status = 'won' LIMIT $4) w ON true`

// decideTickets decides the tickets of a draw and those in others, and returns winners to tell of.
func decideTickets(ctx context.Context, tx pgx.Tx, drawID uuid.UUID, others []uuid.UUID, done *Settlement, now time.Time) ([]changedTicket, error) {
	rows, err := tx.Query(ctx, decideTicketsSQL, drawID, storage.UUIDs(others), now, maxTold)
	if err != nil {
		return nil, fmt.Errorf("decide tickets: %w", err)
	}
	defer rows.Close()
	var winners []changedTicket
	for rows.Next() {
		var id, entity uuid.NullUUID
		var status *string
		if err := rows.Scan(&done.Won, &done.Lost, &done.Tickets, &id, &entity, &status); err != nil {
			return nil, fmt.Errorf("decide tickets: %w", err)
		}
		if status != nil {
			winners = append(winners, changedTicket{ID: id.UUID, EntityID: entity.UUID, Status: *status})
		}
	}
	done.Waiting = done.Tickets - done.Won - done.Lost
	return winners, rows.Err()
}
