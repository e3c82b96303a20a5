// Package closes has the pages of daily closes and of the reconciliation of a day.
package closes

import (
	"cmp"
	"crypto/rand"
	"embed"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/closes"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/services"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

const (
	path = links.Closes

	differentParam = "different" // closes whose counted cash differs
	differentDays  = 30          // of that list, so that an index bounds it
	newest         = "-day"      // the order of the service
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	list    kit.List[closes.Close, listPage]
	missing kit.List[closes.Missing, missingPage]
	close   kit.Page[closePage]
	balance kit.Page[balancePage]
}

// Area returns the pages of closes.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[closes.Close, listPage]{
		Template: "closes", File: "closes", Columns: columns(), ColumnsOf: columnsOf, Link: address, Empty: "closes.none", Rows: p.rows, Filter: p.filter, Page: p.listPageOf, Order: newest,
	}
	p.missing = kit.List[closes.Missing, missingPage]{
		Template: "closes-missing", File: "closes-missing", Columns: missingColumns(), ColumnsOf: missingColumnsOf, Empty: "closes.missing.none", Unpaged: true, Rows: p.missingRows,
		Filter: dayFilter, Page: func(r *kit.Request, _ []closes.Missing) (*missingPage, error) {
			return &missingPage{Day: dayOf(r)}, nil
		},
	}
	p.close = kit.Page[closePage]{Template: "close", Load: p.load}
	p.balance = kit.Page[balancePage]{Template: "closes-balance", Load: p.loadBalance}
	read, write := kit.Can(auth.ClosesRead), kit.Can(auth.ClosesWrite)
	return kit.Area{Templates: templates, Guide: "panel#dinero", Routes: []kit.Route{
		kit.Get(path, read, p.list.Show).Menu("nav.money", "closes.title"),
		kit.Post(path, write, p.open),
		kit.Get(path+"/missing", read, p.missing.Show),
		kit.Get(path+"/balance", read, p.balance.Show).Menu("nav.money", "closes.balance"),
		kit.Get(path+"/:id", read, p.close.Show),
		kit.Action(path+"/:id", "/sum", write, p.sum),
		kit.Action(path+"/:id", "/close", write.Sensitive(), p.finish),
		kit.Get(path+"/:id/receipt", read, p.receipt),
	}}
}

func addressOf(id uuid.UUID) string { return path + "/" + id.String() }

func address(c *closes.Close) string { return addressOf(c.ID) }

// listPage is what the list shows besides its rows.
type listPage struct {
	Writes bool
	Form   *kit.Form
	Day    businessday.Day // of all rows; zero for several
	State  string          // of all rows; "" for several

	Yesterday businessday.Day
	Missing   int // ticket points that have not closed yesterday or an earlier day
}

// Open asks for the day to open.
func (p *listPage) Open(v *kit.View) *kit.Question {
	return v.Question(v.T("closes.open"), path, v.T("closes.open.lead"), v.T("closes.open.do")).With("key", rand.Text()).WithForm(p.Form).Opened(v.Problem != "")
}

func (p *pages) openForm(r *kit.Request) (*kit.Form, error) {
	currencies, err := p.currencies(r)
	if err != nil {
		return nil, err
	}
	day := &openedDay{OpenRequest: closes.OpenRequest{Day: r.Today()}}
	own, err := p.Org.Entity(r.Context(), r.Caller, r.Caller.EntityID)
	if err == nil && own.Type == models.EntityTicketPoint {
		day.Entity = own.Code
	}
	return day.form(currencies).FillFrom(r), err
}

// openedDay is a day to open, as it is typed.
type openedDay struct {
	closes.OpenRequest

	Entity string // name or code
}

func (d *openedDay) form(currencies []kit.Option) *kit.Form {
	return kit.NewForm(
		kit.EntityInput("entity", "label.entity").Required().Into(&d.Entity),
		kit.ChoiceInput("currency", "label.currency", currencies).Into(&d.Currency),
		kit.TextInput("day", "closes.day", 10).With("type=date").Required().
			At(closes.ErrFuture.Code, closes.ErrClosed.Code, closes.ErrTooOld.Code).Into(&d.Day),
		kit.DecimalInput("opening", "closes.opening", 24).WithRule("input.money", false).At("opening_cash").Into(&d.OpeningCash),
	).WithPrefix("o-")
}

// currencies are the active currencies as choices.
func (p *pages) currencies(r *kit.Request) ([]kit.Option, error) {
	all, err := p.Ledger.Currencies(r.Context())
	return currency.Options(ledger.Active(all)), err
}

