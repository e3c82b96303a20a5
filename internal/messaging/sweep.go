package messaging

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// sweepBatch bounds what one sweep touches of each sort.
const sweepBatch = 500

// lostSQL finds queued messages whose task must be gone: the longest wait between two attempts is ten
// minutes. Their queued_at moves, so that they are found again only if the new task is lost too.
const lostSQL = `UPDATE message_logs m SET queued_at = now(), updated_at = now()
	FROM (SELECT id FROM message_logs WHERE status = 'queued' AND NOT waiting AND queued_at < now() - interval '30 minutes'
		ORDER BY queued_at LIMIT $1 FOR UPDATE SKIP LOCKED) lost
	WHERE m.id = lost.id RETURNING m.id`

// Sweep is the handler of message.sweep: it makes attempts unknown that were cut off, gives messages a new task that
// lost theirs, and asks channels that are paused whether they work again.
func (s *Service) Sweep(ctx context.Context) error {
	expired, err := s.expire(ctx, uuid.NullUUID{}, sweepBatch)
	if err != nil {
		return err
	}
	lost, err := s.requeueLost(ctx)
	if err != nil {
		return err
	}
	if err := s.sweepChannels(ctx); err != nil {
		return err
	}
	if err := s.forgetInbound(ctx); err != nil {
		return err
	}
	if expired+lost > 0 {
		s.deps.Log.WarnContext(ctx, "messaging: sweep", slog.Int("unknown", expired), slog.Int("requeued", lost))
	}
	return nil
}

func (s *Service) requeueLost(ctx context.Context) (int, error) { return s.requeue(ctx, lostSQL) }

// requeue gives a task to each message that a statement finds, up to a batch.
func (s *Service) requeue(ctx context.Context, find string) (n int, err error) {
	err = pgx.BeginFunc(ctx, s.deps.Pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, find, sweepBatch)
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil {
			return err
		}
		n = len(ids)
		return enqueueSends(ctx, tx, ids, nil)
	})
	if err != nil {
		return 0, fmt.Errorf("messaging: requeue: %w", err)
	}
	if n > 0 {
		s.deps.Wake()
	}
	return n, nil
}
