package drawstate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/storage"
)

// OpenDue moves scheduled draws whose sales begin by now to open, and returns how many.
func OpenDue(ctx context.Context, q storage.Execer, now time.Time) (int, error) {
	tag, err := q.Exec(ctx, `UPDATE draws SET status = $1, updated_at = $3 WHERE status = $2 AND opens_at <= $3`, models.DrawOpen, models.DrawScheduled, now)
	if err != nil {
		return 0, fmt.Errorf("open draws: %w", err)
	}
	return int(tag.RowsAffected()), nil
}

// Closed is a draw that was just closed.
type Closed struct {
	GameID uuid.UUID
	Number string
	Time   time.Time
}

// CloseTx moves an open draw whose sales stop by now to closed, and plans the first attempt to fetch its result pollAfter its
// time. It returns nil if the draw is not open or not due.
func CloseTx(ctx context.Context, tx pgx.Tx, id uuid.UUID, now time.Time, pollAfter time.Duration) (*Closed, error) {
	var c Closed
	err := tx.QueryRow(ctx, `UPDATE draws SET status = $2, closed_at = $3, updated_at = $3, poll_next_at = draw_time + make_interval(secs => $5)
		WHERE id = $1 AND status = $4 AND sale_stop_at <= $3 RETURNING game_id, draw_number, draw_time`,
		id, models.DrawClosed, now, models.DrawOpen, pollAfter.Seconds()).Scan(&c.GameID, &c.Number, &c.Time)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // as documented
	}
	if err != nil {
		return nil, fmt.Errorf("close draw: %w", err)
	}
	return &c, nil
}

// SealTx keeps the seal of a draw's tickets, and how many it covers.
func SealTx(ctx context.Context, tx pgx.Tx, id uuid.UUID, seal []byte, tickets int, now time.Time) error {
	return write(ctx, tx, "seal draw", `UPDATE draws SET seal = $2, sealed_tickets = $3, updated_at = $4 WHERE id = $1`, id, seal, tickets, now)
}

// QueueSuspension adds to a batch the suspension of a draw by a user, and its closing if it was on sale. Its counts in the
// cache are closed by the next sweep.
func QueueSuspension(b *pgx.Batch, id, by uuid.UUID, reason string, now time.Time) {
	b.Queue(`UPDATE draws SET status = $2, suspended_at = $3, suspended_by = $4, suspend_reason = $5, closed_at = coalesce(closed_at, $3), poll_next_at = NULL,
		cache_closed_at = NULL, updated_at = $3 WHERE id = $1`, id, models.DrawSuspended, now, by, reason)
}

// RefundedTx marks a suspended draw as refunded.
func RefundedTx(ctx context.Context, tx pgx.Tx, id uuid.UUID, now time.Time) error {
	return write(ctx, tx, "refund draw", `UPDATE draws SET refunded_at = $2 WHERE id = $1`, id, now)
}

// QueueResult adds to a batch the verified result of a draw: a closed draw is resulted, a settled one gets another result.
func QueueResult(b *pgx.Batch, id, result uuid.UUID, now time.Time) {
	b.Queue(`UPDATE draws SET result_id = $2, status = CASE WHEN status = $4 THEN $5 ELSE status END, poll_next_at = NULL, updated_at = $3 WHERE id = $1`,
		id, result, now, models.DrawClosed, models.DrawResulted)
}

// SettleTx moves a draw with a result to settled.
func SettleTx(ctx context.Context, tx pgx.Tx, id uuid.UUID, now time.Time) error {
	return write(ctx, tx, "settle draw", `UPDATE draws SET status = $2, settled_at = $3, updated_at = $3 WHERE id = $1`, id, models.DrawSettled, now)
}

// write runs a statement that needs no answer; what names it in the error.
func write(ctx context.Context, q storage.Execer, what, sql string, args ...any) error {
	if _, err := q.Exec(ctx, sql, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
