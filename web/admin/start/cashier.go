package start

import (
	"slices"
	"strings"

	"banca/internal/closes"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/prizes"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/ticketstate"
	"banca/web/kit"
)

const shownTickets = 8

// cashierPage is the day of a ticket point, for its cashier. Parts that the user may not read are missing.
type cashierPage struct {
	Currency   ledger.Currency
	Currencies []kit.Choice
	Total      *rollup.Figures
	Due        *prizes.Sum    // prizes to be paid; nil without the right to read prizes
	Wallet     *ledger.Wallet // nil before the first movement
	Close      *closes.Close  // of today, open or closed; nil if the day is not opened
	Closes     bool           // the user may open and close days
	Sells      bool           // the user may sell at the counter
	Draws      *dayDraws
	tickets    []sales.Ticket
	cancels    bool
}

func (p *pages) loadCashier(r *kit.Request) (*cashierPage, error) {
	page := &cashierPage{cancels: r.MayOpen(links.Tickets + "/:id/cancel"), Closes: r.MayOpen(links.Closes), Sells: r.MayOpen(sellPath)}
	var err error
	if page.Currency, page.Currencies, err = currency.Choose(r, p.Ledger); err != nil {
		return nil, err
	}
	loads := []struct {
		path string // of the page that shows the same
		load func(r *kit.Request, page *cashierPage) error
	}{{links.Reports + "/sales", p.loadOwnSales}, {links.Wallets, p.loadOwnWallet}, {links.Closes, p.loadOwnClose}, {links.Tickets, p.loadOwnTickets}, {links.Prizes, p.loadOwnPrizes}, {links.Draws, p.loadOwnDraws}}
	for _, part := range loads {
		if !r.MayOpen(part.path) {
			continue
		}
		if err := part.load(r, page); err != nil {
			return nil, err
		}
	}
	return page, nil
}

func (p *pages) loadOwnSales(r *kit.Request, page *cashierPage) error {
	today := r.Today()
	report, err := p.Reports.Sales(r.Context(), r.Caller, &reports.Filter{From: today, To: today, Currency: page.Currency.Code}, reports.GroupTotal)
	if err == nil {
		page.Total = &report.Total
	}
	return err
}

func (p *pages) loadOwnWallet(r *kit.Request, page *cashierPage) error {
	list, _, err := p.Ledger.Wallets(r.Context(), r.Caller, &ledger.WalletFilter{EntityID: r.Caller.EntityID, Currency: page.Currency.Code, Kind: models.WalletMain, Limit: 1})
	if err == nil && len(list) > 0 {
		page.Wallet = &list[0]
	}
	return err
}

func (p *pages) loadOwnClose(r *kit.Request, page *cashierPage) error {
	today := r.Today()
	list, _, err := p.Closes.List(r.Context(), r.Caller, &closes.Filter{EntityID: r.Caller.EntityID, Currency: page.Currency.Code, From: today, To: today, Limit: 1})
	if err == nil && len(list) > 0 {
		page.Close = &list[0]
	}
	return err
}

func (p *pages) loadOwnTickets(r *kit.Request, page *cashierPage) (err error) {
	page.tickets, _, err = p.Sales.List(r.Context(), r.Caller, sales.Filter{EntityID: r.Caller.EntityID, Date: r.Today(), Limit: shownTickets})
	return err
}

func (p *pages) loadOwnPrizes(r *kit.Request, page *cashierPage) error {
	due, err := p.Prizes.Summary(r.Context(), r.Caller, &prizes.Filter{State: models.TicketWon})
	page.Due = &prizes.Sum{}
	for i := range due {
		if due[i].Currency.ID == page.Currency.ID {
			page.Due = &due[i]
		}
	}
	return err
}

func (p *pages) loadOwnDraws(r *kit.Request, page *cashierPage) (err error) {
	page.Draws, err = p.loadDraws(r, nil, "")
	return err
}

// Next is when draws close next; nil without one.
func (p *cashierPage) Next() *closing {
	if p.Draws == nil || len(p.Draws.Next) == 0 {
		return nil
	}
	return &p.Draws.closings()[0]
}

// NextText names the draw that closes next, or counts the draws.
func (*cashierPage) NextText(v *kit.View, next *closing) string {
	return v.N("cashier.next", len(next.Games), next.Games[0], strings.ReplaceAll(v.Clock(next.Time), " ", "\u00a0"))
}

