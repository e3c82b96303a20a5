package messaging

import (
	"context"
	"log/slog"
)

// LogDriver delivers by writing a line to the log: for development without a gateway.
type LogDriver struct{ log *slog.Logger }

// NewLogDriver returns a driver that writes to log.
func NewLogDriver(log *slog.Logger) LogDriver { return LogDriver{log} }

// Send implements Driver.
func (d LogDriver) Send(ctx context.Context, _ Channel, m Message) (Receipt, error) {
	d.log.InfoContext(ctx, "messaging: message",
		slog.String("id", m.ID.String()), slog.String("recipient", Mask(m.Recipient)), slog.Bool("picture", m.ImageURL != ""))
	return Receipt{ProviderID: "log-" + m.ID.String()}, nil
}
