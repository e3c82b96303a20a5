// Package customers has the pages of the customers of ticket points.
package customers

import (
	"embed"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/customers"
	"banca/internal/platform/money"
	"banca/internal/sales"
	"banca/internal/services"
	"banca/web/admin/links"
	"banca/web/admin/parts/ticketstate"
	"banca/web/kit"
)

const path = links.Customers

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	list     kit.List[customerRow, listPage]
	customer kit.Page[customerPage]
	new      kit.Page[newPage]
	merge    kit.Page[mergePage]
	tickets  kit.List[sales.Ticket, historyPage]
	payments kit.List[bank.CustomerPayment, historyPage]
}

// Area returns the pages of customers.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[customerRow, listPage]{
		Template: "customers", File: "customers", Columns: columns(), Link: address, Empty: "customers.none", EmptyIf: map[string]string{"q": "customers.nomatch"},
		Rows: p.rows, Filter: p.filter, Page: p.listPageOf, FileRows: kit.ExportRows,
	}
	p.customer = kit.Page[customerPage]{Template: "customer", Load: p.load}
	p.new = kit.Page[newPage]{Template: "customer-new", Load: p.loadNew}
	p.merge = kit.Page[mergePage]{Template: "customer-merge", Load: p.loadMerge}
	p.tickets = kit.List[sales.Ticket, historyPage]{
		Template: "customer-history", File: "customer-tickets", Columns: ticketColumns(), Link: ticketAddress, Empty: "customer.tickets.none", Rows: p.ticketRows,
		Page: func(r *kit.Request, _ []sales.Ticket) (*historyPage, error) { return p.history(r, "customer.tickets") },
	}
	p.payments = kit.List[bank.CustomerPayment, historyPage]{
		Template: "customer-history", File: "customer-payments", Columns: paymentColumns(), Empty: "customer.payments.none", Rows: p.paymentRows,
		Page: func(r *kit.Request, _ []bank.CustomerPayment) (*historyPage, error) {
			return p.history(r, "customer.payments")
		},
	}
	return kit.Area{Templates: templates, Guide: "panel#users-and-customers", Routes: p.routes()}
}

func (p *pages) routes() []kit.Route {
	read, write := kit.Can(auth.CustomersRead), kit.Can(auth.CustomersWrite)
	return []kit.Route{
		kit.Get(path, read, p.list.Show).Menu("nav.sales", "customers.title"),
		kit.Get(path+"/new", write, p.new.Show),
		kit.Post(path+"/new", write, p.create),
		kit.Get(path+"/:id", read, p.show),
		kit.Action(path+"/:id", "/edit", write, p.save),
		kit.Action(path+"/:id", "/delete", write.Sensitive(), p.delete),
		kit.Get(path+"/:id/merge", write, p.merge.Show),
		kit.Post(path+"/:id/merge", write.Sensitive(), p.mergeNow),
		kit.Get(path+"/:id/tickets", kit.Can(auth.SalesRead), p.tickets.Show),
		kit.Get(path+"/:id/payments", kit.Can(auth.PaymentRequestsRead), p.payments.Show),
	}
}

func addressOf(id uuid.UUID) string { return path + "/" + id.String() }

func address(c *customerRow) string { return addressOf(c.ID) }

type customerRow struct {
	customers.Customer

	Entity string
	Bought time.Time // zero without tickets, or if the reader may see none
}

// listPage is what the list of customers shows besides its rows.
type listPage struct {
	Writes  bool
	Prepare *kit.Prepared // of a long list
}

func (p *pages) listPageOf(r *kit.Request, _ []customerRow) (*listPage, error) {
	page := &listPage{Writes: r.May(auth.CustomersWrite)}
	entity, err := kit.AskedEntity(r, "entity")
	if kit.IsNotFound(err) {
		return page, nil
	}
	if err != nil {
		return nil, err
	}
	fields := []kit.Parameter{{Name: "search", Value: r.Query("q")}}
	if entity != uuid.Nil {
		fields = append(fields, kit.Parameter{Name: "entity", Value: entity.String()})
	}
	page.Prepare = kit.NewPrepared(r, "customers", fields...)
	return page, nil
}

func (p *pages) rows(r *kit.Request, w kit.Window) ([]customerRow, int64, error) {
	entity, err := kit.AskedEntity(r, "entity")
	if err != nil {
		return nil, 0, err
	}
	f := &customers.Filter{EntityID: entity, Search: r.Query("q"), Limit: w.Limit, Offset: w.Offset}
	list, total, err := p.Customers.List(r.Context(), r.Caller, f)
	rows := rowsOf(r, list)
	if err != nil || !r.May(auth.SalesRead) {
		return rows, total, err
	}
	ids := kit.Map(list, func(c *customers.Customer) uuid.UUID { return c.ID })
	last, err := p.Customers.LastBought(r.Context(), r.Caller, ids)
	for i := range rows {
		rows[i].Bought = last[rows[i].ID]
	}
	return rows, total, err
}

