package app

import (
	"log/slog"
	"net/url"

	"banca/internal/clock"
	"banca/internal/config"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
	"banca/internal/messaging/evolution"
	"banca/internal/messaging/logdriver"
)

// newMessaging wires the drivers; every entity uses the configured channel.
func newMessaging(st *stores, cfg *config.Config, mode config.Mode, clk clock.Clock, log *slog.Logger, s *services) *messaging.Service {
	return messaging.New(messaging.Config{
		Pool: st.pg.Pool, Org: s.org,
		Channels: messaging.NewStaticChannels(configuredChannel(&cfg.Messaging, mode)),
		Drivers:  newDrivers(&cfg.Messaging, log),
		Clock:    clk, Log: log, Wake: s.notifier.Wake, Codes: s.auth.CodeText, Events: s.bus,
	})
}

// newDrivers returns the drivers by name.
func newDrivers(cfg *config.Messaging, log *slog.Logger) map[string]channel.Driver {
	private := cfg.PrivateHosts
	if u, err := url.Parse(cfg.GatewayURL); err == nil && u.Host != "" {
		private = append(private[:len(private):len(private)], u.Host) // the environment chose it
	}
	client := httpcall.New(private, nil)
	return channel.ByName(evolution.New(client), logdriver.New(log))
}

// configuredChannel is the channel of the environment.
func configuredChannel(cfg *config.Messaging, mode config.Mode) channel.Channel {
	c := channel.Channel{Driver: cfg.DriverIn(mode)}
	if c.Driver != config.DriverLog {
		c.Parameters = map[string]string{
			channel.ParamBaseURL: cfg.GatewayURL, channel.ParamInstance: cfg.Instance, channel.ParamAPIKey: cfg.APIKey.Reveal(),
		}
	}
	return c
}
