package app

import (
	"log/slog"
	"net/http"

	"banca/internal/clock"
	"banca/internal/config"
	"banca/internal/messaging"
)

// newMessaging wires the drivers; every entity uses the configured channel.
func newMessaging(st *stores, cfg *config.Config, mode config.Mode, clk clock.Clock, log *slog.Logger, s *services) *messaging.Service {
	return messaging.New(messaging.Config{
		Pool: st.pg.Pool, Org: s.org,
		Channels: messaging.NewStaticChannels(messaging.Channel{
			Driver: cfg.Messaging.DriverIn(mode), BaseURL: cfg.Messaging.GatewayURL,
			Instance: cfg.Messaging.Instance, APIKey: cfg.Messaging.APIKey.Reveal(),
		}),
		Drivers: map[string]messaging.Driver{
			config.DriverEvolution: messaging.NewEvolution(&http.Client{Transport: http.DefaultTransport}),
			config.DriverLog:       messaging.NewLogDriver(log),
		},
		Clock: clk, Log: log, Wake: s.notifier.Wake, Codes: s.auth.CodeText, Events: s.bus,
	})
}
