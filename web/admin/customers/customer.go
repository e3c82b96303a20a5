package customers

import (
	"net/url"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/customers"
	"banca/internal/platform/apperr"
	"banca/internal/sales"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
)

// recent bounds the tickets and the payments on a customer's page; the histories have pages of their own. Habits are read from more tickets.
const (
	recent      = 10
	readTickets = 100
)

// customerPage is a customer with the newest part of its history.
type customerPage struct {
	customers.Customer

	Entity   string
	Merged   int // number of rows merged into it
	Form     *kit.Form
	Writes   bool
	Edits    bool           // the form was refused
	Holder   uuid.UUID      // the customer that has the typed telephone number; Nil for none
	Habits   *sales.Habits  // nil if the caller may not see the tickets
	Alike    []kit.MenuLink // merges with customers that may be the same person
	Tickets  *history       // nil if the caller may not see them
	Payments *history       // as above
	Links    []kit.MenuLink // related pages that the caller may open
}

// history is the newest part of a list about a customer.
type history struct {
	Rows  kit.Rows
	Total int64
	All   string // address of the whole list; "" if Rows has all
}

// address is that of an action on the customer.
func (p *customerPage) address(action string) string { return addressOf(p.ID) + action }

// HolderMerge is the address at which the customer with the typed telephone number can be merged; "" for none.
func (p *customerPage) HolderMerge() string {
	if p.Holder == uuid.Nil {
		return ""
	}
	return p.address("/merge?with=" + p.Holder.String())
}

// Delete asks before the customer is forgotten.
func (p *customerPage) Delete(v *kit.View) *kit.Question {
	return v.Question(v.T("customer.delete"), p.address("/delete"), v.T("customer.delete.ask", p.Name), v.T("customer.delete.do")).
		Fact("customer.delete.goes", kit.Wrap(v.T("customer.delete.goes.what"))).
		Fact("customer.delete.stays", kit.Wrap(v.T("customer.delete.stays.what"))).Irreversible(true).WithID("forget")
}

// show shows a customer; the address of a merged one leads to the one that remains.
func (p *pages) show(r *kit.Request) error {
	c, err := p.Customers.Get(r.Context(), r.Caller, r.ID)
	if err == nil && c.ID != r.ID {
		return r.Redirect(addressOf(c.ID))
	}
	return p.customer.Show(r)
}

