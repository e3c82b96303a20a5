package prizes

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// ReviseTx compares what was paid on tickets with what they are worth after the correction that result names, files
// a difference where the two differ now, and closes one that came right again. One that was written off stays so while nothing more changes.
func ReviseTx(ctx context.Context, tx pgx.Tx, result uuid.UUID, tickets []uuid.UUID, now time.Time) error {
	b := &pgx.Batch{}
	b.Queue(`UPDATE prize_differences x SET status = 'void', closed_at = $2, note = 'corrected again'
		FROM tickets t JOIN paid_prizes p ON p.ticket_id = t.id AND p.cancelled_at IS NULL
		WHERE x.ticket_id = t.id AND x.status = 'open' AND t.id = ANY ($1::uuid[]) AND (x.due <> t.prize OR x.paid <> p.amount)`, storage.UUIDs(tickets), now)
	b.Queue(`INSERT INTO prize_differences (id, ticket_id, paid_prize_id, result_id, entity_id, currency_id, paid, due, created_at)
		SELECT gen_random_uuid(), t.id, p.id, $2, p.entity_id, p.currency_id, p.amount, t.prize, $3
		FROM tickets t JOIN paid_prizes p ON p.ticket_id = t.id AND p.cancelled_at IS NULL
		WHERE t.id = ANY ($1::uuid[]) AND p.amount <> t.prize AND NOT EXISTS (
			SELECT 1 FROM prize_differences w WHERE w.paid_prize_id = p.id AND w.status = 'written_off' AND w.paid = p.amount AND w.due = t.prize)
		ON CONFLICT (ticket_id) WHERE status = 'open' DO NOTHING`, storage.UUIDs(tickets), result, now)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("revise paid prizes: %w", err)
	}
	return nil
}
