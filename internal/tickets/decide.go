package tickets

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// A settlement or correction decides tickets by the temporary table decisions, with one row per ticket: last is the
// time of the ticket's last draw, NULL while one of its draws or bets is undecided; prize is the sum of its winning
// lines. The table is counted before it is used, so that Postgres plans for its actual size: the statistics do not
// have the tickets of a draw that sold out within minutes, and a plan for a handful of tickets took a hundred times
// as long for twenty thousand.
const createDecisions = `CREATE TEMPORARY TABLE decisions (ticket_id uuid, last timestamptz, prize bigint) ON COMMIT DROP`

// FillDecisionsTx creates the table decisions and fills it by a statement of the caller, INSERT INTO decisions.
func FillDecisionsTx(ctx context.Context, tx pgx.Tx, insert string, args ...any) error {
	if _, err := tx.Exec(ctx, createDecisions); err != nil {
		return fmt.Errorf("decide tickets: %w", err)
	}
	b := &pgx.Batch{}
	b.Queue(insert, args...)
	b.Queue(`ANALYZE decisions`)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("decide tickets: %w", err)
	}
	return nil
}

// Decided counts the tickets that DecideTx decided, and those that wait for a draw.
type Decided struct {
	Won     int
	Lost    int
	Waiting int
}

// A winner has as long to collect from now on as it was sold with after its last draw.
const decide = `
	WITH decided AS (
		UPDATE tickets t SET status = CASE WHEN x.prize > 0 THEN 'won' ELSE 'lost' END, prize = x.prize, settled_at = $1,
			expires_at = CASE WHEN x.prize > 0 THEN greatest(t.expires_at, $1::timestamptz + (t.expires_at - x.last)) ELSE t.expires_at END
		FROM decisions x WHERE t.id = x.ticket_id AND x.last IS NOT NULL AND t.status = 'pending'
		RETURNING t.id, t.entity_id, t.status
	), counts AS (
		SELECT count(*) FILTER (WHERE status = 'won') AS won, count(*) FILTER (WHERE status = 'lost') AS lost FROM decided
	)
	SELECT c.won, c.lost, (SELECT count(*) FROM decisions x JOIN tickets t ON t.id = x.ticket_id WHERE x.last IS NULL AND t.status = 'pending'), w.id, w.entity_id, w.status
	FROM counts c LEFT JOIN (SELECT id, entity_id, status FROM decided WHERE status = 'won' LIMIT $2) w ON true`

// DecideTx moves the pending tickets of decisions to won or lost, and returns how many and at most limit winners.
func DecideTx(ctx context.Context, tx pgx.Tx, now time.Time, limit int) (done Decided, winners []Changed, err error) {
	var id, entity uuid.NullUUID
	var status *string
	err = storage.Each(ctx, tx, "decide tickets", []any{&done.Won, &done.Lost, &done.Waiting, &id, &entity, &status}, func() error {
		if status != nil {
			winners = append(winners, Changed{ID: id.UUID, EntityID: entity.UUID, Status: *status})
		}
		return nil
	}, decide, now, limit)
	if err != nil {
		return done, nil, err
	}
	return done, winners, nil
}

// RevisePaidTx sets the prizes of paid tickets from their decisions and returns the changed tickets.
func RevisePaidTx(ctx context.Context, tx pgx.Tx, list []uuid.UUID) ([]uuid.UUID, error) {
	return storage.Collect(ctx, tx, "revise paid tickets", pgx.RowTo[uuid.UUID],
		`UPDATE tickets t SET prize = x.prize FROM decisions x
		WHERE t.id = ANY ($1::uuid[]) AND x.ticket_id = t.id AND t.status = 'paid' AND t.prize <> x.prize RETURNING t.id`, storage.UUIDs(list))
}

// RedecideTx gives all tickets of decisions, which are locked and not cancelled, the state and prize that a
// correction makes. A paid ticket stays paid with its new prize. A ticket with a draw that is open again is pending
// again.
func RedecideTx(ctx context.Context, tx pgx.Tx, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE tickets t SET
			status = CASE WHEN t.status = 'paid' THEN 'paid' WHEN x.last IS NULL THEN 'pending' WHEN x.prize > 0 THEN 'won' ELSE 'lost' END,
			prize = CASE WHEN x.last IS NOT NULL OR t.status = 'paid' THEN x.prize ELSE 0 END,
			settled_at = CASE WHEN x.last IS NOT NULL THEN $1::timestamptz END,
			expired_at = CASE WHEN t.status = 'won' AND x.prize > 0 THEN t.expired_at END,
			expires_at = CASE WHEN x.last IS NOT NULL AND x.prize > 0 AND t.status IN ('lost', 'pending') THEN greatest(t.expires_at, $1::timestamptz + (t.expires_at - x.last)) ELSE t.expires_at END
		FROM decisions x WHERE t.id = x.ticket_id AND t.status <> 'cancelled'`, now)
	if err != nil {
		return fmt.Errorf("decide tickets again: %w", err)
	}
	return nil
}
