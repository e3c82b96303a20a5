package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/activity"
	"banca/internal/agencies"
	"banca/internal/alerts"
	"banca/internal/assistant"
	"banca/internal/assistant/tools"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/catalog"
	"banca/internal/closes"
	"banca/internal/customers"
	"banca/internal/dev/simulators"
	"banca/internal/dev/testkit"
	"banca/internal/devices"
	"banca/internal/draws"
	"banca/internal/exports"
	"banca/internal/ledger"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
	"banca/internal/messaging/connections"
	"banca/internal/messaging/evolution"
	"banca/internal/messaging/logdriver"
	"banca/internal/messaging/templates"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/completion"
	"banca/internal/platform/ratelimit"
	"banca/internal/platform/realtime"
	"banca/internal/platform/requestlog"
	"banca/internal/platform/secrets"
	"banca/internal/platform/sheet"
	"banca/internal/prizes"
	"banca/internal/receipts"
	"banca/internal/reports"
	"banca/internal/risk"
	"banca/internal/risk/exposure"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/services"
	first "banca/internal/setup"
	"banca/internal/setup/imports"
	"banca/internal/weekly"
	"banca/web/kit"
)

// Paths of the panel and fields of its forms, as a browser knows them.
const (
	orgPath         = "/admin/organisation"
	gamesPath       = "/admin/games"
	drawsPath       = "/admin/draws"
	ticketsPath     = "/admin/tickets"
	prizesPath      = "/admin/prizes"
	differencesPath = "/admin/prize-differences"
	exposurePath    = "/admin/exposure"
	bankPath        = "/admin/bank"
	customersPath   = "/admin/customers"
	closesPath      = "/admin/closes"
	messagesPath    = "/admin/messages"

	tokenField    = kit.TokenField
	sessionCookie = kit.SessionCookie
	spanish       = kit.Spanish
	english       = kit.English

	browserCookie  = "banca_browser"
	languageCookie = "banca_language"
	passwordField  = "confirm_password"
	codeField      = "confirm_code"
	sendField      = "confirm_send"
	waitingField   = "confirm_form"
	scriptHeader   = "HX-Request"
)

// depsOf returns the services of a panel over a database whose organisation begins at root.
func depsOf(t *testing.T, env *testkit.Env, users *auth.Service) Deps {
	t.Helper()
	discard := slog.New(slog.DiscardHandler)
	entities, books := org.New(env.PG.Gorm, org.Options{}), ledger.New(env.PG, ledger.Options{Zone: time.UTC})
	games := catalog.New(env.PG, clock.System{}, catalog.Options{Zone: time.UTC, DaysAhead: 2, SaleStop: 5 * time.Minute, Pictures: env.Objects})
	registered, err := devices.New(devices.Deps{PG: env.PG, Clock: clock.System{}, Log: discard, Secret: []byte(strings.Repeat("s", 32))})
	require.NoError(t, err)
	renderer, err := receipts.New()
	require.NoError(t, err)
	limits := risk.New(env.PG, env.Redis, clock.System{})
	totals := rollup.New(env.PG, time.UTC)
	paid := prizes.New(prizes.Deps{
		PG: env.PG, Org: entities, Catalog: games, Ledger: books, Guesses: ratelimit.NewGuesses(env.Redis, clock.System{}), Renderer: renderer, Clock: clock.System{}, Zone: time.UTC,
	})
	messages, linked := messagesOf(t, env, entities)
	deps := Deps{
		News: realtime.NewListeners(), Version: "1.2.3+3f0c1d2", Requests: requestlog.New(env.PG, 24*time.Hour),
		Changelog: "# Changelog\n\n## [1.2.0]\n\n- Uses `<b>` and\n  goes [on](https://example.com/x), not [here](docs/x.md).\n",
		Log:       discard, PublicURL: "http://127.0.0.1:8080", Secret: []byte("secret"), DocsPath: "/docs", Clock: clock.System{}, Zone: time.UTC,
	}
	deps.Services = services.Services{
		Health: measured(t.Context()), Messages: messages, Connections: linked, Auth: users,
		Imports: &imports.Service{
			PG: env.PG, Org: entities, Auth: users, Ledger: books, Currency: "VES",
			Limits:      risk.NewKeeper(limits, risk.KeeperDeps{Org: entities, Catalog: games, Ledger: books}),
			DefaultRate: func(context.Context) (string, error) { return "", nil },
		},
		Org: entities, Agencies: &agencies.Service{PG: env.PG, Org: entities, Ledger: books, Auth: users, Devices: registered},
		Activity: activity.New(env.PG, clock.System{}), Catalog: games, Ledger: books, Devices: registered,
		Alerts: alerts.New(alerts.Deps{PG: env.PG, Clock: clock.System{}, Retention: time.Hour}),
		Bank: bank.New(bank.Deps{
			PG: env.PG, Org: entities, Ledger: books, Clock: clock.System{}, Log: discard, Wake: func() {},
			Messages: messages,
			Options: bank.Options{
				Token: bankToken, AllowedIPs: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Zone: time.UTC, Currency: "VES",
				Hold: 15 * time.Minute, RequestExpiry: 24 * time.Hour, OpenDeposits: true, Unmatched: bank.UnmatchedReject,
				CallLimit: 1_000_000, CallWindow: time.Minute, RefusedLimit: 60, RefusedWindow: time.Minute,
				EventRetention: 30 * 24 * time.Hour, PayloadRetention: 24 * time.Hour,
			},
		}),
		Customers: customers.New(env.PG),
		Setup: first.New(first.Deps{
			PG: env.PG, Org: entities, Auth: users, Guesses: ratelimit.NewGuesses(env.Redis, clock.System{}), Clock: clock.System{}, Zone: time.UTC,
			Done: func(ctx context.Context) error { _, err := games.Generate(ctx); return err },
		}),
		Templates: templates.New(env.PG, entities),
		Closes:    closes.New(closes.Deps{PG: env.PG, Org: entities, Ledger: books, Sales: limits, Renderer: renderer, Clock: clock.System{}, Zone: time.UTC}),
		Sales:     sales.New(sales.Deps{PG: env.PG, Org: entities, Catalog: games, Ledger: books, Renderer: renderer, Clock: clock.System{}, Log: discard, Options: sales.Options{Zone: time.UTC}}),
		Reports:   reports.New(reports.Deps{PG: env.PG, Org: entities, Catalog: games, Ledger: books, Totals: totals, Clock: clock.System{}, Zone: time.UTC}),
		Exports: exports.New(exports.Deps{
			PG: env.PG, Auth: users, Objects: env.Private, Clock: clock.System{}, Zone: time.UTC, Retention: time.Hour,
			Sources: []exports.Source{{
				Report: "tickets", Permission: auth.ReportsRead, Takes: []string{exports.FieldEntity, exports.FieldFrom, exports.FieldTo, exports.FieldCurrency, exports.FieldDraw},
				Table: func(context.Context, caller.Caller, string, *exports.Filter) (*sheet.Table, error) {
					return &sheet.Table{Name: "tickets", Columns: sheet.Columns("number"), Total: 1, Rows: func(yield func([]sheet.Cell, error) bool) {
						yield([]sheet.Cell{sheet.Integer(1)}, nil)
					}}, nil
				},
			}},
		}),
		Draws:    draws.New(draws.Deps{PG: env.PG, Catalog: games, Clock: clock.System{}, Log: discard, Events: realtime.Discard{}}),
		Exposure: exposure.New(env.PG, entities, games, books),
		Limits:   risk.NewKeeper(limits, risk.KeeperDeps{Org: entities, Catalog: games, Ledger: books}),
		Prizes:   paid,
		Weekly: weekly.New(weekly.Deps{
			PG: env.PG, Org: entities, Ledger: books, Prizes: paid, Totals: totals, Renderer: renderer, Clock: clock.System{}, Zone: time.UTC,
		}),
	}
	deps.Assistant, _ = assistantOf(t, env, &deps)
	return deps
}

