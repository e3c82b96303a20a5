// Package system has the pages of the platform itself: its health, its changes, the task queues, and the way to the API's
// documentation.
package system

import (
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/health"
	"banca/internal/platform/markdown"
	"banca/internal/platform/requestlog"
	"banca/web/admin/links"
	"banca/web/kit"
)

// QueuesPath is the path at which Deps.Queues is mounted; its handler must have it as its root.
const QueuesPath = "/admin/queues"

// QueueViews are two forms of the view of the task queues, which checks nothing itself.
type QueueViews struct {
	Full     http.Handler
	ReadOnly http.Handler // shows no buttons; nil where there is no view
}

// Confirmer reports whether the password of a session was confirmed within the last minutes.
type Confirmer interface {
	Confirmed(ctx context.Context, by caller.Caller) error
}

// Deps are the services of the area.
type Deps struct {
	Queues    QueueViews // without views, the table has no pages of queues
	Auth      Confirmer
	Activity  *activity.Service
	Docs      string // path of the API's documentation
	Health    *health.Monitor
	Ledger    *ledger.Service
	Requests  *requestlog.Log
	Changelog string // Markdown
	Runbook   string // address of the runbook; "" if it is not published
}

type pages struct {
	Deps

	changes template.HTML
	health  kit.Page[healthPage]
}

//go:embed templates
var templates embed.FS

// Area returns the pages of the system. The queues hold the tasks of all entities, so they are the operator's.
func Area(d Deps) kit.Area {
	p := &pages{Deps: d, changes: changesOf(d.Changelog)}
	p.health = kit.Page[healthPage]{Template: "health", Load: p.loadHealth}
	changes := kit.Page[changesPage]{Template: "changelog", Load: p.loadChanges}
	queues := kit.Page[queuesPage]{Template: "queues", Load: p.loadQueues}
	requests := kit.Page[requestsPage]{Template: "requests", Load: p.loadRequests}
	routes := []kit.Route{
		kit.Get(healthPath, kit.SignedIn(), p.health.Show).Menu("nav.system", "nav.health").ExplainedIn("operations#health").Live(),
		kit.Action(healthPath, "/verify", kit.Can(auth.QueuesWrite).Operator().Sensitive(), p.verify),
		kit.Get(publicHealth, kit.Public(), p.health.Show).OfAPI(),
		kit.Get(tasksPath, kit.Can(auth.QueuesRead).Operator(), queues.Show).Menu("nav.system", "nav.queues").Live(),
		kit.Get(requestsPath, kit.Can(auth.SystemRead).Operator(), requests.Show).Menu("nav.system", "nav.requests").ExplainedIn("operations#request-log"),
	}
	if d.Queues.ReadOnly != nil {
		routes = append(routes,
			kit.Mount(QueuesPath, kit.Can(auth.QueuesRead).Operator(), p.monitor),
			kit.Action(links.Home, "/unlock-queues", kit.Can(auth.QueuesWrite).Operator().Sensitive(), p.unlock),
		)
	}
	return kit.Area{Templates: templates, Guide: "panel#sistema", Routes: append(routes,
		kit.Get(changesPath, kit.SignedIn(), changes.Show).Menu("nav.system", "nav.changelog"),
		kit.Get(publicChanges, kit.Public(), changes.Show).OfAPI(),
		kit.Link(d.Docs).Menu("nav.system", "nav.api"),
	)}
}

// changesPage is what changed in each release.
type changesPage struct{ Text template.HTML }

// changesOf renders the changelog without its title, which the page has.
func changesOf(text string) template.HTML {
	if first, rest, found := strings.Cut(text, "\n"); found && strings.HasPrefix(first, "# ") {
		text = rest
	}
	blocks := markdown.Render(text, markdown.Options{Own: published, Page: true})
	return template.HTML(strings.Join(blocks, "\n")) //nolint:gosec // Render escapes all texts
}

// published accepts links to other sites. The files of the source that others name are not served.
func published(target string) (address string, ok bool) {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return "", false
	}
	return u.String(), true
}

func (p *pages) loadChanges(*kit.Request) (*changesPage, error) {
	return &changesPage{Text: p.changes}, nil
}
