package alerts

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// trimBatch bounds the rows that one statement deletes.
const trimBatch = 5_000

// Occurrences are count occurrences of one kind, source and subject within an hour.
type Occurrences struct {
	Kind, Source string
	SubjectID    uuid.UUID // Nil for none
	Count        int64
	First, Last  time.Time
}

// upsert creates an alert or adds to its count. It reopens an acknowledged alert.
const upsert = `INSERT INTO security_alerts (id, kind, address, subject_id, hour, count, first_seen_at, last_seen_at)
	VALUES ($1, $2, $3, nullif($4::uuid, '00000000-0000-0000-0000-000000000000'), $5, $6, $7, $8)
	ON CONFLICT (kind, address, hour, coalesce(subject_id, '00000000-0000-0000-0000-000000000000')) DO UPDATE
	SET count = security_alerts.count + excluded.count,
		last_seen_at = greatest(security_alerts.last_seen_at, excluded.last_seen_at),
		acknowledged_at = NULL, acknowledged_by = NULL`

// Queue adds occurrences to their alert in a batch of the caller's transaction.
func Queue(b *pgx.Batch, o *Occurrences) {
	b.Queue(upsert, uuid.Must(uuid.NewV7()), o.Kind, o.Source, o.SubjectID, o.First.Truncate(time.Hour), o.Count, o.First, o.Last)
}

// Raise adds count to the current hour's alert of a kind about a source.
func (s *Service) Raise(ctx context.Context, kind, source string, count int) error {
	now, b := s.deps.Clock.Now(), &pgx.Batch{}
	Queue(b, &Occurrences{Kind: kind, Source: source, Count: int64(count), First: now, Last: now})
	if err := s.deps.PG.Pool.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("raise alert %s: %w", kind, err)
	}
	return nil
}

// Trim deletes alerts that are older than their retention. It returns their number and is idempotent.
func (s *Service) Trim(ctx context.Context) (int64, error) {
	n, err := storage.Batched(ctx, s.deps.PG.Pool, trimBatch, storage.Statement{
		SQL:  `DELETE FROM security_alerts WHERE id IN (SELECT id FROM security_alerts WHERE last_seen_at < $1 LIMIT $2)`,
		Args: []any{s.deps.Clock.Now().Add(-s.deps.Retention)},
	})
	if err != nil {
		return n, fmt.Errorf("trim alerts: %w", err)
	}
	return n, nil
}
