package app

import (
	"log/slog"

	"banca/internal/bank"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
)

// newBank wires the bank domain over the services below it.
func newBank(st *stores, cfg *config.Config, s *services, clk clock.Clock, log *slog.Logger) *bank.Service {
	c := &cfg.Bank
	return bank.New(bank.Deps{
		PG: st.pg, Org: s.org, Ledger: s.ledger, Messages: s.messaging, Clock: clk, Log: log, Wake: s.notifier.Wake,
		Options: bank.Options{
			Token: c.WebhookToken.Reveal(), NextToken: c.NextWebhookToken.Reveal(), AllowedIPs: c.AllowedIPs,
			TrustedProxies: cfg.HTTP.TrustedProxies, RequireTLS: c.RequireTLS, OwnTLS: cfg.HTTP.TLSCertFile != "",
			Zone: cfg.Business.Zone, Currency: c.BankCurrency, Hold: c.Hold, RequestExpiry: c.RequestExpiry,
			OpenDeposits: c.OpenDeposits, Unmatched: c.Unmatched, CallLimit: c.CallLimit, CallWindow: c.CallWindow,
			RefusedLimit: c.RefusedLimit, RefusedWindow: c.RefusedWindow, EventRetention: c.EventRetention, PayloadRetention: c.PayloadRetention,
		},
	})
}