func rowsOf(r *kit.Request, list []customers.Customer) []customerRow {
	names := kit.EntityNames(r, list, func(c *customers.Customer) uuid.UUID { return c.EntityID })
	return kit.Map(list, func(c *customers.Customer) customerRow {
		return customerRow{Customer: *c, Entity: names[c.EntityID]}
	})
}

func (p *pages) filter(*kit.Request) (*kit.Filter, error) {
	return &kit.Filter{Fields: []kit.FilterField{kit.TextField("q", "customers.search", 100), kit.EntityField("entity", "label.ticket_point")}}, nil
}

func columns() []kit.Column[customerRow] {
	return []kit.Column[customerRow]{
		kit.WrapColumn("label.name", func(c *customerRow) string { return c.Name }),
		kit.PhoneColumn("label.phone", func(c *customerRow) string { return c.Phone }),
		kit.MonoColumn("label.id_document", func(c *customerRow) string { return c.IDDocument }).
			WithCell(func(_ *kit.View, c *customerRow) kit.Cell { return kit.Mono(c.Document()) }),
		kit.WrapColumn("label.email", func(c *customerRow) string { return c.Email }),
		kit.WrapColumn("label.ticket_point", func(c *customerRow) string { return c.Entity }),
		kit.TimeColumn("customer.last", func(c *customerRow) time.Time { return c.Bought }),
		kit.TimeColumn("customer.since", func(c *customerRow) time.Time { return c.CreatedAt }),
		{Title: "label.id", Text: func(c *customerRow) string { return c.ID.String() }},
	}
}

// historyPage is what a history shows besides its rows.
type historyPage struct {
	customers.Customer

	Title string // key
}

func (p *pages) history(r *kit.Request, title string) (*historyPage, error) {
	c, err := p.Customers.Get(r.Context(), r.Caller, r.ID)
	return &historyPage{Customer: c, Title: title}, err
}

func (p *pages) ticketRows(r *kit.Request, w kit.Window) ([]sales.Ticket, int64, error) {
	group, err := p.Customers.Group(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, 0, err
	}
	return p.Sales.List(r.Context(), r.Caller, sales.Filter{Customer: group.IDs, Limit: w.Limit, Offset: w.Offset})
}

func (p *pages) paymentRows(r *kit.Request, w kit.Window) ([]bank.CustomerPayment, int64, error) {
	group, err := p.Customers.Group(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, 0, err
	}
	return p.Bank.CustomerPayments(r.Context(), r.Caller, group, w.Limit, w.Offset)
}

func ticketAddress(t *sales.Ticket) string { return links.Tickets + "/" + t.ID.String() }

// ticketLink returns ticketAddress, or nil if the caller may not open it.
func ticketLink(r *kit.Request) func(*sales.Ticket) string {
	if !r.MayOpen(links.Tickets + "/:id") {
		return nil
	}
	return ticketAddress
}

func ticketColumns() []kit.Column[sales.Ticket] {
	return []kit.Column[sales.Ticket]{
		kit.MonoColumn("label.serial", func(t *sales.Ticket) string { return t.SerialCode }),
		ticketstate.Column(func(t *sales.Ticket) *sales.Ticket { return t }),
		kit.CountColumn("customer.lines", func(t *sales.Ticket) int { return len(t.Lines) }),
		kit.AmountColumn("label.total", func(t *sales.Ticket) (money.Amount, int) { return t.Total, t.Currency.Digits }),
		kit.CurrencyColumn(func(t *sales.Ticket) (code, symbol string) { return t.Currency.Code, t.Currency.Unit() }),
		kit.TimeColumn("customer.sold", func(t *sales.Ticket) time.Time { return t.CreatedAt }),
		{Title: "label.id", Text: func(t *sales.Ticket) string { return t.ID.String() }},
	}
}

func paymentColumns() []kit.Column[bank.CustomerPayment] {
	return []kit.Column[bank.CustomerPayment]{
		kit.TimeColumn("label.created", func(p *bank.CustomerPayment) time.Time { return p.Request.CreatedAt }),
		kit.StateColumn("request", func(p *bank.CustomerPayment) string { return p.Request.Status }),
		kit.AmountColumn("label.amount", func(p *bank.CustomerPayment) (money.Amount, int) {
			return p.Request.Amount, p.Request.Currency.Digits
		}),
		kit.CurrencyColumn(func(p *bank.CustomerPayment) (code, symbol string) {
			return p.Request.Currency.Code, p.Request.Currency.Unit()
		}),
		kit.MonoColumn("label.client_id", func(p *bank.CustomerPayment) string { return p.Request.Document() }),
		kit.MonoColumn("label.reference", func(p *bank.CustomerPayment) string { return paid(p).Reference }),
		kit.TimeColumn("label.paid_at", func(p *bank.CustomerPayment) time.Time { return paid(p).ReceivedAt }),
		{Title: "label.id", Text: func(p *bank.CustomerPayment) string { return p.Request.ID.String() }},
	}
}

// paid returns the payment that closed the request, or the zero one.
func paid(p *bank.CustomerPayment) *bank.Payment {
	if p.Payment == nil {
		return &bank.Payment{}
	}
	return p.Payment
}
