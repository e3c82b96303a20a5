package tickets

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// ErrState reports that a ticket's state does not allow the move.
var ErrState = errors.New("tickets: the ticket's state does not allow this")

// Move is a change of state.
type Move struct{ From, To string }

// Moves returns the changes of state.
func Moves() []Move {
	return []Move{
		{models.TicketPending, models.TicketWon}, {models.TicketPending, models.TicketLost}, {models.TicketPending, models.TicketCancelled},
		{models.TicketWon, models.TicketPaid}, {models.TicketWon, models.TicketLost}, {models.TicketWon, models.TicketPending},
		{models.TicketLost, models.TicketWon}, {models.TicketLost, models.TicketPending}, {models.TicketLost, models.TicketCancelled},
		{models.TicketPaid, models.TicketWon}, {models.TicketPaid, models.TicketLost}, {models.TicketPaid, models.TicketPending},
	}
}

// CancelTx moves a pending ticket to cancelled. Errors: ErrState.
func CancelTx(ctx context.Context, tx pgx.Tx, id, by uuid.UUID, at time.Time) error {
	return move(ctx, tx, `UPDATE tickets SET status = 'cancelled', cancelled_at = $2, cancelled_by = $3 WHERE id = $1 AND status = 'pending'`, id, at, by)
}

// PayTx moves a won ticket to paid. Errors: ErrState.
func PayTx(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	return move(ctx, tx, `UPDATE tickets SET status = 'paid' WHERE id = $1 AND status = 'won'`, id)
}

// UnpayTx moves a ticket whose payment was taken back to the state that its results make, and returns it: pending while a
// draw is not decided, else won or lost by the prize. A ticket that was not paid must have won. Errors: ErrState.
func UnpayTx(ctx context.Context, tx pgx.Tx, id uuid.UUID, decided bool, prize money.Amount) (status string, err error) {
	switch {
	case !decided:
		status, prize = models.TicketPending, 0
	case prize > 0:
		status = models.TicketWon
	default:
		status = models.TicketLost
	}
	return status, move(ctx, tx, `UPDATE tickets SET status = $2, prize = $3 WHERE id = $1 AND status IN ('paid', 'won')`, id, status, prize)
}

func move(ctx context.Context, tx pgx.Tx, sql string, id uuid.UUID, args ...any) error {
	done, err := tx.Exec(ctx, sql, append([]any{id}, args...)...)
	switch {
	case err != nil:
		return fmt.Errorf("move ticket: %w", err)
	case done.RowsAffected() == 0:
		return fmt.Errorf("ticket %s: %w", id, ErrState)
	default:
		return nil
	}
}

// Refund is the refund of a ticket for a suspended draw.
type Refund struct {
	ID     uuid.UUID
	Amount money.Amount
	Whole  bool // nothing of the ticket is left, so it is cancelled
}

// QueueRefund adds to a batch the refund of locked tickets, none of which is cancelled.
func QueueRefund(b *pgx.Batch, list []Refund, at time.Time) {
	n := len(list)
	ids, amounts, whole := make(storage.UUIDs, n), make(storage.Bigints, n), make(storage.Booleans, n)
	for i := range list {
		ids[i], amounts[i], whole[i] = list[i].ID, int64(list[i].Amount), list[i].Whole
	}
	b.Queue(`UPDATE tickets t SET refunds = t.refunds + 1, refunded = t.refunded + x.amount,
			status = CASE WHEN x.whole THEN 'cancelled' ELSE t.status END, cancelled_at = CASE WHEN x.whole THEN $4::timestamptz END
		FROM unnest($1::uuid[], $2::bigint[], $3::boolean[]) AS x (id, amount, whole) WHERE t.id = x.id`, ids, amounts, whole, at)
}

// Changed is a ticket with its new state.
type Changed struct {
	ID       uuid.UUID
	EntityID uuid.UUID
	Status   string
}

// Expire marks won tickets that were not collected in time, at most limit, and returns them. It skips tickets that another
// transaction has locked. A prize has expired at the end of its time, or when it was decided if that was later, and not
// when the task marks it, so that it is reported on that day.
func Expire(ctx context.Context, q storage.Querier, now time.Time, limit int) ([]Changed, error) {
	return storage.Collect(ctx, q, "expire tickets", pgx.RowToStructByPos[Changed],
		`UPDATE tickets t SET expired_at = greatest(t.expires_at, t.settled_at) WHERE t.status = 'won' AND t.expired_at IS NULL AND t.id IN (
		SELECT id FROM tickets WHERE status = 'won' AND expired_at IS NULL AND expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
		RETURNING t.id, t.entity_id, t.status`, now, limit)
}

// Prize is the state of a ticket with its prize.
type Prize struct {
	Status string
	Amount money.Amount
}

// QueuePrizes adds the read of the states of tickets to a batch. After the batch, the map has the states by the tickets'
// ids, without tickets that are not in the tables.
func QueuePrizes(b *pgx.Batch, ids []uuid.UUID) map[uuid.UUID]Prize {
	prizes := make(map[uuid.UUID]Prize, len(ids))
	if len(ids) == 0 {
		return prizes
	}
	b.Queue(`SELECT id, status, prize FROM tickets WHERE id = ANY($1)`, storage.UUIDs(ids)).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		var p Prize
		_, err := pgx.ForEachRow(rows, []any{&id, &p.Status, &p.Amount}, func() error {
			prizes[id] = p
			return nil
		})
		return err
	})
	return prizes
}

// LockTx locks tickets in the order of their ids and returns the state of each. With skip, it leaves out those that another
// transaction has locked.
func LockTx(ctx context.Context, tx pgx.Tx, ids []uuid.UUID, skip bool) (map[uuid.UUID]string, error) {
	sql := `SELECT id, status FROM tickets WHERE id = ANY($1) ORDER BY id FOR UPDATE`
	if skip {
		sql += ` SKIP LOCKED`
	}
	statuses := make(map[uuid.UUID]string, len(ids))
	var id uuid.UUID
	var status string
	err := storage.Each(ctx, tx, "lock tickets", []any{&id, &status}, func() error {
		statuses[id] = status
		return nil
	}, sql, storage.UUIDs(ids))
	if err != nil {
		return nil, err
	}
	return statuses, nil
}

// Picture is the address of a ticket's picture.
type Picture struct {
	ID      uuid.UUID
	Address string
}

// PicturesTx keeps the addresses of the pictures of locked tickets, of each ticket the first one it was given.
func PicturesTx(ctx context.Context, tx pgx.Tx, list []Picture) error {
	ids, addresses := make(storage.UUIDs, len(list)), make(storage.Texts, len(list))
	for i, p := range list {
		ids[i], addresses[i] = p.ID, p.Address
	}
	_, err := tx.Exec(ctx, `UPDATE tickets t SET image_url = x.address FROM unnest($1::uuid[], $2::text[]) AS x (id, address)
		WHERE t.id = x.id AND t.image_url IS NULL`, ids, addresses)
	if err != nil {
		return fmt.Errorf("pictures of tickets: %w", err)
	}
	return nil
}
