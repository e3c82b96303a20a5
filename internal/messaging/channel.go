package messaging

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/messaging/channel"
)

// Routes finds the channels of entities, with inherited settings.
type Routes interface {
	// Route returns the channel of an entity's messages.
	Route(ctx context.Context, entityID uuid.UUID) (channel.Route, error)
	// ByID returns a channel, the configured one for the zero id. Errors: one of kind not_found for a deleted
	// connection.
	ByID(ctx context.Context, id uuid.UUID) (channel.Channel, error)
}

// StaticRoute returns one channel for every entity.
type StaticRoute struct{ route channel.Route }

// NewStaticRoute returns the route to one channel, without a limit of messages a minute.
func NewStaticRoute(c channel.Channel) StaticRoute { return StaticRoute{channel.Route{Channel: c}} }

// Route implements Routes.
func (s StaticRoute) Route(context.Context, uuid.UUID) (channel.Route, error) { return s.route, nil }

// ByID implements Routes.
func (s StaticRoute) ByID(context.Context, uuid.UUID) (channel.Channel, error) {
	return s.route.Channel, nil
}
