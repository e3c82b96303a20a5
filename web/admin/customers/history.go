package customers

import (
	"strconv"
	"time"

	"banca/internal/bank"
	"banca/internal/customers"
	"banca/internal/platform/money"
	"banca/internal/sales"
	"banca/web/admin/links"
	"banca/web/kit"
)

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
		kit.StateColumn("prize", func(t *sales.Ticket) string { return t.Status }),
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
		kit.MonoColumn("label.client_id", func(p *bank.CustomerPayment) string { return p.Request.ClientID }),
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
