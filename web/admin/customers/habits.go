package customers

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/customers"
	"banca/internal/sales"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

const (
	readTickets = 100                 // newest ones of a customer, of which recent ones are listed
	habitsOf    = 30 * 24 * time.Hour // the period of what was spent
	favourites  = 5
	alikeShown  = 3
)

// habits are what a customer bought lately, by the newest tickets.
type habits struct {
	Last    time.Time // the newest ticket that was not cancelled; zero for none
	Spent   []string  // in habitsOf, by currency
	AtLeast bool      // there may be more tickets in that time
	Numbers []string  // the most frequent ones of the tickets read
}

// habitsIn sums up the newest tickets of a customer, of total ones.
func habitsIn(r *kit.Request, list []sales.Ticket, total int64) *habits {
	h, since := &habits{}, r.Now().Add(-habitsOf)
	h.AtLeast = int64(len(list)) < total && len(list) > 0 && list[len(list)-1].CreatedAt.After(since)
	spent, count := map[uuid.UUID]*sales.Ticket{}, map[string]int{} // a sum for each currency, and how often each number was played
	for i := range list {
		t := &list[i]
		if t.Status == models.TicketCancelled {
			continue
		}
		if h.Last.IsZero() {
			h.Last = t.CreatedAt
		}
		for j := range t.Lines {
			if l := &t.Lines[j]; l.Name != "" {
				count[strings.TrimPrefix(l.Selection+" "+l.Name, l.Name+" ")]++ // 5 León, but of a number itself alone
			}
		}
		if t.CreatedAt.Before(since) {
			continue
		}
		if spent[t.Currency.ID] == nil {
			spent[t.Currency.ID] = &sales.Ticket{Currency: t.Currency}
		}
		spent[t.Currency.ID].Total += t.Total
	}
	for _, sum := range slices.SortedFunc(maps.Values(spent), func(a, b *sales.Ticket) int { return a.Currency.Order(&b.Currency) }) {
		h.Spent = append(h.Spent, currency.Text(r.View(), sum.Total, sum.Currency))
	}
	h.Numbers = slices.Collect(maps.Keys(count))
	slices.SortFunc(h.Numbers, func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	h.Numbers = h.Numbers[:min(len(h.Numbers), favourites)]
	return h
}

// loadTickets adds the newest tickets of a customer, and what they say.
func (p *pages) loadTickets(r *kit.Request, page *customerPage, group *customers.Group) error {
	list, total, err := p.Sales.List(r.Context(), r.Caller, sales.Filter{Customer: group.IDs, Limit: readTickets})
	if err != nil {
		return err
	}
	page.Habits = habitsIn(r, list, total)
	page.Tickets = historyOf(kit.RowsOf(ticketColumns(), list[:min(len(list), recent)], ticketLink(r), "customer.tickets.none"), total, page.address("/tickets"))
	return nil
}

// loadAlike adds the customers of the same ticket point that may be the same person: with the same name, and no other document.
func (p *pages) loadAlike(r *kit.Request, page *customerPage) error {
	if !page.Writes {
		return nil
	}
	list, err := p.others(r, &page.Customer, page.Name)
	list = slices.DeleteFunc(list, func(c customerRow) bool {
		other := c.IDDocument != "" && page.IDDocument != "" && c.IDDocument != page.IDDocument
		return other || kit.Fold(c.Name) != kit.Fold(page.Name)
	})
	page.Alike = kit.Map(list[:min(len(list), alikeShown)], func(c *customerRow) kit.MenuLink {
		return kit.MenuLink{Title: c.Name + " " + r.View().Phone(c.Phone), Path: mergeAddress(&page.Customer, c)}
	})
	return err
}
