// Package web is the admin panel: pages rendered on the server for a browser with or without scripts.
//
// It assembles a kit.Site of the areas below web/admin, which declare their pages in one table, and adds the frame around
// the pages and the login. With scripts, htmx replaces a piece of the page by the same piece of a new one; without, the
// browser loads the page.
package web

import (
	"embed"
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"

	"banca/api/middleware"
	"banca/internal/activity"
	"banca/internal/agencies"
	"banca/internal/assistant"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/bank/banksim"
	"banca/internal/catalog"
	"banca/internal/closes"
	"banca/internal/customers"
	"banca/internal/devices"
	"banca/internal/draws"
	"banca/internal/exports"
	"banca/internal/exposure"
	"banca/internal/ledger"
	"banca/internal/messaging"
	"banca/internal/messaging/connections"
	"banca/internal/messaging/templates"
	"banca/internal/org"
	"banca/internal/platform/clock"
	"banca/internal/platform/health"
	"banca/internal/platform/realtime"
	"banca/internal/platform/requestlog"
	"banca/internal/prizes"
	"banca/internal/reports"
	"banca/internal/risk"
	"banca/internal/sales"
	"banca/internal/weekly"
	adminactivity "banca/web/admin/activity"
	adminassistant "banca/web/admin/assistant"
	adminbank "banca/web/admin/bank"
	admincatalog "banca/web/admin/catalog"
	admincloses "banca/web/admin/closes"
	admincustomers "banca/web/admin/customers"
	admindevices "banca/web/admin/devices"
	admindraws "banca/web/admin/draws"
	"banca/web/admin/gallery"
	adminmessages "banca/web/admin/messages"
	adminmoney "banca/web/admin/money"
	adminorg "banca/web/admin/org"
	adminprizes "banca/web/admin/prizes"
	adminreports "banca/web/admin/reports"
	adminrisk "banca/web/admin/risk"
	"banca/web/admin/search"
	"banca/web/admin/start"
	"banca/web/admin/system"
	admintexts "banca/web/admin/texts"
	admintickets "banca/web/admin/tickets"
	adminusers "banca/web/admin/users"
	adminweekly "banca/web/admin/weekly"
	"banca/web/kit"
	"banca/web/pos"
)

const (
	home      = "/admin"
	loginPath = "/admin/login"

	assistantPath = "/admin/assistant"

	// assetsPath begins the addresses of the fixed files, which hold no data of users.
	assetsPath = "/admin/static/"

	// QueuesPath is the path at which Deps.Queues is mounted; its handler must have it as its root.
	QueuesPath = system.QueuesPath
)

// QueueViews are two forms of the view of the task queues, which checks nothing itself.
type QueueViews = system.QueueViews

// Deps are the dependencies of the panel.
type Deps struct {
	Log         *slog.Logger
	Auth        *auth.Service
	PublicURL   string // cookies are for https only if it is https
	Secret      []byte // of the tokens in forms; the same in every process
	APIPath     string // that the paths of the API begin with
	DocsPath    string // of the API's documentation
	Clock       clock.Clock
	Zone        *time.Location // of business days
	Org         *org.Service
	Agencies    *agencies.Service
	Activity    *activity.Service
	Bank        *bank.Service
	Devices     *devices.Service
	Catalog     *catalog.Service
	Draws       *draws.Service
	Ledger      *ledger.Service
	Prizes      *prizes.Service
	Exposure    *exposure.Service
	Limits      *risk.Keeper
	Sales       *sales.Service
	Reports     *reports.Service
	Exports     *exports.Service
	Customers   *customers.Service
	Closes      *closes.Service
	Weekly      *weekly.Service
	Assistant   *assistant.Service
	Messages    *messaging.Service
	Connections *connections.Service
	Texts       *templates.Service
	Queues      QueueViews
	Health      *health.Monitor
	Requests    *requestlog.Log
	Version     string              // of the program, at the foot of the pages
	Changelog   string              // Markdown
	Runbook     string              // address of the runbook; "" if it is not published
	Sources     []string            // names of the configured sources of results
	Simulator   *banksim.Simulator  // of the bank's calls; nil where none may be sent
	News        *realtime.Listeners // to what pages follow
	Gallery     bool                // a page with the components, for development
}

// Web is the assembled panel.
type Web struct {
	site *kit.Site
}

//go:embed templates
var templateFiles embed.FS

// New assembles the panel.
func New(d Deps) (*Web, error) {
	frame := &frame{entities: d.Org, version: d.Version, badges: &badges{bank: d.Bank, draws: d.Draws}}
	site, err := kit.New(kit.Options{
		Log: d.Log, Sessions: d.Auth, PublicURL: d.PublicURL, Secret: d.Secret, Clock: d.Clock, Zone: d.Zone,
		Home: home, Login: loginPath, Assets: assetsPath, MenuAreas: menuAreas(),
		Frame: kit.Frame{Templates: templateFiles, Data: frame.data}, EntityNames: frame.entityNames,
	}, areas(&d)...)
	if err != nil {
		return nil, err
	}
	return &Web{site: site}, nil
}

