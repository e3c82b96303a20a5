package messaging

import (
	"context"
	"fmt"
	"time"

	"banca/models"
	"banca/storage"
)

// Bounds of Health: messages that failed lately are younger than MaxAge.
const (
	healthCounted = 10_000
	healthLately  = time.Hour
)

// Health is the state of the messages of all entities.
type Health struct {
	Waiting  int64     // not sent yet; at most healthCounted
	OldestAt time.Time // of messages that wait neither for a pause nor for a slot; zero without one
	Failed   int64     // in the last hour, finally or with an unknown outcome
	Paused   int64     // channels
}

// Health returns the state of the messages of all entities. Its statements read the indexes of unfinished and failed
// messages.
func (s *Service) Health(ctx context.Context, q storage.RowQuerier) (Health, error) {
	var h Health
	var oldest *time.Time
	err := q.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM (SELECT 1 FROM message_logs WHERE status IN ('queued', 'sending') LIMIT $1) unfinished),
		(SELECT min(queued_at) FROM (SELECT queued_at FROM message_logs WHERE status = 'queued' AND NOT waiting AND (send_after IS NULL OR send_after < now())
			ORDER BY status, queued_at LIMIT 1) first),
		(SELECT count(*) FROM (SELECT 1 FROM message_logs WHERE status IN ('failed', 'unknown') AND id >= $2 AND updated_at > now() - $3::interval LIMIT $1) failed),
		(SELECT count(*) FROM messaging_channels WHERE paused_until IS NOT NULL)`,
		healthCounted, storage.FirstID(s.deps.Clock.Now().Add(-s.deps.MaxAge)), healthLately).Scan(&h.Waiting, &oldest, &h.Failed, &h.Paused)
	if err != nil {
		return h, fmt.Errorf("messaging: health: %w", err)
	}
	h.OldestAt = models.Instant(oldest)
	return h, nil
}
