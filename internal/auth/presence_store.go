package auth

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/storage"
)

// writeSightings brings times to the rows of sessions and of their users. These are two transactions, each of which
// locks its rows in the order of their ids: two processes, or a write here and a change of a user there, never wait
// for each other in a circle.
func (s *Service) writeSightings(ctx context.Context, seen []sighting) error {
	sessions, users := make(map[uuid.UUID]time.Time, len(seen)), make(map[uuid.UUID]time.Time, len(seen))
	for _, last := range seen {
		sessions[last.session] = last.at
		if last.at.After(users[last.user]) {
			users[last.user] = last.at
		}
	}
	if err := s.writeTimes(ctx, "user_sessions", "last_seen_at", sessions); err != nil {
		return err
	}
	return s.writeTimes(ctx, "users", "last_activity_at", users)
}

// writeTimes sets a column of many rows to later times.
func (s *Service) writeTimes(ctx context.Context, table, column string, times map[uuid.UUID]time.Time) error {
	ids := slices.SortedFunc(maps.Keys(times), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	instants := make(storage.Timestamps, len(ids))
	for i, id := range ids {
		instants[i] = times[id]
	}
	_, err := s.pg.Pool.Exec(ctx, fmt.Sprintf(`
		WITH seen AS (SELECT * FROM unnest($1::uuid[], $2::timestamptz[]) AS x (id, at)),
		locked AS (SELECT id FROM %[1]s WHERE id IN (SELECT id FROM seen) ORDER BY id FOR NO KEY UPDATE)
		UPDATE %[1]s t SET %[2]s = seen.at FROM seen JOIN locked USING (id)
		WHERE t.id = seen.id AND (t.%[2]s IS NULL OR t.%[2]s < seen.at)`, table, column), storage.UUIDs(ids), instants)
	if err != nil {
		return fmt.Errorf("write %s: %w", column, err)
	}
	return nil
}
