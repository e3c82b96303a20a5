package customers

import (
	"github.com/google/uuid"

	"banca/internal/customers"
	"banca/internal/platform/apperr"
	"banca/models"
	"banca/web/kit"
)

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