func (p *pages) listPageOf(r *kit.Request, rows []closes.Close) (*listPage, error) {
	page := &listPage{Writes: r.May(auth.ClosesWrite), Day: kit.Common(rows, dayOfClose), State: kit.Common(rows, stateOfClose), Yesterday: r.Today().AddDays(-1)}
	missing, err := p.Closes.Missing(r.Context(), r.Caller, uuid.Nil, page.Yesterday)
	if page.Missing = len(missing); err == nil {
		page.Form, err = p.openForm(r)
	}
	return page, err
}

func dayOfClose(c *closes.Close) businessday.Day { return c.Day }

func stateOfClose(c *closes.Close) string { return c.Status }

// columnsOf returns the columns of a page, without the day and the state if all rows have the same, and without the count of open days.
func columnsOf(rows []closes.Close) []kit.Column[closes.Close] {
	state := kit.Common(rows, stateOfClose)
	return kit.Hide(columns(), map[string]bool{
		"closes.day": !kit.Common(rows, dayOfClose).IsZero(), "label.state": state != "", "closes.counted": state == closes.Open, "closes.variance": state == closes.Open,
	})
}

func (p *pages) rows(r *kit.Request, w kit.Window) ([]closes.Close, int64, error) {
	entity, err := kit.AskedEntity(r, "entity")
	if err != nil {
		return nil, 0, err
	}
	list, total, err := p.Closes.List(r.Context(), r.Caller, &closes.Filter{
		EntityID: entity, Status: r.Query("status"), Currency: r.Query("currency"), From: cmp.Or(r.QueryDay("from"), opensWith(r)),
		To: cmp.Or(r.QueryDay("to"), opensWith(r)), Different: r.Query(differentParam) != "",
		Limit: w.Limit, Offset: w.Offset,
	})
	return list, total, r.Warned(err)
}

// opensWith returns the day that the list opens with, or none: a ticket point has one close a day.
func opensWith(r *kit.Request) (day businessday.Day) {
	if r.Caller.Role == models.RoleTaquilla || kit.Asks(r, "entity", "from", "to", "currency", "status", differentParam) {
		return day
	}
	return r.Today()
}

func (p *pages) filter(r *kit.Request) (*kit.Filter, error) {
	currencies, err := p.currencies(r)
	from, to := kit.DateField("from", "label.from"), kit.DateField("to", "label.to")
	if day := opensWith(r); !day.IsZero() {
		from.Value, to.Value = day.String(), day.String()
	}
	return &kit.Filter{Views: []kit.SavedView{
		{Title: "word.all", Values: map[string]string{"from": ""}}, {Title: "closes.different", Values: map[string]string{differentParam: "1", "from": r.Today().AddDays(-differentDays).String()}},
	}, Fields: []kit.FilterField{
		kit.HiddenField(differentParam), kit.EntityField("entity", "label.entity"), from, to,
		kit.SelectField("currency", "label.currency", currencies), kit.SelectField("status", "label.state", r.States("close", closes.States()...)),
	}}, err
}

func columns() []kit.Column[closes.Close] {
	amounts := kit.AmountsOf(func(c *closes.Close) int { return c.Currency.Digits })
	known := func(c *closes.Close) bool { return !c.Blind }
	amount := func(title string, of func(c *closes.Close) money.Amount) kit.Column[closes.Close] {
		return amounts(title, of).If(known).Summed().Adding(known)
	}
	return []kit.Column[closes.Close]{
		kit.WrapColumn("label.entity", func(c *closes.Close) string { return c.Entity }),
		kit.DayColumn("closes.day", func(c *closes.Close) businessday.Day { return c.Day }).By(kit.Orders{Descending: newest}).Leading(),
		kit.StateColumn("close", func(c *closes.Close) string { return c.Status }),
		kit.CurrencyColumn(func(c *closes.Close) (code, symbol string) { return c.Currency.Code, c.Currency.Unit() }),
		amount("closes.sales.net", func(c *closes.Close) money.Amount { return c.NetSales() }),
		amount("closes.prizes", func(c *closes.Close) money.Amount { return c.Prizes }),
		amounts("closes.rest", (*closes.Close).OtherCash).If(func(c *closes.Close) bool { return !c.Blind && c.OtherCash() != 0 }).TableOnly(),
		amount("closes.net", func(c *closes.Close) money.Amount { return c.Net() }).FileOnly(),
		amounts("closes.expected.cash", (*closes.Close).ExpectedCash).Below(func(v *kit.View, c *closes.Close) string {
			if c.ExpectedCash() >= 0 {
				return ""
			}
			return v.T("closes.own")
		}).If(known),
		amounts("closes.counted", func(c *closes.Close) money.Amount { return c.CashTotal }).If(func(c *closes.Close) bool { return c.Counted }).TableOnly(),
		{Title: "closes.variance", Number: true, Money: true, File: varianceFile, Cell: varianceCell},
		{Title: "label.id", Text: func(c *closes.Close) string { return c.ID.String() }},
	}
}

