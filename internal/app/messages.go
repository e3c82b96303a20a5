package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	apimessaging "banca/api/messaging"
	"banca/internal/clock"
	"banca/internal/config"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
	"banca/internal/messaging/cloud"
	"banca/internal/messaging/connections"
	"banca/internal/messaging/evolution"
	"banca/internal/messaging/logdriver"
	"banca/internal/messaging/pace"
	"banca/internal/messaging/signed"
	"banca/internal/messaging/waha"
	"banca/internal/ratelimit"
	"banca/internal/secrets"
	"banca/internal/tickets"
	"banca/models"
)

// addMessaging adds messages and connections. Entities without a connection use the configured channel.
func (s *services) addMessaging(st *stores, cfg *config.Config, mode config.Mode, clk clock.Clock, log *slog.Logger) error {
	keys, err := secrets.Parse(cfg.Secrets.Keys.Reveal())
	if err != nil {
		return fmt.Errorf("SECRET_KEYS: %w", err)
	}
	drivers := newDrivers(&cfg.Messaging, clk, log)
	s.connections = connections.New(connections.Deps{
		PG: st.pg, Org: s.org, Drivers: drivers, Keys: keys, Configured: configuredChannel(&cfg.Messaging, mode), PerMinute: cfg.Messaging.PerMinute,
		WebhookURL: cfg.HTTP.PublicURL + cfg.HTTP.BasePath + apimessaging.WebhooksPath, Guesses: ratelimit.NewGuesses(st.redis, clk), Clock: clk, Log: log,
	})
	s.messaging = messaging.New(messaging.Config{
		Pool: st.pg.Pool, Org: s.org, Routes: s.connections, Drivers: drivers,
		Clock: clk, Log: log, Wake: s.notifier.Wake, Codes: s.auth.CodeText, Events: s.bus,
		Pacer: pace.New(st.redis, clk), RecipientLane: pace.PerMinute("", cfg.Messaging.RecipientPerMinute, time.Minute), Obsolete: s.obsoleteMessage,
	})
	s.connections.Changed = s.messaging.ChannelChanged
	return nil
}

// codeCancelled is the code of a receipt whose ticket was cancelled before it was sent.
const codeCancelled = "TICKET_CANCELLED"

// obsoleteMessage refuses the receipt of a ticket that was cancelled meanwhile.
func (s *services) obsoleteMessage(ctx context.Context, m messaging.Queued) (string, error) {
	if m.Kind != models.MessageReceipt || m.TicketID == uuid.Nil {
		return "", nil
	}
	status, err := tickets.Status(ctx, s.pg.Pool, m.TicketID)
	if err != nil || status != models.TicketCancelled {
		return "", err
	}
	return codeCancelled, nil
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
