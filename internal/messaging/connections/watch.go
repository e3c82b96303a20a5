package connections

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging/channel"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
)

// How old a state may be before the provider is asked again: for a person who looks at a connection that is being
// linked, and for the sweep.
const (
	watchEvery   = 3 * time.Second
	linkingEvery = 30 * time.Second // qr, connecting
	downEvery    = time.Minute      // disconnected
	restEvery    = 10 * time.Minute // all others
	sweepSize    = 20               // of one sweep
	sweepWait    = 15 * time.Second // of its calls, which run at once
	watchWait    = 4 * time.Second  // a page must not wait for a provider that hangs
)

// Watch returns a connection for a page that is looked at. While it is linked, its provider is asked every 3 seconds
// at most, however many pages look at it. Errors: ErrNotFound.
func (s *Service) Watch(ctx context.Context, by caller.Caller, id uuid.UUID) (*Connection, error) {
	r, err := s.find(ctx, by, id)
	if err != nil {
		return nil, err
	}
	if r.State != channel.ShowsQR && r.State != channel.Connecting {
		return &r.Connection, nil
	}
	tag, err := s.PG.Pool.Exec(ctx, `UPDATE messaging_connections SET checked_at = now() WHERE id = $1 AND deleted_at IS NULL AND checked_at < now() - $2::interval`, id, watchEvery)
	if err != nil {
		return nil, fmt.Errorf("watch connection: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return &r.Connection, nil
	}
	err = s.ask(ctx, r, question{wait: watchWait})
	if err != nil && apperr.From(err).Code != ErrUnreadable.Code { // without its key, the stored state is shown
		return nil, err
	}
	return s.Get(ctx, by, id)
}

// dueSQL takes the connections whose state is old, the oldest first, so that another process does not ask for them,
// too.
const dueSQL = `UPDATE messaging_connections SET checked_at = now()
	WHERE id IN (SELECT id FROM messaging_connections WHERE deleted_at IS NULL
			AND checked_at < now() - CASE WHEN state IN ('qr', 'connecting') THEN $1::interval WHEN state = 'disconnected' THEN $2::interval ELSE $3::interval END
		ORDER BY checked_at LIMIT $4 FOR UPDATE SKIP LOCKED)
	RETURNING id`

// Sweep asks the providers of connections whose state is old, up to 20 at once, so that an account that was linked or
// lost without a webhook is seen. It is a part of the task message.sweep.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.PG.Pool.Query(ctx, dueSQL, linkingEvery, downEvery, restEvery, sweepSize)
	if err != nil {
		return fmt.Errorf("sweep connections: %w", err)
	}
	due, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("sweep connections: %w", err)
	}
	return channel.AskAll(due, func(id uuid.UUID) error { return s.look(ctx, id) })
}

// look asks for the state of one connection. One that was deleted meanwhile, or cannot be read, does not fail the
// sweep.
func (s *Service) look(ctx context.Context, id uuid.UUID) error {
	r, err := s.one(ctx, `c.id = $1`, id)
	if err == nil {
		err = s.ask(ctx, r, question{wait: sweepWait})
	}
	if e := apperr.From(err); err != nil && (e.Code == ErrNotFound.Code || e.Code == ErrUnreadable.Code) {
		s.Log.WarnContext(
			ctx, "messaging: connection not checked", slog.String("connection_id", id.String()),
			slog.String("code", e.Code),
		)
		return nil
	}
	return err
}