// areas are the areas of the panel in the order of the menu.
func areas(d *Deps) []kit.Area {
	all := []kit.Area{
		start.Area(start.Deps{Bank: d.Bank, Reports: d.Reports, Prizes: d.Prizes, Draws: d.Draws, Ledger: d.Ledger, Closes: d.Closes, Health: d.Health, Org: d.Org, Sales: d.Sales,
			Exposure: d.Exposure, Limits: d.Limits, Catalog: d.Catalog}),
		pos.Area(pos.Deps{Tokens: d.Auth, News: d.News, Sales: d.Sales, Org: d.Org, API: d.APIPath}),
		admintickets.Area(admintickets.Deps{Sales: d.Sales, Prizes: d.Prizes, Draws: d.Draws, Messages: d.Messages, Customers: d.Customers, Org: d.Org}),
		admincloses.Area(admincloses.Deps{Closes: d.Closes, Ledger: d.Ledger, Org: d.Org}),
		admincustomers.Area(admincustomers.Deps{Customers: d.Customers, Sales: d.Sales, Bank: d.Bank, Org: d.Org}),
		adminweekly.Area(adminweekly.Deps{Weekly: d.Weekly, Ledger: d.Ledger, Org: d.Org}),
		adminmoney.Area(adminmoney.Deps{Ledger: d.Ledger}),
		adminreports.Area(adminreports.Deps{Reports: d.Reports, Exports: d.Exports, Org: d.Org, Catalog: d.Catalog, Ledger: d.Ledger}),
		admincatalog.Area(admincatalog.Deps{Catalog: d.Catalog, Ledger: d.Ledger, Reports: d.Reports, Sources: d.Sources}),
		admindraws.Area(admindraws.Deps{Draws: d.Draws, Catalog: d.Catalog, Ledger: d.Ledger, Reports: d.Reports, Exposure: d.Exposure}),
		adminprizes.Area(adminprizes.Deps{Prizes: d.Prizes, Org: d.Org}),
		adminrisk.Area(adminrisk.Deps{Exposure: d.Exposure, Limits: d.Limits, Catalog: d.Catalog, Draws: d.Draws, Reports: d.Reports, Org: d.Org}),
		adminorg.Area(adminorg.Deps{
			Org: d.Org, Ledger: d.Ledger, Reports: d.Reports, Closes: d.Closes, Weekly: d.Weekly, Users: d.Auth, Devices: d.Devices,
			Draws: d.Draws, Bank: d.Bank, Prizes: d.Prizes, Messages: d.Messages, Agencies: d.Agencies, CounterURL: d.PublicURL + pos.Path,
		}),
		adminusers.Area(adminusers.Deps{Users: d.Auth, Org: d.Org, Activity: d.Activity}),
		adminactivity.Area(adminactivity.Deps{Activity: d.Activity}),
		admindevices.Area(admindevices.Deps{Devices: d.Devices, Org: d.Org}),
		adminassistant.Area(adminassistant.Deps{Assistant: d.Assistant}),
		adminbank.Area(adminbank.Deps{Bank: d.Bank, Org: d.Org, Simulator: d.Simulator}),
		adminmessages.Area(adminmessages.Deps{Messages: d.Messages, Connections: d.Connections, Sales: d.Sales, Org: d.Org}),
		admintexts.Area(admintexts.Deps{Texts: d.Texts, Org: d.Org}),
		system.Area(system.Deps{Queues: d.Queues, Auth: d.Auth, Activity: d.Activity, Docs: d.DocsPath, Health: d.Health, Requests: d.Requests, Changelog: d.Changelog, Runbook: d.Runbook}),
		search.Area(search.Deps{Sales: d.Sales, Org: d.Org, Users: d.Auth, Bank: d.Bank, Customers: d.Customers, Catalog: d.Catalog}),
		loginArea(d.Auth),
	}
	if d.Gallery {
		all = append(all, gallery.Area())
	}
	return all
}

// Register adds the panel's routes.
func (w *Web) Register(e *gin.Engine) { w.site.Register(e) }

// Close ends the streams of pages, so that the server can end; browsers connect again elsewhere.
func (w *Web) Close() { w.site.Close() }

// Uploads lists the routes that take a file, of up to 10 MiB; all others need no more than a form has.
func (w *Web) Uploads() []string { return w.site.Uploads() }

// Panel describes the panel to what every request passes before it.
func (w *Web) Panel() middleware.Panel {
	return middleware.Panel{
		Paths: []string{home, pos.Path}, Login: loginPath, Assets: assetsPath, Cookie: kit.CookieName(w.site.PublicURL, kit.SessionCookie),
		TooMany: w.site.TooMany, Busy: w.site.Busy, Missing: w.site.Missing, Pages: w.site.Pages(),
	}
}