func (p *pages) load(r *kit.Request) (*customerPage, error) {
	group, err := p.Customers.Group(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	group.OptedOut = new(!group.OptOutAt.IsZero())
	page := &customerPage{
		Customer: group.Customer, Entity: kit.EntityName(r, group.EntityID), Merged: len(group.IDs) - 1,
		Form: personForm(r, &group.Person), Writes: r.May(auth.CustomersWrite),
	}
	if group.Phone != "" {
		page.Links = r.Links(kit.MenuLink{Title: "messages.of", Path: links.Messages + "?recipient=" + url.QueryEscape(group.Phone)})
	}
	if r.May(auth.SalesRead) {
		if err := p.loadTickets(r, page, group); err != nil {
			return nil, err
		}
	}
	if r.May(auth.PaymentRequestsRead) {
		list, total, err := p.Bank.CustomerPayments(r.Context(), r.Caller, group, recent, 0)
		if err != nil {
			return nil, err
		}
		page.Payments = historyOf(kit.RowsOf(paymentColumns(), list, nil, "customer.payments.none"), total, page.address("/payments"))
	}
	return page, p.loadAlike(r, page)
}

// loadTickets adds the newest tickets of a customer, and what they say.
func (p *pages) loadTickets(r *kit.Request, page *customerPage, group *customers.Group) error {
	list, total, err := p.Sales.List(r.Context(), r.Caller, sales.Filter{Customer: group.IDs, Limit: readTickets})
	if err != nil {
		return err
	}
	page.Habits = sales.HabitsOf(list, total, r.Now())
	page.Tickets = historyOf(kit.RowsOf(ticketColumns(), list[:min(len(list), recent)], ticketLink(r), "customer.tickets.none"), total, page.address("/tickets"))
	return nil
}

// loadAlike adds merges with the customers that may be the same person.
func (p *pages) loadAlike(r *kit.Request, page *customerPage) error {
	if !page.Writes {
		return nil
	}
	list, err := p.Customers.Alike(r.Context(), r.Caller, &page.Customer)
	page.Alike = kit.Map(list, func(c *customers.Customer) kit.MenuLink {
		return kit.MenuLink{Title: c.Name + " " + r.View().Phone(c.Phone), Path: mergeAddress(&page.Customer, c)}
	})
	return err
}

func historyOf(rows kit.Rows, total int64, all string) *history {
	if total <= recent {
		all = ""
	}
	return &history{Rows: rows, Total: total, All: all}
}

func (p *pages) save(r *kit.Request) error {
	var person customers.Person
	personForm(r, &person).Take(r)
	_, err := p.Customers.Update(r.Context(), r.Caller, r.ID, person)
	return p.customer.Submit(r, err, "customer.saved", func(page *customerPage) {
		page.Form.FillFrom(r).RefuseBy(err, "")
		page.Edits, page.Holder = true, holderOf(err)
	})
}

func (p *pages) delete(r *kit.Request) error {
	return p.customer.SubmitTo(r, p.Customers.Delete(r.Context(), r.Caller, r.ID), path, "customer.deleted")
}

// personForm is the form of the person of a customer.
func personForm(r *kit.Request, p *customers.Person, more ...kit.Input) *kit.Form {
	messages := []kit.Option{
		{Value: "false", Text: r.T("customer.messages.on")}, {Value: "true", Text: r.T("customer.messages.off")},
	}
	return kit.NewForm(append(more,
		kit.TextInput("name", "label.name", 100).WithRule("field.name", false).Required().Into(&p.Name),
		kit.PhoneInput("phone", "label.phone").Required().At(customers.ErrExists.Code).Into(&p.Phone),
		kit.RIFInput("id_document", "label.id_document").Into(&p.IDDocument),
		kit.TextInput("email", "label.email", 254).With("inputmode=email autocapitalize=none").
			WithRule("customer.email.rule", false).Into(&p.Email),
		kit.ChoiceInput("opted_out", "customer.messages", messages).WithRule("customer.messages.rule", false).Into(&p.OptedOut),
	)...)
}

// holderOf returns the customer that has the telephone number, which the error names, or Nil.
func holderOf(err error) uuid.UUID {
	e := apperr.From(err)
	if err == nil || e.Code != customers.ErrExists.Code {
		return uuid.Nil
	}
	for _, d := range e.Details {
		if id, err := uuid.Parse(d.Args["id"]); err == nil {
			return id
		}
	}
	return uuid.Nil
}

// newPage is the form of a new customer.
type newPage struct {
	Form   *kit.Form
	Holder string // address of the customer that has the telephone number; "" for none
}

func (p *pages) loadNew(r *kit.Request) (*newPage, error) {
	form := personForm(r, &customers.Person{}, kit.EntityInput("entity", "customer.entity").
		WithRule("customer.entity.rule", false).Required().At(customers.ErrNotTicketPoint.Code))
	own, err := p.Org.Entity(r.Context(), r.Caller, r.Caller.EntityID)
	if err != nil {
		return nil, err
	}
	if own.Type == models.EntityTicketPoint {
		form.Put("entity", own.Code)
	}
	return &newPage{Form: form}, nil
}

func (p *pages) create(r *kit.Request) error {
	var c customers.Customer
	personForm(r, &c.Person).Take(r)
	entity, err := p.Org.Named(r.Context(), r.Caller, r.Text("entity"))
	if err == nil {
		c, err = p.Customers.Create(r.Context(), r.Caller, entity, c.Person)
	}
	return p.new.SubmitTo(r, err, addressOf(c.ID), "customer.created", func(page *newPage) {
		page.Form.FillFrom(r).RefuseBy(err, "")
		if id := holderOf(err); id != uuid.Nil {
			page.Holder = addressOf(id)
		}
	})
}
