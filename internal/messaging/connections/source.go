package connections

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"banca/internal/messaging/channel"
)

// Route returns the route of an entity's messages: its own connection, its nearest ancestor's, or the configured
// channel.
func (s *Service) Route(ctx context.Context, entityID uuid.UUID) (channel.Route, error) {
	chain, err := s.Org.Chain(ctx, entityID)
	if err != nil {
		return channel.Route{}, err
	}
	ids := make([]uuid.UUID, len(chain))
	for i := range chain {
		ids[i] = chain[i].ID
	}
	r, err := s.one(ctx, `c.entity_id = ANY($1) ORDER BY array_position($1, c.entity_id) DESC LIMIT 1`, ids)
	if errors.Is(err, ErrNotFound) {
		return channel.Route{Channel: s.Configured, PerMinute: s.PerMinute}, nil
	}
	if err != nil {
		return channel.Route{}, err
	}
	c, err := s.channelOf(r)
	return channel.Route{Channel: c, PerMinute: r.PerMinute}, err
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
