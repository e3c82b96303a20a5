package messaging

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// Pause is the pause of a channel, after which its provider is asked and its messages go on.
type Pause struct {
	ChannelID uuid.UUID
	Since     time.Time
	Until     time.Time // the provider is asked from then on
	Kind      string    // of the failure
	Reason    string    // the provider's
	Failures  int       // in a row
	Waiting   int64     // messages, as storage.List counts
}

const pausesSQL = `SELECT c.channel_id, c.paused_at, c.paused_until, c.kind, c.reason, c.failures,
		(SELECT count(*) FROM (SELECT 1 FROM message_logs m WHERE m.waiting AND m.channel_id = c.channel_id LIMIT $2) waiting)
	FROM messaging_channels c WHERE c.channel_id = ANY($1) AND c.paused_until IS NOT NULL`

// Pauses returns the pauses of the paused channels. The caller has checked the access to the channels.
func (s *Service) Pauses(ctx context.Context, channels []uuid.UUID) (map[uuid.UUID]Pause, error) {
	rows, err := s.deps.Pool.Query(ctx, pausesSQL, storage.UUIDs(channels), storage.MaxCounted)
	if err != nil {
		return nil, fmt.Errorf("messaging: pauses: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Pause])
	if err != nil {
		return nil, fmt.Errorf("messaging: pauses: %w", err)
	}
	paused := make(map[uuid.UUID]Pause, len(list))
	for _, p := range list {
		paused[p.ChannelID] = p
	}
	return paused, nil
}