func varianceFile(c *closes.Close) sheet.Cell {
	if !c.Counted {
		return sheet.Cell{}
	}
	return sheet.Money(c.Variance(), c.Currency.Digits)
}

func varianceCell(v *kit.View, c *closes.Close) kit.Cell {
	switch {
	case c.Status == closes.Open:
		return kit.None()
	case !c.Counted:
		return kit.Text(v.T("closes.variance.none"))
	}
	return kit.Text(v.Signed(c.Variance(), c.Currency.Digits))
}

// open opens a day and leads to its page.
func (p *pages) open(r *kit.Request) error {
	c, err := p.opened(r)
	if err == nil {
		return r.Done(addressOf(c.ID), "day.opened")
	}
	return p.list.AsPage().ShowRefusal(r, err, func(page *listPage) { page.Form.RefuseBy(err, "") })
}

func (p *pages) opened(r *kit.Request) (*closes.Close, error) {
	day := &openedDay{OpenRequest: closes.OpenRequest{IdempotencyKey: r.Form("key")}}
	day.form(nil).Take(r)
	entity, err := p.Org.Named(r.Context(), r.Caller, day.Entity)
	switch {
	case err != nil:
		return nil, err
	case day.Day.IsZero():
		return nil, closes.ErrTooOld
	}
	day.EntityID = entity
	c, _, err := p.Closes.Open(r.Context(), r.Caller, &day.OpenRequest)
	return c, err
}

// missingPage is what the list of ticket points that have not closed shows besides its rows.
type missingPage struct{ Day businessday.Day }

// dayOf returns the day of the filter, without one the last day that is over.
func dayOf(r *kit.Request) businessday.Day { return cmp.Or(r.QueryDay("date"), r.Today().AddDays(-1)) }

func dayFilter(r *kit.Request) (*kit.Filter, error) {
	day := kit.DateField("date", "closes.day")
	if r.Query("date") == "" {
		day.Value = dayOf(r).String()
	}
	return &kit.Filter{Fields: []kit.FilterField{day, kit.EntityField("entity", "label.entity")}}, nil
}

func (p *pages) missingRows(r *kit.Request, _ kit.Window) ([]closes.Missing, int64, error) {
	entity, err := kit.AskedEntity(r, "entity")
	if err != nil {
		return nil, 0, err
	}
	list, err := p.Closes.Missing(r.Context(), r.Caller, entity, dayOf(r))
	return list, int64(len(list)), err
}

// missingColumnsOf returns the columns of a page, without the currency if all rows have the same.
func missingColumnsOf(rows []closes.Missing) []kit.Column[closes.Missing] {
	code := kit.Common(rows, func(m *closes.Missing) string { return m.Currency.Code })
	return kit.Hide(missingColumns(), map[string]bool{"label.currency": code != ""})
}

func missingColumns() []kit.Column[closes.Missing] {
	return []kit.Column[closes.Missing]{
		kit.WrapColumn("label.entity", func(m *closes.Missing) string { return m.Entity }).
			To(func(m *closes.Missing) string { return links.Organisation + "/" + m.EntityID.String() }),
		kit.CurrencyColumn(func(m *closes.Missing) (code, symbol string) { return m.Currency.Code, m.Currency.Unit() }),
		kit.DayColumn("closes.last", func(m *closes.Missing) businessday.Day { return m.LastDay }).
			WithCell(func(v *kit.View, m *closes.Missing) kit.Cell {
				if m.LastDay.IsZero() {
					return kit.Text(v.T("closes.missing.never"))
				}
				return kit.Text(v.Day(m.LastDay))
			}),
		kit.DayColumn("closes.missing.since", func(m *closes.Missing) businessday.Day { return m.Since }).
			To(func(m *closes.Missing) string {
				if m.OpenID == uuid.Nil {
					return ""
				}
				return addressOf(m.OpenID)
			}),
	}
}

// receipt answers with the picture of a close.
func (p *pages) receipt(r *kit.Request) error {
	return r.SendPicture(p.Closes.Receipt(r.Context(), r.Caller, r.ID, ""))
}
