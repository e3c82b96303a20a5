package customers

import (
	"strconv"

	"github.com/google/uuid"

	"banca/internal/customers"
	"banca/internal/platform/apperr"
	"banca/models"
	"banca/web/kit"
)

// personForm is the form of what is known of a customer.
func personForm(r *kit.Request, more ...kit.Input) *kit.Form {
	return kit.NewForm(append(more,
		kit.TextInput("name", "label.name", 100).WithRule("field.name", false).Required(),
		kit.PhoneInput("phone", "label.phone").Required().At(customers.ErrExists.Code),
		kit.RIFInput("id_document", "label.id_document"),
		kit.TextInput("email", "label.email", 254).With("inputmode=email autocapitalize=none").WithRule("customer.email.rule", false),
		kit.ChoiceInput("opted_out", "customer.messages", []kit.Option{{Value: "false", Text: r.T("customer.messages.on")}, {Value: "true", Text: r.T("customer.messages.off")}}).WithRule("customer.messages.rule", false),
	)...)
}

// fill sets the fields of the form to what is known of a customer.
func fill(form *kit.Form, c *customers.Customer) *kit.Form {
	person := &c.Person
	form.Put("opted_out", strconv.FormatBool(!c.OptOutAt.IsZero()))
	return form.Put("name", person.Name).Put("phone", person.Phone).Put("id_document", person.IDDocument).Put("email", person.Email)
}

// typed returns the person of the form.
func typed(r *kit.Request) customers.Person {
	p := customers.Person{Name: r.Text("name"), Phone: r.Text("phone"), IDDocument: r.Text("id_document"), Email: r.Text("email")}
	if out, err := strconv.ParseBool(r.Text("opted_out")); err == nil {
		p.OptedOut = &out
	}
	return p
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
	form := personForm(r, kit.EntityInput("entity", "customer.entity").WithRule("customer.entity.rule", false).Required().
		At(customers.ErrNotTicketPoint.Code))
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
	entity, err := p.Org.Named(r.Context(), r.Caller, r.Text("entity"))
	if err == nil {
		c, err = p.Customers.Create(r.Context(), r.Caller, entity, typed(r))
	}
	if err == nil {
		return r.Done(addressOf(c.ID), "customer.created")
	}
	return p.new.ShowRefusal(r, err, func(page *newPage) {
		page.Form.FillFrom(r).RefuseBy(err, "")
		if id := holderOf(err); id != uuid.Nil {
			page.Holder = addressOf(id)
		}
	})
}
