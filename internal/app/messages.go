package app

import (
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	apimessaging "banca/api/messaging"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
	"banca/internal/messaging/cloud"
	"banca/internal/messaging/connections"
	"banca/internal/messaging/evolution"
	"banca/internal/messaging/logdriver"
	"banca/internal/messaging/pace"
	"banca/internal/messaging/signed"
	"banca/internal/messaging/templates"
	"banca/internal/messaging/waha"
	"banca/internal/notices"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/internal/platform/ratelimit"
	"banca/internal/platform/secrets"
)

// addMessaging adds messages and connections. Entities without a connection use the configured channel.
func (s *services) addMessaging(
	st *stores, cfg *config.Config, mode config.Mode, clk clock.Clock, log *slog.Logger,
) error {
	keys, err := secrets.Parse(cfg.Secrets.Keys.Reveal())
	if err != nil {
		return fmt.Errorf("SECRET_KEYS: %w", err)
	}
	s.templates = templates.New(st.pg, s.org)
	drivers := newDrivers(&cfg.Messaging, clk, log)
	configured := configuredChannel(&cfg.Messaging, mode)
	if err := checkConfigured(drivers, configured); err != nil {
		return err
	}
	s.connections = connections.New(connections.Deps{
		PG: st.pg, Org: s.org, Drivers: drivers, Keys: keys, Configured: configured, PerMinute: cfg.Messaging.PerMinute,
		WebhookURL: cfg.HTTP.PublicURL + cfg.HTTP.BasePath + apimessaging.WebhooksPath, Guesses: ratelimit.NewGuesses(st.redis, clk), Clock: clk, Log: log,
	})
	s.messaging = messaging.New(messaging.Deps{
		Pool: st.pg.Pool, Commits: st.pg.Commits, Org: s.org, Routes: s.connections, Drivers: drivers,
		Clock: clk, Log: log, Wake: s.notifier.Wake, Codes: s.codeMessage, Events: s.bus,
		Pacer: pace.New(st.redis, clk), RecipientLane: pace.PerMinute("", cfg.Messaging.RecipientPerMinute, time.Minute), Obsolete: notices.Obsolescence{Pool: st.pg.Commits, Org: s.org}.Codes, Retention: cfg.Messaging.MessageRetention,
	})
	s.connections.Changed = s.messaging.ChannelChanged
	return nil
}

// newDrivers returns the drivers by name.
func newDrivers(cfg *config.Messaging, clk clock.Clock, log *slog.Logger) map[string]channel.Driver {
	private := cfg.PrivateHosts
	if u, err := url.Parse(cfg.GatewayURL); err == nil && u.Host != "" {
		private = append(slices.Clip(private), u.Host) // the environment chose it
	}
	client := httpcall.New(private, nil)
	return channel.ByName(cloud.New(client), evolution.New(client), waha.New(client), signed.New(client, clk.Now), logdriver.New(log))
}

// checkConfigured returns an error if the driver of the configured channel refuses a parameter.
func checkConfigured(drivers map[string]channel.Driver, c channel.Channel) error {
	d, ok := drivers[c.Driver]
	if !ok {
		return fmt.Errorf("MESSAGING_DRIVER: there is no driver %q", c.Driver)
	}
	names := map[string]string{channel.ParamBaseURL: "MESSAGING_URL", channel.ParamInstance: "MESSAGING_INSTANCE", channel.ParamAPIKey: "MESSAGING_API_KEY"}
	for _, p := range channel.Validate(d.Parameters(), c.Parameters) {
		if c.Get(p.Parameter) != "" { // internal/platform/config tells of those that are missing
			return fmt.Errorf("%s: the driver %s refuses it: %s", names[p.Parameter], c.Driver, p.Reason)
		}
	}
	return nil
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
