// Package logdriver delivers messages by writing a line to the log: for development without a gateway.
package logdriver

import (
	"context"
	"log/slog"

	"banca/internal/messaging/channel"
	"banca/internal/platform/phone"
)

// Driver implements channel.Driver.
type Driver struct{ log *slog.Logger }

// New returns a driver that writes to log.
func New(log *slog.Logger) Driver { return Driver{log} }

// Name implements channel.Driver.
func (Driver) Name() string { return "log" }

// Parameters implements channel.Driver: there are none.
func (Driver) Parameters() []channel.Parameter { return nil }

// Send implements channel.Driver.
func (d Driver) Send(ctx context.Context, _ channel.Channel, m channel.Message) (channel.Receipt, error) {
	d.log.InfoContext(ctx, "messaging: message",
		slog.String("id", m.ID.String()), slog.String("recipient", phone.Mask(m.Recipient)), slog.Bool("picture", m.ImageURL != ""))
	return channel.Receipt{ProviderID: "log-" + m.ID.String()}, nil
}

// State implements channel.Driver: a log is always open.
func (Driver) State(context.Context, channel.Channel) (channel.Link, error) {
	return channel.Link{State: channel.Open}, nil
}
