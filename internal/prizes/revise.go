package prizes

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// ReviseTx compares the payments of tickets with their prizes after the correction that result names, files a
// difference where they differ, and closes one that agrees again. A written-off difference stays so while the ticket
// does not change.
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

// lockCollected locks the given tickets with a difference that ReopenTx may void or follow up.
const lockCollected = `SELECT t.id FROM tickets t WHERE t.id IN (
		SELECT ticket_id FROM prize_differences WHERE ticket_id = ANY ($1::uuid[]) AND status = 'settled' AND due = 0
		UNION SELECT ticket_id FROM prize_differences WHERE ticket_id = ANY ($1::uuid[]) AND status = 'open' AND paid = 0
	) ORDER BY t.id FOR UPDATE OF t`

// ReopenTx files a difference for each ticket that has won again although its payment was collected as a receivable:
// the customer kept the cash then, so the point is owed the prize, and the ticket must not be paid a second time. It
// is open from a payment of nothing (paid is 0) until it is settled, which pays the prize to the point, or written
// off, which leaves the prize to the ticket's holder. A difference whose ticket has another prize now is void.
//
// The tickets are those that tx decides, and tx holds the exclusive locks of their draws. ReopenTx locks the rows of
// the tickets before it reads their differences, because Settle and WriteOff close a difference under the ticket's
// lock.
func ReopenTx(ctx context.Context, tx pgx.Tx, result uuid.UUID, tickets []uuid.UUID, now time.Time) error {
	collected, err := storage.Collect(ctx, tx, "lock collected tickets", pgx.RowTo[uuid.UUID], lockCollected, storage.UUIDs(tickets))
	if err != nil {
		return err
	}
	if len(collected) == 0 {
		return nil
	}
	b := &pgx.Batch{}
	b.Queue(`UPDATE prize_differences x SET status = 'void', closed_at = $2, note = 'corrected again'
		FROM tickets t WHERE t.id = x.ticket_id AND t.id = ANY ($1::uuid[]) AND x.status = 'open' AND x.paid = 0 AND (t.status <> 'won' OR t.prize <> x.due)`,
		storage.UUIDs(collected), now)
	b.Queue(`INSERT INTO prize_differences (id, ticket_id, paid_prize_id, result_id, entity_id, currency_id, paid, due, created_at)
		SELECT gen_random_uuid(), t.id, x.paid_prize_id, $2, x.entity_id, x.currency_id, 0, t.prize, $3
		FROM prize_differences x JOIN tickets t ON t.id = x.ticket_id AND t.status = 'won' JOIN paid_prizes p ON p.id = x.paid_prize_id
		WHERE t.id = ANY ($1::uuid[]) AND x.status = 'settled' AND x.due = 0
			AND NOT EXISTS (SELECT 1 FROM paid_prizes l WHERE l.ticket_id = x.ticket_id AND (l.paid_at, l.id) > (p.paid_at, p.id))
			AND NOT EXISTS (SELECT 1 FROM prize_differences w WHERE w.paid_prize_id = p.id AND w.status = 'written_off' AND w.paid = 0 AND w.due = t.prize)
		ON CONFLICT (ticket_id) WHERE status = 'open' DO NOTHING`, storage.UUIDs(collected), result, now)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("reopen collected prizes: %w", err)
	}
	return nil
}
