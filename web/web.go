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
	"banca/internal/bank/banksim"
	"banca/internal/platform/clock"
	"banca/internal/platform/realtime"
	"banca/internal/platform/requestlog"
	"banca/internal/services"
	first "banca/internal/setup"
	adminactivity "banca/web/admin/activity"
	adminassistant "banca/web/admin/assistant"
	adminbank "banca/web/admin/bank"
	admincatalog "banca/web/admin/catalog"
	admincloses "banca/web/admin/closes"
	admincustomers "banca/web/admin/customers"
	admindevices "banca/web/admin/devices"
	admindraws "banca/web/admin/draws"
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
	"banca/web/guide"
	"banca/web/kit"
	"banca/web/pos"
)

const (
	home      = "/admin"
	loginPath = "/admin/login"

	assistantPath = "/admin/assistant"
	accountPath   = "/admin/account"

	// assetsPath begins the addresses of the fixed files, which hold no data of users.
	assetsPath = "/admin/static/"

	// QueuesPath is the path at which Deps.Queues is mounted; its handler must have it as its root.
	QueuesPath = system.QueuesPath
)

// QueueViews are two forms of the view of the task queues, which checks nothing itself.
type QueueViews = system.QueueViews

// Deps are the dependencies of the panel.
type Deps struct {
	services.Services

	Log       *slog.Logger
	PublicURL string // cookies are for https only if it is https
	Secret    []byte // of the tokens in forms; the same in every process
	APIPath   string // that the paths of the API begin with
	DocsPath  string // of the API's documentation
	Clock     clock.Clock
	Zone      *time.Location // of business days
	Queues    QueueViews
	Requests  *requestlog.Log
	Version   string              // of the program, at the foot of the pages
	Changelog string              // Markdown
	Runbook   string              // address of the runbook; "" if it is not published
	Sources   []string            // names of the configured sources of results
	Simulator *banksim.Simulator  // of the bank's calls; nil where none may be sent
	News      *realtime.Listeners // to what pages follow
	Areas     []kit.Area          // further pages, for development
	Demo      *Demo               // nil but in a demonstration
}

// Web is the assembled panel.
type Web struct {
	site  *kit.Site
	setup *first.Service
}

//go:embed templates
var templateFiles embed.FS

// New assembles the panel.
func New(d Deps) (*Web, error) {
	frame := &frame{entities: d.Org, version: d.Version, badges: &badges{waiting: start.MenuCounts(&d.Services)}}
	site, err := kit.New(kit.Options{
		Log: d.Log, Sessions: d.Auth, PublicURL: d.PublicURL, Secret: d.Secret, Clock: d.Clock, Zone: d.Zone,
		Home: home, Login: loginPath, Assets: assetsPath, Guide: guide.Path, MenuAreas: menuAreas(), RoleMenus: roleMenus(),
		Frame: kit.Frame{Templates: templateFiles, Data: frame.data}, EntityNames: frame.entityNames, FindEntity: d.Org.Named,
	}, areas(&d)...)
	if err != nil {
		return nil, err
	}
	return &Web{site: site, setup: d.Setup}, nil
}

// areas are the areas of the panel in the order of the menu.
func areas(d *Deps) []kit.Area {
	s := &d.Services
	return append([]kit.Area{
		start.Area(s),
		pos.Area(pos.Deps{Tokens: d.Auth, News: d.News, Sales: d.Sales, Org: d.Org, API: d.APIPath}),
		admintickets.Area(s),
		admincloses.Area(s),
		admincustomers.Area(s),
		adminweekly.Area(s),
		adminmoney.Area(s),
		adminreports.Area(s),
		admindraws.Area(s),
		adminprizes.Area(s),
		adminrisk.Area(s),
		admincatalog.Area(s, d.Sources),
		adminorg.Area(s, d.PublicURL+pos.Path),
		adminusers.Area(s),
		adminactivity.Area(s),
		admindevices.Area(s),
		adminassistant.Area(s),
		adminbank.Area(s, d.Simulator),
		adminmessages.Area(s),
		admintexts.Area(s),
		system.Area(system.Deps{
			Queues: d.Queues, Auth: d.Auth, Activity: d.Activity, Docs: d.DocsPath, Health: d.Health, Ledger: d.Ledger, Requests: d.Requests,
			Changelog: d.Changelog, Runbook: d.Runbook,
		}),
		guide.Area(),
		search.Area(s),
		loginArea(d.Auth, d.Demo),
		setupArea(d),
		{Tones: tones()},
	}, d.Areas...)
}

// Register adds the panel's routes, which lead to the setup as long as the database has no user.
func (w *Web) Register(e *gin.Engine) {
	if w.setup != nil {
		e.Use(w.gate)
	}
	w.site.Register(e)
}

// Close ends the streams of pages, so that the server can end; browsers connect again elsewhere.
func (w *Web) Close() { w.site.Close() }

// Uploads lists the routes that take a file, of up to 10 MiB; all others need no more than a form has.
func (w *Web) Uploads() []string { return w.site.Uploads() }

// Panel describes the panel to what every request passes before it.
func (w *Web) Panel() middleware.Panel {
	return middleware.Panel{
		Paths: []string{home, pos.Path, guide.Path, setupPath}, Login: loginPath, Assets: assetsPath, Cookie: kit.CookieName(w.site.PublicURL, kit.SessionCookie),
		TooMany: w.site.TooMany, Busy: w.site.Busy, Missing: w.site.Missing, Pages: w.site.Pages(),
	}
}
