package web

import (
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
)

// menuArea is a group of links in the side of the page.
type menuArea struct {
	Title string // key
	Links []menuLink
}

type menuLink struct {
	Title   string // key
	Path    string
	Current bool
}

// menu lists the pages that the user may open.
func (w *Web) menu(c *gin.Context, p *auth.Principal) []menuArea {
	areas := []menuArea{{Title: "nav.today", Links: []menuLink{{Title: "nav.overview", Path: home}}}}
	if links := w.gamesMenu(p); len(links) > 0 {
		areas = append(areas, menuArea{Title: "nav.games", Links: links})
	}
	if links := append(w.drawsMenu(p), w.prizesMenu(p)...); len(links) > 0 {
		areas = append(areas, menuArea{Title: "nav.draws", Links: links})
	}
	links := append(w.orgLinks(p), w.peopleMenu(p)...)
	if w.deps.Devices != nil && p.May(auth.DevicesRead) {
		links = append(links, menuLink{Title: "devices.title", Path: devicesPath})
	}
	if len(links) > 0 {
		areas = append(areas, menuArea{Title: "nav.organisation", Links: links})
	}
	if operatorAdmin(p) && w.deps.Bank != nil {
		areas = append(areas, bankMenu(w.deps.Simulator != nil))
	}
	system := menuArea{Title: "nav.system", Links: []menuLink{{Title: "nav.api", Path: w.deps.DocsPath}}}
	if w.seesQueues(p) {
		system.Links = append([]menuLink{{Title: "nav.queues", Path: QueuesPath}}, system.Links...)
	}
	areas = append(areas, system)
	markCurrent(areas, c.Request.URL.Path)
	return areas
}

// markCurrent marks the link with the longest path that the page lies under.
func markCurrent(areas []menuArea, page string) {
	var best *menuLink
	for a := range areas {
		for l := range areas[a].Links {
			link := &areas[a].Links[l]
			under := page == link.Path || link.Path != home && strings.HasPrefix(page, link.Path+"/")
			if under && (best == nil || len(link.Path) > len(best.Path)) {
				best = link
			}
		}
	}
	if best != nil {
		best.Current = true
	}
}

// peopleMenu are the links to users and their activity.
func (w *Web) peopleMenu(p *auth.Principal) []menuLink {
	var links []menuLink
	for _, l := range []struct {
		permission  auth.Permission
		title, path string
	}{{auth.UsersRead, "users.title", usersPath}, {auth.SessionsRead, "sessions.title", sessionsPath}, {auth.ActivityRead, "activity.title", activityPath}} {
		if w.deps.Users != nil && p.May(l.permission) {
			links = append(links, menuLink{Title: l.title, Path: l.path})
		}
	}
	return links
}

// operatorAdmin reports whether the user is an administrator of the entity at the root, whose path is one id.
func operatorAdmin(p *auth.Principal) bool {
	return p.May(auth.BankRead) && p.AtRoot()
}

// seesQueues reports whether the user may see the task queues, if their view is mounted. It shows and can end the
// tasks of all entities, so it is for the operator alone.
func (w *Web) seesQueues(p *auth.Principal) bool {
	return w.deps.Queues.ReadOnly != nil && p.May(auth.QueuesRead) && p.AtRoot()
}

// entityName returns the name of an entity; the frame goes without it when it cannot be read.
func (w *Web) entityName(c *gin.Context, id uuid.UUID) string {
	if w.deps.Org == nil {
		return ""
	}
	chain, err := w.deps.Org.Chain(c.Request.Context(), id)
	if err != nil {
		return ""
	}
	return chain.Self().Name
}
