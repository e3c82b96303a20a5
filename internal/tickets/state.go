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
	rows, err := q.Query(ctx, `UPDATE tickets t SET expired_at = greatest(t.expires_at, t.settled_at) WHERE t.status = 'won' AND t.expired_at IS NULL AND t.id IN (
		SELECT id FROM tickets WHERE status = 'won' AND expired_at IS NULL AND expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
		RETURNING t.id, t.entity_id, t.status`, now, limit)
	if err != nil {
		return nil, fmt.Errorf("expire tickets: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Changed])
	if err != nil {
		return nil, fmt.Errorf("expire tickets: %w", err)
	}
	return list, nil
}

// Prize returns the state of a ticket with its prize.
func Prize(ctx context.Context, q storage.RowQuerier, id uuid.UUID) (status string, prize money.Amount, err error) {
	err = q.QueryRow(ctx, `SELECT status, prize FROM tickets WHERE id = $1`, id).Scan(&status, &prize)
	return status, prize, err
}

// PictureTx keeps the address of a ticket's picture, the first one it was given, and returns the ticket's state.
func PictureTx(ctx context.Context, tx pgx.Tx, id uuid.UUID, address string) (status string, err error) {
	err = tx.QueryRow(ctx, `UPDATE tickets SET image_url = coalesce(image_url, $2) WHERE id = $1 RETURNING status`, id, address).Scan(&status)
	if err != nil {
		return "", fmt.Errorf("picture of ticket: %w", err)
	}
	return status, nil
}
