package messaging

import (
	"context"
	"log/slog"

	"github.com/google/uuid"
)

// Channel is where an entity's messages go: a driver and its settings.
type Channel struct {
	Driver   string // a key of Config.Drivers
	BaseURL  string // of the gateway, without a slash at the end
	Instance string // the gateway's name of the linked account
	APIKey   string
}

// LogValue implements slog.LogValuer: the key stays out of logs.
func (c Channel) LogValue() slog.Value {
	return slog.GroupValue(slog.String("driver", c.Driver), slog.String("base_url", c.BaseURL), slog.String("instance", c.Instance))
}

// String implements fmt.Stringer, for the same reason.
func (c Channel) String() string { return c.Driver + " " + c.BaseURL + " " + c.Instance }

// ChannelSource finds the channel of an entity, with inherited settings.
type ChannelSource interface {
	Channel(ctx context.Context, entityID uuid.UUID) (Channel, error)
}

// StaticChannels gives every entity the same channel, the one of the configuration.
type StaticChannels struct{ channel Channel }

// NewStaticChannels returns a source with one channel.
func NewStaticChannels(channel Channel) StaticChannels { return StaticChannels{channel} }

// Channel implements ChannelSource.
func (s StaticChannels) Channel(context.Context, uuid.UUID) (Channel, error) { return s.channel, nil }

// Message is delivered by a driver: a text, or a picture with the text as its caption.
type Message struct {
	ID        uuid.UUID
	Recipient string // E.164
	Body      string
	ImageURL  string // empty for a text
}

// Receipt proves that a gateway accepted a message.
type Receipt struct{ ProviderID string }

// Driver speaks to one sort of gateway. Send makes exactly one attempt within ctx; its errors are *Error,
// and unknown_outcome whenever the gateway may have accepted the message.
type Driver interface {
	Send(ctx context.Context, channel Channel, message Message) (Receipt, error)
}
