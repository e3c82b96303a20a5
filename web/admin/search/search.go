// Package search has the page that finds objects of all areas by what a person types or scans.
package search

import (
	"embed"
	"regexp"
	"slices"
	"strings"

	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/catalog"
	"banca/internal/customers"
	"banca/internal/org"
	"banca/internal/sales"
	"banca/internal/services"
	"banca/web/admin/links"
	"banca/web/kit"
)

const (
	path       = "/admin/search"
	shownOf    = 8 // of each kind of objects
	maxTyped   = 200
	leastTyped = 2
)

//go:embed templates
var templates embed.FS

type pages struct{ *services.Services }

// Area returns the search.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	return kit.Area{Templates: templates, Guide: "panel#finding-something", Routes: []kit.Route{
		kit.Get(path, kit.SignedIn(), p.show), kit.Get(path+"/suggest", kit.SignedIn(), p.suggest),
	}}
}

// searchPage has what was found.
type searchPage struct {
	Typed string
	Table kit.Rows
}

// hit is an object that was found.
type hit struct{ Kind, Text, Detail, Link string }

// finder finds objects of one kind. It is asked only if the caller may open page.
type finder struct {
	page string
	find func(r *kit.Request, typed string) ([]hit, error)
}

func (p *pages) finders() []finder {
	return []finder{
		{links.Tickets + "/:id", p.tickets}, {links.Organisation, p.entities}, {links.Users, p.users}, {links.Customers, p.people},
		{links.BankPayments, p.payments}, {links.Draws, p.games},
	}
}

// found returns what is typed, and the pages, actions and objects that it finds.
func (p *pages) found(r *kit.Request) (typed string, hits []hit, err error) {
	typed = strings.ToValidUTF8(r.Query("q"), "")
	typed = typed[:min(len(typed), maxTyped)]
	if len(typed) >= leastTyped {
		hits = matching(places(r), typed)
	}
	for _, f := range p.finders() {
		if len(typed) < leastTyped || !r.MayOpen(f.page) {
			continue
		}
		more, err := f.find(r, typed)
		if err != nil {
			return typed, nil, err
		}
		hits = append(hits, more...)
	}
	return typed, hits, nil
}

// places are the pages of the menu, and what is often done, for the caller.
func places(r *kit.Request) []hit {
	hits := actions(r)
	for _, area := range kit.Pages(r, nil) {
		for i := range area.Links {
			hits = append(hits, hit{"page", r.T(area.Links[i].Title), r.T(area.Title), area.Links[i].Path})
		}
	}
	return hits
}

// actions are what is often done, for the caller.
func actions(r *kit.Request) []hit {
	open := r.Links(
		kit.MenuLink{Title: "results.title", Path: links.Draws + "/results"}, kit.MenuLink{Title: "limits.new", Path: links.Limits + "/new"},
		kit.MenuLink{Title: "agency.title", Path: links.Organisation + "/agency"}, kit.MenuLink{Title: "users.new", Path: links.Users + "/new"},
		kit.MenuLink{Title: "customers.new", Path: links.Customers + "/new"}, kit.MenuLink{Title: "games.new", Path: links.Games + "/new"},
		kit.MenuLink{Title: "account.title", Path: links.Home + "/account"},
	)
	return kit.Map(open, func(l *kit.MenuLink) hit { return hit{"action", r.T(l.Title), "", l.Path} })
}

// matching returns the first places with the typed text in their names.
func matching(places []hit, typed string) []hit {
	var hits []hit
	for _, place := range places {
		same := func(h hit) bool { return h.Link == place.Link }
		if len(hits) < shownOf && strings.Contains(kit.Fold(place.Text), kit.Fold(typed)) && !slices.ContainsFunc(hits, same) {
			hits = append(hits, place)
		}
	}
	return hits
}

// suggest answers the field of the search; before something is typed, with what is often done.
func (p *pages) suggest(r *kit.Request) error {
	typed, hits, err := p.found(r)
	if err != nil {
		return err
	}
	if typed == "" {
		hits = actions(r)
	}
	return r.Part("search", "found", hits)
}

// show lists what was found. If it is one object, it leads there.
func (p *pages) show(r *kit.Request) error {
	typed, hits, err := p.found(r)
	if err != nil {
		return err
	}
	if len(hits) == 1 {
		return r.Redirect(hits[0].Link)
	}
	return r.Render("search", &searchPage{Typed: typed, Table: kit.RowsOf(columns(), hits, func(h *hit) string { return h.Link }, "search.none")})
}

func columns() []kit.Column[hit] {
	return []kit.Column[hit]{
		kit.WrapColumn("search.object", func(h *hit) string { return h.Text }),
		kit.WordColumn("label.kind", func(v *kit.View, h *hit) string { return v.T("search." + h.Kind) }),
		kit.WrapColumn("label.detail", func(h *hit) string { return h.Detail }),
	}
}

var reference = regexp.MustCompile(`^[0-9]{4,20}$`)

func (p *pages) tickets(r *kit.Request, typed string) ([]hit, error) {
	serial := sales.TypedSerial(typed)
	if serial == "" {
		return nil, nil
	}
	list, _, err := p.Sales.List(r.Context(), r.Caller, sales.Filter{Serial: serial, Limit: shownOf})
	return kit.Map(list, func(t *sales.Ticket) hit {
		return hit{Kind: "ticket", Text: serial, Link: links.Tickets + "/" + t.ID.String()}
	}), err
}

func (p *pages) entities(r *kit.Request, typed string) ([]hit, error) {
	list, _, err := p.Org.Entities(r.Context(), r.Caller, &org.EntityFilter{Text: typed, Limit: shownOf})
	return kit.Map(list, func(e *org.Entity) hit {
		return hit{"entity", e.Name, e.Code, links.Organisation + "/" + e.ID.String()}
	}), err
}

func (p *pages) users(r *kit.Request, typed string) ([]hit, error) {
	list, _, err := p.Auth.Users(r.Context(), r.Caller, &auth.UserFilter{Text: typed, Limit: shownOf})
	return kit.Map(list, func(u *auth.User) hit {
		return hit{"user", u.Name, u.Email, links.Users + "/" + u.ID.String()}
	}), err
}

func (p *pages) people(r *kit.Request, typed string) ([]hit, error) {
	list, _, err := p.Customers.List(r.Context(), r.Caller, &customers.Filter{Search: typed, Limit: shownOf})
	return kit.Map(list, func(c *customers.Customer) hit {
		return hit{"customer", c.Name, c.Phone, links.Customers + "/" + c.ID.String()}
	}), err
}

func (p *pages) payments(r *kit.Request, typed string) ([]hit, error) {
	if !reference.MatchString(typed) {
		return nil, nil
	}
	list, _, err := p.Bank.Payments(r.Context(), r.Caller, &bank.PaymentFilter{Reference: typed, Limit: shownOf})
	return kit.Map(list, func(p *bank.Payment) hit {
		return hit{"payment", p.Reference, p.Bank, links.BankPayments + "/" + p.ID.String()}
	}), err
}

// games finds games by their name and leads to their draws of today.
func (p *pages) games(r *kit.Request, typed string) ([]hit, error) {
	list, err := p.Catalog.Games(r.Context())
	if err != nil {
		return nil, err
	}
	options := kit.OptionsOf(list, func(g *catalog.Game) (value, text string) { return g.ID.String(), g.Name })
	var hits []hit
	for _, option := range kit.MatchingOptions(options, typed) {
		hits = append(hits, hit{"draws", option.Text, "", links.Draws + "?game=" + option.Value})
	}
	return hits, nil
}
