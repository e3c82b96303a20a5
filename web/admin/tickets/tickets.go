// Package tickets has the pages of sold tickets.
package tickets

import (
	"cmp"
	"embed"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/customers"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/sales"
	"banca/internal/services"
	"banca/internal/tickets"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/ticketstate"
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
		Rows: p.rows, Filter: p.filter, FileRows: kit.ExportRows, Counted: counted, Bounded: bounded, Order: newest,
	}
	p.ticket = kit.Page[ticketPage]{Template: "ticket", Load: p.load}
	return kit.Area{Templates: templates, Guide: "panel#tickets", Routes: p.routes()}
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

// maxCustomers bounds the customers of a telephone number, which belong to different ticket points.
const maxCustomers = 100

// counted bounds the count behind the list: of a state that few tickets have, each of them is read.
const counted = 600 // more than kit sorts

// errPhone reports a text that is no telephone number.
var errPhone = errors.New("web: no telephone number")

// ticketRow is a ticket with the name of its seller.
type ticketRow struct {
	sales.Ticket

	Entity string
}

// question reads the address. ok is false if it selects no ticket for certain.
func (p *pages) question(r *kit.Request) (f sales.Filter, ok bool, err error) {
	f = sales.Filter{Status: r.Query("status"), Date: dayOf(r), Total: kit.Decimal(r.Query("amount"))}
	if typed := r.Query("serial"); typed != "" {
		if f.Serial = sales.TypedSerial(typed); f.Serial == "" {
			return f, false, tickets.ErrNotFound
		}
	}
	if f.Below, err = kit.AskedEntity(r, "entity"); err != nil {
		return f, false, err
	}
	if typed := r.Query("phone"); typed != "" {
		f.Customer, err = p.customersOf(r, typed)
		return f, len(f.Customer) > 0, err
	}
	return f, true, nil
}

// dayOf returns the day of the question: today where the list opens, and for an amount without a day; zero for all days.
func dayOf(r *kit.Request) businessday.Day {
	if r.Query("amount") == "" && kit.Asks(r, "serial", "entity", "date", "status", "phone") {
		return r.QueryDay("date")
	}
	return cmp.Or(r.QueryDay("date"), r.Today())
}

// bounded reports whether counted bounds the count of a question: all tickets of a day are counted by an index.
func bounded(r *kit.Request) bool {
	return r.Query("status") != "" || dayOf(r).IsZero()
}

// customersOf returns the rows of the customers with a telephone number. Errors: errPhone.
func (p *pages) customersOf(r *kit.Request, typed string) (ids []uuid.UUID, err error) {
	number, err := kit.ReadPhone(typed)
	if err != nil {
		return nil, errPhone
	}
	found, _, err := p.Customers.List(r.Context(), r.Caller, &customers.Filter{Search: number, Limit: maxCustomers})
	if err != nil {
		return nil, err
	}
	for i := range found {
		group, err := p.Customers.Group(r.Context(), r.Caller, found[i].ID)
		if err != nil {
			return nil, err
		}
		ids = append(ids, group.IDs...)
	}
	return ids, nil
}

func (p *pages) rows(r *kit.Request, w kit.Window) ([]ticketRow, int64, error) {
	f, ok, err := p.question(r)
	f.Limit, f.Offset, f.Counted, f.Oldest = w.Limit, w.Offset, w.Counted, w.Order == oldest
	var list []sales.Ticket
	var total int64
	if err == nil && ok {
		list, total, err = p.Sales.List(r.Context(), r.Caller, f)
	}
	if errors.Is(err, errPhone) {
		r.Warn(r.T("input.phone"))
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, r.Warned(err)
	}
	names := kit.EntityNames(r, list, func(t *sales.Ticket) uuid.UUID { return t.EntityID })
	return kit.Map(list, func(t *sales.Ticket) ticketRow { return ticketRow{*t, names[t.EntityID]} }), total, nil
}

func (p *pages) filter(r *kit.Request) (*kit.Filter, error) {
	date := kit.DateField("date", "label.day")
	if day := dayOf(r); r.Query("date") == "" && !day.IsZero() {
		date.Value = day.String()
	}
	states := r.States("prize", models.TicketPending, models.TicketWon, models.TicketPaid, models.TicketLost, models.TicketCancelled)
	states[slices.Index(states, kit.Option{Value: models.TicketWon, Text: r.T("state.prize.won")})].Text = r.T("tickets.won") // also those whose time is over
	fields := []kit.FilterField{
		kit.TextField("serial", "label.serial", 200), kit.EntityField("entity", "label.entity"), date,
		kit.SelectField("status", "label.state", states), kit.TextField("amount", "label.amount", 24).Keyboard("decimal"),
	}
	if r.MayOpen(links.Customers + "/" + uuid.Nil.String()) {
		fields = append(fields, kit.TextField("phone", "label.phone", 30).Keyboard("tel"))
	}
	today := r.Today().String()
	return &kit.Filter{Fields: fields, Views: []kit.SavedView{
		{Title: "word.all", Values: map[string]string{"date": ""}},
		{Title: "tickets.view.cancelled", Values: map[string]string{"date": today, "status": models.TicketCancelled}},
		{Title: "tickets.view.won", Values: map[string]string{"status": models.TicketWon}},
	}}, nil
}

func columns() []kit.Column[ticketRow] {
	return []kit.Column[ticketRow]{
		kit.MonoColumn("label.serial", func(t *ticketRow) string { return t.SerialCode }),
		kit.TimeColumn("label.sold", func(t *ticketRow) time.Time { return t.CreatedAt }).By(kit.Orders{Ascending: oldest, Descending: newest}),
		kit.WrapColumn("label.entity", func(t *ticketRow) string { return t.Entity }),
		{
			Title: "label.games", Text: func(t *ticketRow) string { return gamesOf(&t.Ticket) },
			Cell: func(_ *kit.View, t *ticketRow) kit.Cell { return kit.Wrap(gamesOf(&t.Ticket)) },
		},
		kit.CountColumn("tickets.lines", func(t *ticketRow) int { return len(t.Lines) }).OnWide(),
		kit.AmountColumn("label.total", func(t *ticketRow) (money.Amount, int) { return t.Total, t.Currency.Digits }).
			Adding(func(t *ticketRow) bool { return t.Status != models.TicketCancelled }).AddedAs("tickets.sum"),
		kit.AmountColumn("label.prize", func(t *ticketRow) (money.Amount, int) { return t.Prize, t.Currency.Digits }).If(hasPrize).Adding(hasPrize),
		kit.CurrencyColumn(func(t *ticketRow) (code, symbol string) { return t.Currency.Code, t.Currency.Unit() }),
		ticketstate.Column(func(t *ticketRow) *sales.Ticket { return &t.Ticket }),
	}
}

func hasPrize(t *ticketRow) bool { return t.Prize > 0 && t.Status != models.TicketCancelled }

// gamesOf returns the names of the games of a ticket.
func gamesOf(t *sales.Ticket) string {
	text, seen := "", map[uuid.UUID]bool{}
	for i := range t.Lines {
		if l := &t.Lines[i]; !seen[l.GameID] {
			seen[l.GameID] = true
			if text != "" {
				text += ", "
			}
			text += l.GameName
		}
	}
	return text
}
