// Package tickets has the pages of sold tickets.
package tickets

import (
	"embed"

	"banca/internal/auth"
	"banca/internal/services"
	"banca/web/admin/links"
	"banca/web/kit"
)

const path = links.Tickets

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	list   kit.List[ticketRow, struct{}]
	ticket kit.Page[ticketPage]
}

// Orders of the list.
const (
	newest = "-sold"
	oldest = "sold"
)

// Area returns the pages of tickets.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[ticketRow, struct{}]{
		Template: "tickets", File: "tickets", Columns: columns(), Link: func(t *ticketRow) string { return path + "/" + t.ID.String() }, Empty: "tickets.none",
		Rows: p.rows, Filter: p.filter, FileRows: kit.ExportRows, Counted: counted, Order: newest,
	}
	p.ticket = kit.Page[ticketPage]{Template: "ticket", Load: p.load}
	return kit.Area{Templates: templates, Routes: p.routes()}
}

func (p *pages) routes() []kit.Route {
	read := kit.Can(auth.SalesRead)
	return []kit.Route{
		kit.Get(path, read, p.list.Show).Menu("nav.sales", "tickets.title"),
		kit.Get(path+"/:id", read, p.ticket.Show),
		kit.Get(path+"/:id/picture", read, p.picture),
		kit.Get(path+"/:id/receipt", read, p.receipt),
		kit.Action(path+"/:id", "/cancel", kit.Can(auth.SalesCancel), p.cancel),
	}
}
