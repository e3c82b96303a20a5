package connections

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Rotate seals the secrets of every connection with the newest key that are sealed with an older one, and returns how many.
func (s *Service) Rotate(ctx context.Context) (n int, err error) {
	rows, err := s.PG.Pool.Query(ctx, `SELECT id, secrets FROM messaging_connections WHERE deleted_at IS NULL ORDER BY id`)
	if err != nil {
		return 0, fmt.Errorf("list secrets: %w", err)
	}
	type sealed struct {
		ID      uuid.UUID
		Secrets string
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[sealed])
	if err != nil {
		return 0, fmt.Errorf("list secrets: %w", err)
	}
	for _, r := range all {
		if s.Keys.Current(r.Secrets) {
			continue
		}
		value, err := s.Keys.Open(r.Secrets, sealContext(r.ID))
		if err != nil {
			return n, fmt.Errorf("connection %s: %w", r.ID, err)
		}
		again, err := s.Keys.Seal(value, sealContext(r.ID))
		if err != nil {
			return n, err
		}
		// A connection that was changed meanwhile has other secrets, sealed with a key of this or a later process.
		tag, err := s.PG.Pool.Exec(ctx, `UPDATE messaging_connections SET secrets = $3 WHERE id = $1 AND secrets = $2`, r.ID, r.Secrets, again)
		if err != nil {
			return n, fmt.Errorf("seal again: %w", err)
		}
		n += int(tag.RowsAffected())
	}
	return n, nil
}