// Tiles are the figures of the ticket point, exact: cash is counted by them. A sum of nothing has no link.
func (p *cashierPage) Tiles(v *kit.View) []*kit.Stat {
	unit, digits := p.Currency.Unit(), p.Currency.Digits
	var list []*kit.Stat
	add := func(a money.Amount, label, link string) *kit.Stat {
		list = append(list, &kit.Stat{Figure: v.Money(a, digits), Unit: unit, Label: v.T(label)})
		if a != 0 {
			list[len(list)-1].Link = link
		}
		return list[len(list)-1]
	}
	if p.Total != nil {
		add(p.Total.NetSales(), "cashier.sold", links.Tickets).Hint = v.N("cashier.tickets", p.Total.Tickets-p.Total.VoidedTickets)
		add(p.Total.Paid, "cashier.paid", links.Prizes+"?status="+models.TicketPaid)
	}
	if p.Due != nil {
		add(p.Due.Won, "cashier.due", links.Prizes+"?status="+models.TicketWon).Hint = v.N("cashier.tickets", p.Due.WonTickets)
	}
	if p.Close != nil && !p.Close.Blind {
		cash, label := p.Close.ExpectedCash(), "cashier.cash"
		if cash < 0 {
			cash, label = -cash, "cashier.cash.short"
		}
		add(cash, label, links.Closes+"/"+p.Close.ID.String()).Hint = v.T("cashier.cash.hint", v.Money(p.Close.OpeningCash, digits))
	}
	if w := p.Wallet; w != nil && !w.Unlimited {
		hint := v.T("cashier.quota.hint", v.Money(w.Balance, digits), v.Money(w.CreditLimit, digits))
		add(w.Balance+w.CreditLimit, "cashier.quota", "").To(links.Wallets + "/" + w.ID.String()).WithHint(hint)
	}
	return list
}

// DayLink is the address where the day is opened or closed.
func (p *cashierPage) DayLink() string {
	if p.Close == nil {
		return links.Closes
	}
	return links.Closes + "/" + p.Close.ID.String()
}

// DayText is the key of the text of its link.
func (p *cashierPage) DayText() string {
	switch {
	case p.Close == nil:
		return "cashier.open"
	case p.Close.Status == closes.Open:
		return "cashier.close"
	default:
		return "cashier.closed"
	}
}

// Tickets is the table of the last tickets of today.
func (p *cashierPage) Tickets() kit.Rows {
	return kit.RowsOf([]kit.Column[sales.Ticket]{
		kit.MonoColumn("label.serial", func(t *sales.Ticket) string { return t.SerialCode }).
			Below(func(v *kit.View, t *sales.Ticket) string { return v.Clock(t.CreatedAt) + " · " + gamesOf(t) }),
		kit.AmountColumn("label.total", func(t *sales.Ticket) (money.Amount, int) { return t.Total, t.Currency.Digits }),
		ticketstate.Column(func(t *sales.Ticket) *sales.Ticket { return t }),
		{Cell: p.actionCell},
	}, p.tickets, func(t *sales.Ticket) string { return links.Tickets + "/" + t.ID.String() }, "cashier.tickets.none")
}

// gamesOf returns the names of the games of a ticket.
func gamesOf(t *sales.Ticket) string {
	var names []string
	for i := range t.Lines {
		if name := t.Lines[i].GameName; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// cancellable reports whether the user may still cancel a ticket.
func (p *cashierPage) cancellable(v *kit.View, t *sales.Ticket) bool {
	return p.cancels && t.Status == models.TicketPending && v.Now().Before(t.CancelBefore)
}

// actionCell cancels a ticket while there is time, and repeats it or shows its receipt afterwards.
func (p *cashierPage) actionCell(v *kit.View, t *sales.Ticket) kit.Cell {
	if !p.cancellable(v, t) {
		return v.Part("ticket-again", struct{ Path, Again string }{links.Tickets + "/" + t.ID.String(), sellPath + "#" + t.ID.String()})
	}
	question := v.Question(v.T("tickets.cancel"), links.Tickets+"/"+t.ID.String()+"/cancel",
		v.T("cashier.cancel.ask", t.SerialCode, v.Money(t.Total, t.Currency.Digits), t.Currency.Unit()), v.T("tickets.cancel.do")).
		Irreversible(true).With("key", "start-"+t.ID.String()) // the same in every tab: a ticket is cancelled once
	return v.Part("ticket-cancel", &ticketCancel{question, v.Countdown(t.CancelBefore)})
}

// ticketCancel is the question before a ticket is cancelled, with the time left for it.
type ticketCancel struct {
	Question *kit.Question
	Left     *kit.Countdown
}
