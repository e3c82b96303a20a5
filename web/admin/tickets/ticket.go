package tickets

import (
	"crypto/rand"
	"errors"
	"slices"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/draws"
	"banca/internal/messaging"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/internal/prizes"
	"banca/internal/receipts"
	"banca/internal/risk/exposure"
	"banca/internal/sales"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/ticketstate"
	"banca/web/kit"
)

// shownMessages bounds the messages of the timeline.
const shownMessages = 20

// ticketPage is a ticket with everything that happened to it.
type ticketPage struct {
	*sales.Ticket

	Entity   string
	Prize    *prizes.Detail // nil for an archived ticket
	Archived bool
	Cancels  bool         // the caller may cancel it now
	Best     money.Amount // the most that it can win, of a pending one
	Links    []kit.MenuLink
	Receipt  bool // the caller may see a receipt with its validation code

	draws    map[uuid.UUID]*draws.View
	messages []models.MessageLog // oldest first
	opens    func(path string) bool
	key      string // of the form, so that sending it twice cancels once
}

// State is the state of the ticket at the time of the page.
func (p *ticketPage) State(v *kit.View) string { return ticketstate.Of(p.Ticket, v.Now()) }

// At is the address of the page.
func (p *ticketPage) At() string { return path + "/" + p.ID.String() }

func (p *pages) load(r *kit.Request) (*ticketPage, error) {
	t, err := p.Sales.Find(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	page := &ticketPage{Ticket: t, Entity: kit.EntityName(r, t.EntityID), key: rand.Text(), opens: r.MayOpen, Receipt: r.May(auth.PrizesPay)}
	page.Prize, err = p.Prizes.Get(r.Context(), r.Caller, r.ID)
	if page.Archived = errors.Is(err, months.ErrArchived); page.Archived {
		page.Prize, err = nil, nil
	}
	if err == nil {
		err = p.loadDraws(r, page)
	}
	if err == nil && t.Status == models.TicketPending {
		err = p.loadBest(r, page)
	}
	if err == nil && r.MayOpen(links.Messages) {
		err = p.loadMessages(r, page)
	}
	if err != nil {
		return nil, err
	}
	drawn := slices.ContainsFunc(t.Lines, func(l sales.Line) bool { return !r.Now().Before(l.DrawTime) })
	page.Cancels = !drawn && t.Status == models.TicketPending && r.May(auth.SalesCancel) && (r.May(auth.SalesCancelAny) || r.Now().Before(t.CancelBefore))
	page.Links = r.Links(p.links(page)...)
	return page, nil
}

func (p *pages) links(page *ticketPage) []kit.MenuLink {
	list := []kit.MenuLink{
		{Title: "tickets.public", Path: "/t/" + page.SerialCode}, {Title: "messages.of", Path: links.Messages + "?ticket=" + page.SerialCode},
	}
	if page.CustomerID != uuid.Nil {
		list = append(list, kit.MenuLink{Title: "tickets.customer", Path: links.Customers + "/" + page.CustomerID.String()})
	}
	return list
}

// loadDraws reads the draws of the lines.
func (p *pages) loadDraws(r *kit.Request, page *ticketPage) error {
	page.draws = map[uuid.UUID]*draws.View{}
	var ids []uuid.UUID
	for i := range page.Lines {
		if id := page.Lines[i].DrawID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	list, _, err := p.Draws.Views(r.Context(), &draws.ViewFilter{IDs: ids, Limit: len(ids)})
	for i := range list {
		page.draws[list[i].ID] = &list[i]
	}
	return err
}

// loadBest adds up what the ticket has won and the most that its other lines can win.
func (p *pages) loadBest(r *kit.Request, page *ticketPage) error {
	open := &exposure.Ticket{ID: page.ID}
	for id, d := range page.draws {
		if !d.SettledAt.IsZero() || !d.SuspendedAt.IsZero() {
			open.Decided = append(open.Decided, id)
		}
	}
	var won money.Amount
	if page.Prize != nil {
		for i := range page.Prize.Lines {
			if l := &page.Prize.Lines[i]; l.AnnulledAt.IsZero() {
				open.Won, won = append(open.Won, l.LineNo), won+l.Prize
			}
		}
	}
	best, err := p.Exposure.Best(r.Context(), open)
	page.Best = won + best
	return err
}

func (p *pages) loadMessages(r *kit.Request, page *ticketPage) error {
	list, _, err := p.Messages.ListPage(r.Context(), r.Caller, &messaging.Filter{TicketID: page.ID}, messaging.Window{Limit: shownMessages})
	slices.Reverse(list)
	page.messages = list
	return err
}

// Cancel is the question that cancels the ticket; nil for a ticket or a caller that cannot.
func (p *ticketPage) Cancel(v *kit.View) *kit.Question {
	if !p.Cancels {
		return nil
	}
	amount := v.Money(p.Total, p.Currency.Digits)
	return v.Question(v.T("tickets.cancel"), p.At()+"/cancel", v.T("tickets.cancel.ask", p.SerialCode, amount, p.Currency.Unit(), p.Entity), v.T("tickets.cancel.do")).
		Irreversible(true).With("key", p.key).Opened(v.Problem != "")
}

// Paid lists what the ticket was paid with, and Change what was given back; both are empty for exact cash.
func (p *ticketPage) Paid(v *kit.View) []string { return p.payments(v, false) }

// Change lists the change.
func (p *ticketPage) Change(v *kit.View) []string { return p.payments(v, true) }

func (p *ticketPage) payments(v *kit.View, change bool) (list []string) {
	for i := range p.Payments {
		paid := &p.Payments[i]
		if paid.Change() != change {
			continue
		}
		amount, value := max(paid.Amount, -paid.Amount), max(paid.Value, -paid.Value)
		text := v.T("closes.means."+paid.Means) + " " + v.Money(amount, paid.Currency.Digits) + " " + paid.Currency.Unit()
		if paid.Currency.ID != p.Currency.ID {
			text += " = " + v.Money(value, p.Currency.Digits) + " " + p.Currency.Unit()
		}
		if paid.Reference != "" {
			text += " · " + v.T("tickets.paid.reference", paid.Reference)
		}
		list = append(list, text)
	}
	return list
}

// cancel cancels the ticket.
func (p *pages) cancel(r *kit.Request) error {
	_, err := p.Sales.Cancel(r.Context(), r.Caller, &sales.CancelRequest{TicketID: r.ID, IdempotencyKey: r.Form("key")})
	return p.ticket.Submit(r, err, "ticket.cancelled")
}

// picture answers with the receipt as everybody sees it: without the validation code of another entity's ticket.
func (p *pages) picture(r *kit.Request) error {
	return r.SendPicture(p.Sales.Copy(r.Context(), r.Caller, r.ID))
}

// receipt answers with the receipt and its validation code, if the caller may see it; for another entity's ticket that is recorded.
func (p *pages) receipt(r *kit.Request) error {
	return r.SendPicture(p.Sales.Receipt(r.Context(), r.Caller, r.ID, receipts.FormatPNG))
}
