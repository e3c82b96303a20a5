package draws

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/verification"
)

// Checks verifies in one snapshot that results, winning lines and tickets agree, and that no seal of the last week is
// broken. It changes nothing. Older seals were verified by earlier runs.
func (s *Service) Checks(ctx context.Context) ([]verification.Check, error) {
	list, err := verification.Run(ctx, s.PG, checks())
	if err != nil {
		return nil, err
	}
	broken, err := s.brokenSeals(ctx)
	return append(list, verification.Check{Name: "the tickets of every draw closed within the last week match its seal", Broken: broken}), err
}

func checks() []verification.Invariant {
	return []verification.Invariant{
		{Name: "every draw refers to its verified result", Query: `SELECT count(*) FROM draws d FULL JOIN (SELECT * FROM results WHERE status = 'verified') r ON r.draw_id = d.id
			WHERE d.result_id IS DISTINCT FROM r.id OR (d.status IN ('resulted', 'settled')) <> (r.id IS NOT NULL)`},
		{Name: "winning lines that are not annulled are decided by verified results", Query: `SELECT count(*) FROM winning_lines l JOIN results r ON r.id = l.result_id
			WHERE l.annulled_at IS NULL AND r.status <> 'verified'
				AND NOT EXISTS (SELECT 1 FROM window_bets b WHERE b.ticket_id = l.ticket_id AND b.line_no = l.line_no)`},
		{Name: "a decided ticket's prize is the sum of its winning lines", Query: `SELECT count(*) FROM tickets t LEFT JOIN (
			SELECT ticket_id, sum(prize) AS prize FROM winning_lines WHERE annulled_at IS NULL GROUP BY ticket_id) w ON w.ticket_id = t.id
			WHERE t.status IN ('won', 'lost', 'paid') AND t.prize <> coalesce(w.prize, 0) OR t.status = 'won' AND t.prize = 0 OR t.status = 'lost' AND t.prize > 0`},
		{Name: "no ticket is pending after all its draws are decided", Query: `SELECT count(*) FROM tickets t WHERE t.status = 'pending'
			AND NOT EXISTS (SELECT 1 FROM ticket_lines i JOIN draws d ON d.id = i.draw_id WHERE i.ticket_id = t.id
				AND d.status <> 'settled' AND (d.status <> 'suspended' OR d.refunded_at IS NULL))
			AND NOT EXISTS (SELECT 1 FROM window_bets b WHERE b.ticket_id = t.id AND b.state = 'pending')`},
		{Name: "no ticket is decided before its draws", Query: `SELECT count(*) FROM tickets t WHERE t.status IN ('won', 'lost')
			AND (EXISTS (SELECT 1 FROM ticket_lines i JOIN draws d ON d.id = i.draw_id WHERE i.ticket_id = t.id AND d.status NOT IN ('settled', 'suspended'))
				OR EXISTS (SELECT 1 FROM window_bets b WHERE b.ticket_id = t.id AND b.state = 'pending'))`},
		{Name: "window bets that won have a winning line, and others have none", Query: `SELECT count(*) FROM window_bets b JOIN tickets t ON t.id = b.ticket_id
			LEFT JOIN winning_lines l ON l.ticket_id = b.ticket_id AND l.line_no = b.line_no AND l.annulled_at IS NULL
			WHERE (b.state = 'won' AND b.prize > 0) <> (l.ticket_id IS NOT NULL)`},
		{Name: "the refunds of a refunded draw equal its sales", Query: `SELECT count(*) FROM draws d JOIN (
			SELECT i.draw_id, i.ticket_id, sum(i.amount) AS amount FROM ticket_lines i JOIN tickets t ON t.id = i.ticket_id
			WHERE t.status <> 'cancelled' OR t.refunds > 0 GROUP BY 1, 2) s ON s.draw_id = d.id
			LEFT JOIN draw_refunds r ON r.draw_id = s.draw_id AND r.ticket_id = s.ticket_id
			WHERE d.refunded_at IS NOT NULL AND s.amount IS DISTINCT FROM r.amount`},
	}
}

// brokenSeals counts the draws closed within the last week whose tickets do not match their seal. It reads one draw at
// a time.
func (s *Service) brokenSeals(ctx context.Context) (int64, error) {
	ids, err := s.ids(ctx, `SELECT id FROM draws WHERE seal IS NOT NULL AND closed_at > $1 ORDER BY closed_at`, s.Clock.Now().AddDate(0, 0, -7))
	if err != nil {
		return 0, fmt.Errorf("sealed draws: %w", err)
	}
	var broken int64
	for _, id := range ids {
		holds, err := s.sealOfDrawHolds(ctx, id)
		if err != nil {
			return 0, err
		}
		if !holds {
			broken++
		}
	}
	return broken, nil
}

func (s *Service) sealOfDrawHolds(ctx context.Context, id uuid.UUID) (holds bool, err error) {
	err = s.inLongTx(ctx, func(tx pgx.Tx) error {
		holds, err = sealHolds(ctx, tx, id)
		return err
	})
	return holds, err
}
