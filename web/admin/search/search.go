// Package search has the page that finds objects of all areas by what a person types or scans.
package search

import (
	"embed"
	"slices"
	"strings"

	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/customers"
	"banca/internal/org"
	"banca/internal/platform/locale"
	"banca/internal/sales"
	"banca/internal/services"
	"banca/web/admin/links"
	"banca/web/admin/parts/choices"
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
	Hits  []hit
}

// hit is an object that was found.
type hit struct{ Kind, Text, Detail, Link string } // Kind is the key of its name

// finding is a search for what the caller typed.
type finding struct {
	*kit.Request

	hits []hit
	err  error // of the first list that could not be read
}

// in adds the objects of a list, unless the caller may not open their pages. of returns an object, with its address below page.
func in[T any](f *finding, page string, list func() ([]T, int64, error), of func(*T) hit) {
	if f.err != nil || !f.MayOpen(page+"/:id") {
		return
	}
	found, _, err := list()
	for i := range found {
		h := of(&found[i])
		f.hits = append(f.hits, hit{h.Kind, h.Text, h.Detail, page + h.Link})
	}
	f.err = err
}

// found returns the typed text with its pages, actions and objects; without a text, the usual actions. Games lead to their draws of today.
func (p *pages) found(r *kit.Request) (typed string, hits []hit, err error) {
	typed = strings.ToValidUTF8(r.Query("q"), "")
	switch typed = typed[:min(len(typed), maxTyped)]; {
	case typed == "":
		return "", actions(r), nil
	case len(typed) < leastTyped:
		return typed, nil, nil
	}
	ctx, by, phone, f := r.Context(), r.Caller, r.View().Phone, &finding{Request: r, hits: matching(r, typed)}
	if serial := sales.TypedSerial(typed); serial != "" {
		in(f, links.Tickets, func() ([]sales.Ticket, int64, error) {
			return p.Sales.List(ctx, by, sales.Filter{Serial: serial, Limit: shownOf})
		}, func(t *sales.Ticket) hit { return hit{Kind: "search.ticket", Text: serial, Link: "/" + t.ID.String()} })
	}
	in(f, links.Organisation, func() ([]org.Entity, int64, error) {
		return p.Org.Entities(ctx, by, &org.EntityFilter{Text: typed, Limit: shownOf})
	}, func(e *org.Entity) hit { return hit{"type." + e.Type, e.Name, e.Code, "/" + e.ID.String()} })
	in(f, links.Users, func() ([]auth.User, int64, error) {
		return p.Auth.Users(ctx, by, &auth.UserFilter{Text: typed, Limit: shownOf})
	}, func(u *auth.User) hit { return hit{"search.user", u.Name, u.Email, "/" + u.ID.String()} })
	in(f, links.Customers, func() ([]customers.Customer, int64, error) {
		return p.Customers.List(ctx, by, &customers.Filter{Search: typed, Limit: shownOf})
	}, func(c *customers.Customer) hit {
		return hit{"search.customer", c.Name, phone(c.Phone), "/" + c.ID.String()}
	})
	in(f, links.BankPayments, func() ([]bank.Payment, int64, error) {
		return p.Bank.Payments(ctx, by, &bank.PaymentFilter{Reference: typed, Limit: shownOf})
	}, func(p *bank.Payment) hit { return hit{"search.payment", p.Reference, p.BankName, "/" + p.ID.String()} })
	in(f, links.Draws, func() ([]kit.Option, int64, error) {
		games, err := choices.Games(r, p.Catalog)
		return kit.MatchingOptions(games, typed), 0, err
	}, func(game *kit.Option) hit { return hit{"search.draws", game.Text, "", "?game=" + game.Value} })
	return typed, f.hits, f.err
}

// actions are what is often done, for the caller.
func actions(r *kit.Request) []hit {
	open := r.Links(kit.MenuLink{Title: "results.title", Path: links.Draws + "/results"}, kit.MenuLink{Title: "limits.new", Path: links.Limits + "/new"},
		kit.MenuLink{Title: "agency.title", Path: links.Organisation + "/agency"}, kit.MenuLink{Title: "users.new", Path: links.Users + "/new"},
		kit.MenuLink{Title: "customers.new", Path: links.Customers + "/new"}, kit.MenuLink{Title: "games.new", Path: links.Games + "/new"},
		kit.MenuLink{Title: "account.title", Path: links.Home + "/account"})
	return kit.Map(open, func(l *kit.MenuLink) hit { return hit{"search.action", r.T(l.Title), "", l.Path} })
}

// matching returns the first pages of the menu, and of what is often done, with the typed text in their names.
func matching(r *kit.Request, typed string) []hit {
	places := actions(r)
	for _, area := range kit.Pages(r, nil) {
		for i := range area.Links {
			places = append(places, hit{"search.page", r.T(area.Links[i].Title), r.T(area.Title), area.Links[i].Path})
		}
	}
	var hits []hit
	for _, place := range places {
		same := func(h hit) bool { return h.Link == place.Link }
		if len(hits) < shownOf && strings.Contains(locale.Fold(place.Text), locale.Fold(typed)) && !slices.ContainsFunc(hits, same) {
			hits = append(hits, place)
		}
	}
	return hits
}

// suggest answers the field of the search.
func (p *pages) suggest(r *kit.Request) error {
	_, hits, err := p.found(r)
	if err != nil {
		return err
	}
	return r.Part("search", "found", hits)
}

// show lists what was found. If it is one object, it leads there.
func (p *pages) show(r *kit.Request) error {
	typed, hits, err := p.found(r)
	if err != nil {
		return err
	}
	if len(hits) == 1 && typed != "" {
		return r.Redirect(hits[0].Link)
	}
	columns := []kit.Column[hit]{
		kit.WrapColumn("search.object", func(h *hit) string { return h.Text }),
		kit.WordColumn("label.kind", func(v *kit.View, h *hit) string { return v.T(h.Kind) }),
		kit.WrapColumn("label.detail", func(h *hit) string { return h.Detail }),
	}
	return r.Render("search", &searchPage{Typed: typed, Hits: hits, Table: kit.RowsOf(columns, hits, func(h *hit) string { return h.Link }, "search.none")})
}
