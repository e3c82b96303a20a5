package connections

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/caller"
	"banca/internal/messaging/channel"
	"banca/storage"
)

// Use is the connection that an entity uses: its own, or that of the nearest entity above it.
type Use struct {
	EntityID   uuid.UUID
	EntityName string
	EntityType string
	Connection uuid.UUID // zero for the configured channel
	OwnerID    uuid.UUID // the entity whose connection it is
	OwnerName  string
	Name       string
	Driver     string
	State      channel.State
	Phone      string
	PerMinute  int
}

// Own reports whether the connection is the entity's own.
func (u *Use) Own() bool { return u.Connection != uuid.Nil && u.OwnerID == u.EntityID }

// UseFilter narrows a list of uses; zero fields mean any.
type UseFilter struct {
	Own    bool   // only entities with a connection of their own
	State  string // of the connection
	Search string // part of the entity's name or code, or of the connection's name
}

const useColumns = `e.id, e.name, e.entity_type, coalesce(c.id, '00000000-0000-0000-0000-000000000000'), coalesce(c.entity_id, '00000000-0000-0000-0000-000000000000'),
	coalesce(o.name, ''), coalesce(c.name, ''), coalesce(c.driver, ''), coalesce(c.state, ''), coalesce(c.phone, ''), coalesce(c.per_minute, 0)`

// usedSQL joins each entity with the connection that is nearest on its path.
const usedSQL = `FROM entities e LEFT JOIN LATERAL (
		SELECT * FROM messaging_connections c WHERE c.deleted_at IS NULL AND c.entity_id = ANY (string_to_array(trim(BOTH '/' FROM e.path), '/')::uuid[])
		ORDER BY array_position(string_to_array(trim(BOTH '/' FROM e.path), '/')::uuid[], c.entity_id) DESC LIMIT 1) c ON true`

const ownedSQL = `FROM messaging_connections c JOIN entities e ON e.id = c.entity_id AND c.deleted_at IS NULL`

// Uses returns the entities in the caller's scope with the connections that they use, by name. An inherited connection may belong to an entity
// above the caller, so only its state is told.
func (s *Service) Uses(ctx context.Context, by caller.Caller, f *UseFilter, limit, offset int) ([]Use, int64, error) {
	w := &storage.Where{}
	w.And(`e.path LIKE ` + w.Arg(by.Scope.Pattern()))
	if f.State != "" {
		w.And(`c.state = ` + w.Arg(f.State))
	}
	if f.Search != "" {
		like := w.Arg(storage.Containing(f.Search))
		w.And(`(e.name ILIKE ` + like + ` OR e.code ILIKE ` + like + ` OR c.name ILIKE ` + like + `)`)
	}
	from := usedSQL
	if f.Own {
		from = ownedSQL
	}
	l := &storage.Listing{Columns: useColumns, From: from + ` LEFT JOIN entities o ON o.id = c.entity_id`, CountFrom: from, Where: w, Order: `e.name, e.id`}
	list, total, err := storage.List(ctx, s.PG.Pool, l, pgx.RowToStructByPos[Use], limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list uses: %w", err)
	}
	return list, total, nil
}
