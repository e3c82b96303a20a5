package web

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
	"banca/web/pos"
)

// frame is what surrounds the pages of the panel: a bar and the menu.
type frame struct {
	entities *org.Service
	badges   *badges
	version  string
}

// frameData is what the layout shows.
type frameData struct {
	Entity string // the user's
	Today  businessday.Day
	Menu   []kit.MenuArea
	Quick  []quickLink // at the foot of a phone
	Asks   bool        // the user may ask the assistant

	Version string // of the program
}

// menuAreas are the areas of the menu in their order.
func menuAreas() []string {
	return []string{"nav.today", "nav.sales", "nav.draws", "nav.money", "nav.organisation", "nav.bank", "nav.messages", "nav.system"}
}

// roleMenus are the menus of roles that work with few pages. The search finds all others that the user may open.
func roleMenus() map[string][]kit.MenuEntry {
	return map[string][]kit.MenuEntry{models.RoleTaquilla: {
		{Title: "nav.today", Path: home, Icon: "nav.today"}, {Title: "pos.title", Path: pos.Path, Icon: "pos.title"},
		{Title: "tickets.title", Path: links.Tickets, Icon: "nav.sales"}, {Title: "prizes.title", Path: links.Prizes, Icon: "prizes.title"},
		{Title: "results.title", Path: links.Draws, Icon: "nav.draws"}, {Title: "nav.close", Path: links.Closes, Icon: "nav.close"},
		{Title: "account.title", Path: accountPath, Icon: "account"},
	}}
}

// quickLink is a page at the foot of a phone.
type quickLink struct {
	kit.MenuEntry

	Current bool
}

// quick are the pages at the foot of a phone that the user may open.
func quick(r *kit.Request) []quickLink {
	entries := []kit.MenuEntry{
		{Title: "nav.today", Path: home, Icon: "nav.today"}, {Title: "pos.title", Path: pos.Path, Icon: "pos.title"},
		{Title: "nav.draws", Path: links.Draws + "/board", Icon: "nav.draws"}, {Title: "exposure.title", Path: links.Exposure, Icon: "nav.risk"},
	}
	var open []quickLink
	for _, entry := range entries {
		sells := entry.Path != pos.Path || r.Caller.Role == models.RoleTaquilla
		if sells && r.MayOpen(entry.Path) && len(open) < quickLinks {
			open = append(open, quickLink{entry, r.URL().Path == entry.Path})
		}
	}
	return open
}

// quickLinks is how many pages are beside the search and the menu.
const quickLinks = 3

func (f *frame) data(r *kit.Request) any {
	if r.Caller.Role == "" {
		return &frameData{}
	}
	return &frameData{
		Entity: kit.EntityName(r, r.Caller.EntityID), Today: r.Today(), Quick: quick(r), Menu: kit.Menu(r, f.badges.counts(r)), Asks: r.MayOpen(assistantPath), Version: f.version,
	}
}

// entityNames returns the names of entities. On an error the page omits them.
func (f *frame) entityNames(ctx context.Context, ids []uuid.UUID) map[uuid.UUID]string {
	names, err := f.entities.Names(ctx, ids)
	if err != nil {
		return nil
	}
	return names
}
