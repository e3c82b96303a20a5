package sentence

import (
	"cmp"
	"maps"
	"strings"

	"github.com/google/uuid"

	"banca/internal/activity"
	"banca/internal/platform/businessday"
	"banca/web/admin/links"
	"banca/web/kit"
)

// Names holds the names of the users, entities and objects of entries.
type Names struct {
	objects map[uuid.UUID]activity.Object
	pages   map[string]string // addresses without the id, by the kind of object; one whose page the caller may not open is missing
	prizes  bool              // the caller may open the pages of prizes
}

// pagesOf returns the addresses of the pages of objects by their kind, without the id; "" for a kind without pages.
func pagesOf() map[string]string {
	return map[string]string{
		"entity": links.Organisation + "/", "user": links.Users + "/", "session": links.Users + "/", "device": links.Devices + "/", "document": links.Organisation + "/",
		"customer": links.Customers + "/", "ticket": links.Tickets + "/", "wallet": links.Wallets + "/", "limit": links.Limits + "/", "close": links.Closes + "/",
		"settlement": links.Weekly + "/", "message": links.Messages + "/", "game": links.Games + "/", "draw": links.Draws + "/", "result": links.Draws + "/",
		"currency": links.Currencies + "/", "payment": links.BankPayments + "/", "category": "",
	}
}

// NamesOf reads the names of the users, entities and objects of entries, and of the objects with further ids.
func NamesOf(r *kit.Request, log *activity.Service, entries []activity.Log, ids ...uuid.UUID) (*Names, error) {
	for i := range entries {
		ids = append(ids, entries[i].UserID, entries[i].EntityID)
		if target, err := uuid.Parse(entries[i].Target); err == nil && !entries[i].Manual {
			ids = append(ids, target)
		}
	}
	objects, err := log.Objects(r.Context(), r.Caller, ids)
	if err != nil {
		return nil, err
	}
	pages := pagesOf()
	maps.DeleteFunc(pages, func(_, page string) bool { return page != "" && !r.MayOpen(page+uuid.Nil.String()) })
	return &Names{objects: objects, pages: pages, prizes: r.MayOpen(links.Prizes + "/" + uuid.Nil.String())}, nil
}

// Name is the name of an object with the address of its page, "" for none.
type Name struct{ Text, Link string }

// Of returns the name of an object. An object without a name, and one whose page the caller may not open, has the empty Name.
func (n *Names) Of(v *kit.View, id uuid.UUID) Name {
	o, found := n.objects[id]
	page, open := n.pages[o.Kind]
	if !found || !open {
		return Name{}
	}
	return named(v, &o, page)
}

// Prize returns the name of a ticket that leads to its prize, as Of does.
func (n *Names) Prize(v *kit.View, id uuid.UUID) Name {
	o, found := n.objects[id]
	if !found || !n.prizes {
		return Name{}
	}
	return named(v, &o, links.Prizes+"/")
}

func named(v *kit.View, o *activity.Object, page string) Name {
	name := Name{Text: objectText(v, o)}
	if page != "" && !o.Gone {
		name.Link = page + o.Page.String()
	}
	return name
}

func objectText(v *kit.View, o *activity.Object) string {
	if o.Kind == "message" {
		return Label(v, o.Name, "message.kind.")
	}
	parts := []string{o.Name}
	if o.Unit != "" {
		parts = append(parts, "("+o.Unit+")")
	}
	if !o.At.IsZero() {
		parts = append(parts, v.Clock(o.At))
	}
	if day, err := businessday.Parse(o.Day); err == nil {
		parts = append(parts, v.Day(day))
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// User returns the name of the user of an entry; the service itself is the system.
func (n *Names) User(v *kit.View, l *activity.Log) Name {
	return Name{Text: cmp.Or(l.UserName, v.T("activity.system")), Link: n.Of(v, l.UserID).Link}
}

// Entity returns the name of the entity of an entry.
func (n *Names) Entity(v *kit.View, l *activity.Log) Name {
	return Name{Text: l.Entity, Link: n.Of(v, l.EntityID).Link}
}
