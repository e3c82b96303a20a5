package messaging

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/messaging/channel"
)

// Routes finds the channels of entities, with inherited settings.
type Routes interface {
	// Find returns the channels of the messages of entities, by their ids.
	Find(ctx context.Context, entityIDs []uuid.UUID) (map[uuid.UUID]channel.Found, error)
	// ByID returns a channel, the configured one for the zero id. Errors: one of kind not_found for a deleted
	// connection.
	ByID(ctx context.Context, id uuid.UUID) (channel.Channel, error)
}

// StaticRoute returns one channel for every entity.
type StaticRoute struct{ route channel.Route }

// NewStaticRoute returns the route to one channel, without a limit of messages a minute.
func NewStaticRoute(c channel.Channel) StaticRoute { return StaticRoute{channel.Route{Channel: c}} }

// Find implements Routes.
func (s StaticRoute) Find(_ context.Context, entityIDs []uuid.UUID) (map[uuid.UUID]channel.Found, error) {
	found := make(map[uuid.UUID]channel.Found, len(entityIDs))
	for _, id := range entityIDs {
		found[id] = channel.Found{Route: s.route}
	}
	return found, nil
}

// ByID implements Routes.
func (s StaticRoute) ByID(context.Context, uuid.UUID) (channel.Channel, error) {
	return s.route.Channel, nil
}
