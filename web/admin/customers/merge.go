package customers

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/customers"
	"banca/internal/sales"
	"banca/web/kit"
)

// candidates bounds the customers that are offered for a merge.
const candidates = 20

// mergePage chooses a customer to merge into the page's one, and shows both and what moves before it is confirmed.
type mergePage struct {
	customers.Customer

	Search     string
	Candidates kit.Rows // nil once one is chosen
	With       *customers.Customer
	Sides      kit.Rows
	moves      []kit.Fact // what the customer that remains gains, as far as the caller may see it
}

func (p *pages) loadMerge(r *kit.Request) (*mergePage, error) {
	kept, err := p.Customers.Get(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	page := &mergePage{Customer: kept, Search: r.Query("q")}
	other := r.QueryID("with")
	if id := r.FormID("customer_id"); id != uuid.Nil {
		other = id
	}
	if other == uuid.Nil {
		return page, p.loadCandidates(r, page)
	}
	return page, p.loadSides(r, page, other)
}

// loadCandidates lists the customers of the same ticket point that match the search; before one, those with a word of the
// customer's name.
func (p *pages) loadCandidates(r *kit.Request, page *mergePage) error {
	first, _, _ := strings.Cut(page.Name, " ")
	f := &customers.Filter{EntityID: page.EntityID, Search: cmp.Or(page.Search, first), Limit: candidates + 1}
	list, _, err := p.Customers.List(r.Context(), r.Caller, f)
	list = slices.DeleteFunc(list, func(c customers.Customer) bool { return c.ID == page.ID })
	rows := kit.Map(list[:min(len(list), candidates)], func(c *customers.Customer) customerRow { return customerRow{Customer: *c} })
	link := func(c *customerRow) string { return mergeAddress(&page.Customer, &c.Customer) }
	page.Candidates = kit.RowsOf(columns()[:4], rows, link, "customer.merge.nomatch")
	return err
}

func mergeAddress(kept, merged *customers.Customer) string {
	return addressOf(kept.ID) + "/merge?with=" + merged.ID.String()
}

// side is a field of both customers and of the one that remains.
type side struct {
	Name                 string // key
	Kept, Merged, Result string
}

func (p *pages) loadSides(r *kit.Request, page *mergePage, other uuid.UUID) error {
	group, err := p.Customers.Group(r.Context(), r.Caller, other)
	if err != nil {
		return err
	}
	with := group.Customer
	page.With = &with
	phone, otherPhone := r.View().Phone(page.Phone), r.View().Phone(with.Phone)
	page.Sides = kit.RowsOf(sideColumns(), []side{
		{"label.name", page.Name, with.Name, page.Name},
		{"label.phone", phone, otherPhone, phone + ", " + otherPhone},
		{"label.id_document", page.IDDocument, with.IDDocument, cmp.Or(page.IDDocument, with.IDDocument)},
		{"label.email", page.Email, with.Email, cmp.Or(page.Email, with.Email)},
	}, nil, "")
	gains := func(name string, n int64) {
		page.moves = append(page.moves, kit.Fact{Name: name, Value: kit.Text(strconv.FormatInt(n, 10))})
	}
	if r.May(auth.SalesRead) {
		_, n, err := p.Sales.List(r.Context(), r.Caller, sales.Filter{Customer: group.IDs, Limit: 1})
		if err != nil {
			return err
		}
		gains("customer.merge.tickets", n)
	}
	if r.May(auth.PaymentRequestsRead) {
		_, n, err := p.Bank.CustomerPayments(r.Context(), r.Caller, group, 1, 0)
		if err != nil {
			return err
		}
		gains("customer.merge.payments", n)
	}
	return nil
}

func sideColumns() []kit.Column[side] {
	return []kit.Column[side]{
		kit.WordColumn("label.field", func(v *kit.View, s *side) string { return v.T(s.Name) }),
		kit.WrapColumn("customer.merge.kept", func(s *side) string { return s.Kept }),
		kit.WrapColumn("customer.merge.merged", func(s *side) string { return s.Merged }),
		kit.WrapColumn("customer.merge.result", func(s *side) string { return s.Result }),
	}
}

// Swap is the address of the same merge with the other customer kept.
func (p *mergePage) Swap() string { return addressOf(p.With.ID) + "/merge?with=" + p.ID.String() }

// Confirm is the form that merges the two.
func (p *mergePage) Confirm(v *kit.View) *kit.Question {
	q := v.Question("", addressOf(p.ID)+"/merge", v.T("customer.merge.ask", p.With.Name, p.Name), v.T("customer.merge.do", p.With.Name, p.Name)).
		With("customer_id", p.With.ID.String()).Irreversible(true)
	for _, gain := range p.moves {
		q.Fact(gain.Name, gain.Value)
	}
	return q
}

func (p *pages) mergeNow(r *kit.Request) error {
	kept, err := p.Customers.Merge(r.Context(), r.Caller, customers.Union{Kept: r.ID, Merged: r.FormID("customer_id")})
	return p.merge.SubmitTo(r, err, addressOf(kept.ID), "customer.merged")
}
