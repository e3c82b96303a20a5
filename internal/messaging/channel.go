package messaging

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/messaging/channel"
)

// ChannelSource finds the channel of an entity, with inherited settings.
type ChannelSource interface {
	Channel(ctx context.Context, entityID uuid.UUID) (channel.Channel, error)
}

// StaticChannels gives every entity the same channel, the one of the configuration.
type StaticChannels struct{ channel channel.Channel }

// NewStaticChannels returns a source with one channel.
func NewStaticChannels(c channel.Channel) StaticChannels { return StaticChannels{c} }

// Channel implements ChannelSource.
func (s StaticChannels) Channel(context.Context, uuid.UUID) (channel.Channel, error) {
	return s.channel, nil
}