// assistantOf returns an assistant over the services of a panel, with one simulated model.
func assistantOf(t *testing.T, env *testkit.Env, d *Deps) (*assistant.Service, *simulators.Models) {
	t.Helper()
	models := simulators.NewModels(simulators.ModelsConfig{Clock: d.Clock, Zone: d.Zone, Names: []string{"simulated"}, Games: []string{"Lotto Activo"}})
	server := httptest.NewServer(models)
	t.Cleanup(server.Close)
	chain, err := completion.NewChain(&completion.Options{
		Models: []completion.Model{{Name: "simulated", ID: "simulated", URL: server.URL + "/v1", Input: 1_000_000, Output: 1_000_000}},
		Client: completion.NewClient(completion.Timeouts{FirstByte: 30 * time.Second, Idle: 30 * time.Second, Total: time.Minute}, nil), Redis: env.Redis, Log: d.Log,
	})
	require.NoError(t, err)
	var service *assistant.Service
	ctx := context.WithoutCancel(t.Context())
	answers := func() { // the worker
		rows, err := env.PG.Pool.Query(ctx, `SELECT id FROM assistant_messages WHERE state = 'pending'`)
		if err != nil {
			return
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		for i := range ids {
			err = errors.Join(err, service.Answer(ctx, ids[i]))
		}
		if err != nil {
			d.Log.Error("answer", "error", err)
		}
	}
	service, err = assistant.New(assistant.Deps{
		PG: env.PG, Redis: env.Redis, Auth: d.Auth, Models: chain, Clock: d.Clock, Zone: d.Zone, Log: d.Log, Retention: time.Hour, Wake: func() { go answers() },
		Tokens: func(context.Context, uuid.UUID) (int64, error) { return 1_000_000, nil },
		Tools: tools.New(tools.Deps{
			Org: d.Org, Catalog: d.Catalog, Ledger: d.Ledger, Reports: d.Reports, Exposure: d.Exposure, Prizes: d.Prizes, Draws: d.Draws, Sales: d.Sales, Closes: d.Closes, Clock: d.Clock, Zone: d.Zone,
		}),
	})
	require.NoError(t, err)
	return service, models
}

// messagesOf returns messages and connections whose gateways are on this machine.
func messagesOf(t *testing.T, env *testkit.Env, entities *org.Service) (*messaging.Service, *connections.Service) {
	t.Helper()
	discard := slog.New(slog.DiscardHandler)
	keys, err := secrets.Parse("test:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
	require.NoError(t, err)
	drivers := channel.ByName(logdriver.New(discard), evolution.New(httpcall.New([]string{"127.0.0.1"}, nil)))
	linked := connections.New(connections.Deps{
		PG: env.PG, Org: entities, Drivers: drivers, Keys: keys, Configured: channel.Channel{Driver: "log"}, PerMinute: 600,
		WebhookURL: "http://127.0.0.1:8080/messaging/webhooks/", Clock: clock.System{}, Log: discard,
	})
	messages := messaging.New(messaging.Deps{Pool: env.PG.Pool, Org: entities, Routes: linked, Drivers: drivers, Clock: clock.System{}, Log: discard})
	linked.Changed = messages.ChannelChanged
	return messages, linked
}
