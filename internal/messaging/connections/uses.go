package connections

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging/channel"
	"banca/internal/platform/caller"
	"banca/storage"
)

// Use is the connection that an entity uses: its own, or its nearest ancestor's.
type Use struct {
	EntityID   uuid.UUID
	EntityName string
	EntityType string
	Connection uuid.UUID // zero for the configured channel
	OwnerID    uuid.UUID // the entity whose connection it is; zero, as all of the connection but its id and state, if it is above the caller
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

// useColumns have of a connection what the condition %[1]s lets the caller see.
const useColumns = `e.id, e.name, e.entity_type, coalesce(c.id, '00000000-0000-0000-0000-000000000000'), coalesce(CASE WHEN %[1]s THEN c.entity_id END, '00000000-0000-0000-0000-000000000000'),
	coalesce(CASE WHEN %[1]s THEN o.name END, ''), coalesce(CASE WHEN %[1]s THEN c.name END, ''), coalesce(CASE WHEN %[1]s THEN c.driver END, ''), coalesce(c.state, ''),
	coalesce(CASE WHEN %[1]s THEN c.phone END, ''), coalesce(CASE WHEN %[1]s THEN c.per_minute END, 0)`

// usedSQL joins each entity with the connection that is nearest on its path.
const usedSQL = `FROM entities e LEFT JOIN LATERAL (
		SELECT * FROM messaging_connections c WHERE c.deleted_at IS NULL AND c.entity_id = ANY (string_to_array(trim(BOTH '/' FROM e.path), '/')::uuid[])
		ORDER BY array_position(string_to_array(trim(BOTH '/' FROM e.path), '/')::uuid[], c.entity_id) DESC LIMIT 1) c ON true LEFT JOIN entities o ON o.id = c.entity_id`

const ownedSQL = `FROM messaging_connections c JOIN entities e ON e.id = c.entity_id AND c.deleted_at IS NULL JOIN entities o ON o.id = e.id`

// Uses returns the entities in the caller's scope with the connections that they use, by name. Of an inherited
// connection that belongs to an entity above the caller only the state is told.
func (s *Service) Uses(ctx context.Context, by caller.Caller, f *UseFilter, limit, offset int) ([]Use, int64, error) {
	w := &storage.Where{}
	scope := w.Arg(by.Scope.Pattern())
	w.And(`e.path LIKE ` + scope)
	visible := `o.path LIKE ` + scope
	if f.State != "" {
		w.And(`c.state = ` + w.Arg(f.State))
	}
	if f.Search != "" {
		like := w.Arg(storage.Containing(f.Search))
		w.And(`(e.name ILIKE ` + like + ` OR e.code ILIKE ` + like + ` OR c.name ILIKE ` + like + ` AND ` + visible + `)`)
	}
	from := usedSQL
	if f.Own {
		from = ownedSQL
	}
	l := &storage.Listing{Columns: fmt.Sprintf(useColumns, visible), From: from, Where: w, Order: `e.name, e.id`}
	list, total, err := storage.List(ctx, s.PG.Pool, l, pgx.RowToStructByPos[Use], limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list uses: %w", err)
	}
	return list, total, nil
}
