package connections

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging/channel"
	"banca/internal/org"
	"banca/storage"
)

// Find returns the routes of the messages of entities: the entity's own connection, its nearest ancestor's, or the configured
// channel. One statement reads the connections of all.
func (s *Service) Find(ctx context.Context, entityIDs []uuid.UUID) (map[uuid.UUID]channel.Found, error) {
	chains, ids := make(map[uuid.UUID]org.Chain, len(entityIDs)), storage.UUIDs{}
	found := make(map[uuid.UUID]channel.Found, len(entityIDs))
	for _, id := range entityIDs {
		chain, err := s.Org.Chain(ctx, id)
		if err != nil {
			found[id] = channel.Found{Err: err}
			continue
		}
		chains[id] = chain
		for i := range chain {
			ids = append(ids, chain[i].ID)
		}
	}
	rows, err := s.PG.Commits.Query(ctx, `SELECT `+columns+` `+fromConnections+` WHERE c.deleted_at IS NULL AND c.entity_id = ANY($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("find connections: %w", err)
	}
	list, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("find connections: %w", err)
	}
	for id, chain := range chains {
		found[id] = s.routeOf(chain, list)
	}
	return found, nil
}

// routeOf returns the route of the last entity of a chain by the connections of its entities, at most one each.
func (s *Service) routeOf(chain org.Chain, list []row) channel.Found {
	for _, e := range slices.Backward(chain) {
		at := slices.IndexFunc(list, func(r row) bool { return r.EntityID == e.ID })
		if at < 0 {
			continue
		}
		c, err := s.channelOf(&list[at])
		return channel.Found{Route: channel.Route{Channel: c, PerMinute: list[at].PerMinute}, Err: err}
	}
	return channel.Found{Route: channel.Route{Channel: s.Configured, PerMinute: s.PerMinute}}
}

// ByID returns a channel by its id, which is zero for the configured one. Errors: ErrNotFound for a deleted connection.
func (s *Service) ByID(ctx context.Context, id uuid.UUID) (channel.Channel, error) {
	if id == uuid.Nil {
		return s.Configured, nil
	}
	r, err := s.one(ctx, `c.id = $1`, id)
	if err != nil {
		return channel.Channel{}, err
	}
	return s.channelOf(r)
}
