package bank

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// CancelRequest cancels an open request in the caller's scope. A request that is held for the bank cannot be cancelled,
// because the client is paying. CancelRequest is idempotent. Errors: ErrRequestNotFound, ErrRequestClosed,
// ErrRequestHeld.
func (s *Service) CancelRequest(ctx context.Context, by caller.Caller, id uuid.UUID) (*Request, error) {
	r, err := s.Request(ctx, by, id)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now().Truncate(time.Microsecond)
	tag, err := s.PG.Pool.Exec(ctx, `UPDATE payment_requests SET status = 'cancelled', closed_at = $2
		WHERE id = $1 AND status = 'open' AND (held_until IS NULL OR held_until <= $2)`, id, now)
	if err != nil {
		return nil, fmt.Errorf("cancel payment request: %w", err)
	}
	if tag.RowsAffected() > 0 {
		r.Status, r.ClosedAt = models.RequestCancelled, now.UTC()
		return r, nil
	}
	r, err = s.Request(ctx, by, id) // closed or held, perhaps since the first read
	switch {
	case err != nil:
		return nil, err
	case r.Status == models.RequestOpen:
		return nil, ErrRequestHeld
	case r.Status != models.RequestCancelled:
		return nil, ErrRequestClosed
	}
	return r, nil
}

// expireBatch bounds the requests that one statement closes.
const expireBatch = 1_000

const expireRequests = `UPDATE payment_requests SET status = x.status, closed_at = $1 FROM (
		SELECT r.id, CASE WHEN t.status = 'cancelled' THEN 'cancelled' ELSE 'expired' END AS status
		FROM payment_requests r LEFT JOIN tickets t ON t.id = r.ticket_id
		WHERE r.status = 'open' AND (r.held_until IS NULL OR r.held_until <= $1)
			AND (r.expires_at <= $1 OR t.status = 'cancelled')
		ORDER BY r.id LIMIT $2 FOR UPDATE OF r SKIP LOCKED) x
	WHERE payment_requests.id = x.id`

// ExpireRequests closes expired requests and requests of cancelled tickets, except held requests,
// and returns their number. It is idempotent.
func (s *Service) ExpireRequests(ctx context.Context) (int64, error) {
	now, err := storage.DecisionTime(ctx, s.PG.Pool, s.Clock)
	if err != nil {
		return 0, err
	}
	n, err := storage.Batched(ctx, s.PG.Pool, expireBatch, storage.Statement{SQL: expireRequests, Args: []any{now}})
	if err != nil {
		return n, fmt.Errorf("expire payment requests: %w", err)
	}
	return n, nil
}
