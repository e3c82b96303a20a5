package app

import (
	"net/http"

	"github.com/hibiken/asynqmon"

	"banca"
	"banca/api"
	"banca/api/middleware"
	"banca/api/realtime"
	"banca/api/system"
	"banca/internal/agencies"
	"banca/internal/bank/banksim"
	domains "banca/internal/services"
	"banca/internal/setup/imports"
	"banca/storage"
	"banca/web"
)

// handler assembles everything that answers HTTP: the API and the pages of the administration.
func (a *App) handler() (http.Handler, error) {
	queues, err := a.queueMonitors()
	if err != nil {
		return nil, err
	}
	simulator, err := a.bankSimulator()
	if err != nil {
		return nil, err
	}
	pages, err := web.New(web.Deps{
		Services: a.domains(), Log: a.log, PublicURL: a.cfg.HTTP.PublicURL, Secret: []byte(a.cfg.Auth.JWTSecret.Reveal()),
		APIPath: a.cfg.HTTP.BasePath, DocsPath: a.cfg.HTTP.BasePath + "/docs", Clock: a.clock, Zone: a.cfg.Business.Zone,
		Queues: queues, Simulator: simulator, News: a.services.news, Requests: a.services.requests, Version: a.cfg.Version(),
		Changelog: banca.Changelog, Runbook: a.cfg.HTTP.RunbookURL, Areas: a.areas, Demo: a.demo,
		Sources: a.cfg.Lottery.SourceNames(),
	})
	if err != nil {
		return nil, err
	}
	server, err := a.newAPI(pages.Panel(), pages.Uploads())
	if err != nil {
		return nil, err
	}
	pages.Register(server.Engine())
	a.pages = pages
	return a.withObjects(server.Engine()), nil
}

// domains are the services that the API and the panel call.
func (a *App) domains() domains.Services {
	s := a.services
	return domains.Services{
		Activity: s.activity,
		Agencies: &agencies.Service{PG: a.stores.pg, Org: s.org, Ledger: s.ledger, Auth: s.auth, Devices: s.devices},
		Alerts:   s.alerts, Assistant: s.assistant, Auth: s.auth, Bank: s.bank, Catalog: s.catalog, Closes: s.closes, Connections: s.connections,
		Customers: s.customers, Devices: s.devices, Draws: s.draws, Exports: s.exports, Exposure: s.exposure, Health: a.health,
		Imports: &imports.Service{
			PG: a.stores.pg, Org: s.org, Auth: s.auth, Ledger: s.ledger, Limits: s.limits, Currency: a.cfg.Bank.BankCurrency, DefaultRate: s.setup.DefaultRate,
		},
		Ledger: s.ledger, Limits: s.limits, Messages: s.messaging, Notices: s.notices, Org: s.org, Prizes: s.prizes,
		Reports: s.reports, Sales: s.sales, Setup: s.setup, Templates: s.templates, Weekly: s.weekly,
	}
}

// bankSimulator is the sender behind the event simulator, nil where no target is allowed.
func (a *App) bankSimulator() (*banksim.Simulator, error) {
	if len(a.cfg.Bank.SimulatorTargets) == 0 {
		return nil, nil //nolint:nilnil // asynqmon is not mounted
	}
	return banksim.New(banksim.Options{Targets: a.cfg.Bank.SimulatorTargets, Clock: a.clock})
}

// redacted replaces a task's payload or result: payloads are ids, which are not needed there.
const redacted = "[redacted]"

// queueMonitors returns asynqmon in its read-only and its full form. It has no authentication: web mounts it behind
// the login and checks every change. Each form has its own connections, which Close ends.
func (a *App) queueMonitors() (web.QueueViews, error) {
	connection, err := storage.AsynqOpt(a.cfg.Redis.RedisURL.Reveal())
	if err != nil {
		return web.QueueViews{}, err
	}
	monitor := func(readOnly bool) *asynqmon.HTTPHandler {
		m := asynqmon.New(asynqmon.Options{
			RootPath: web.QueuesPath, RedisConnOpt: connection, ReadOnly: readOnly,
			PayloadFormatter: asynqmon.PayloadFormatterFunc(func(string, []byte) string { return redacted }),
			ResultFormatter:  asynqmon.ResultFormatterFunc(func(string, []byte) string { return redacted }),
		})
		a.monitors = append(a.monitors, m)
		return m
	}
	return web.QueueViews{Full: monitor(false), ReadOnly: monitor(true)}, nil
}

func (a *App) newAPI(panel middleware.Panel, uploads []string) (*api.API, error) {
	a.hub = realtime.New(realtime.Deps{
		Auth: a.services.auth, Sessions: a.services.devices, Bus: a.services.bus, Clock: a.clock, Log: a.log,
		PublicURL: a.cfg.HTTP.PublicURL, AllowedOrigins: a.cfg.HTTP.AllowedOrigins, MaxConnections: a.cfg.HTTP.MaxConnections,
	})
	return api.New(api.Deps{
		Log: a.log, Clock: a.clock, DeviceKeys: deviceKeys{a.services.devices}, Realtime: a.hub,
		Services: a.domains(),
		System:   system.Services{Health: a.health, Changelog: banca.Changelog, Requests: a.services.requests}, Requests: a.requests,
		PublicURL: a.cfg.HTTP.PublicURL, Zone: a.cfg.Business.Zone, BasePath: a.cfg.HTTP.BasePath, TrustedProxies: a.cfg.HTTP.TrustedProxies,
		Uploads: uploads, Origins: a.cfg.HTTP.AllowedOrigins, Limiter: a.services.limiter, Panel: panel,
	})
}

// OpenAPI returns the description of the API as YAML. It needs no stores: nothing is called.
func OpenAPI() (asJSON, asYAML []byte, err error) {
	server, err := api.New(api.Deps{})
	if err != nil {
		return nil, nil, err
	}
	return server.OpenAPI()
}
