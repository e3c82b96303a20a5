package rollup

import (
	"banca/internal/platform/money"
	"banca/models"
)

// Figures are sums over events. Amounts are in minor units of one currency.
type Figures struct {
	Tickets       int64 // sold, also those that were voided or refunded later
	VoidedTickets int64 // cancelled after their sale
	Lines         int64 // sold, less those voided or refunded

	Sold     money.Amount // stakes
	Voided   money.Amount // stakes of cancelled tickets
	Refunded money.Amount // stakes given back because a draw was suspended

	Commission Commission // on sales, less voids and refunds

	Won  money.Amount // prizes of lines that won, less those that a correction annulled
	Paid money.Amount // prizes paid out, less payments that were cancelled
}

// Commission holds the commission of each level; the operator has none.
type Commission struct{ SuperAgency, Agency, Group, TicketPoint money.Amount }

// Total returns the commission of all levels.
func (c *Commission) Total() money.Amount { return c.SuperAgency + c.Agency + c.Group + c.TicketPoint }

// Of returns the commission of the level of an entity type; 0 for the operator.
func (c *Commission) Of(entityType string) money.Amount {
	if level := c.level(entityType); level != nil {
		return *level
	}
	return 0
}

// Below returns the commission of the levels below an entity type.
func (c *Commission) Below(entityType string) money.Amount {
	switch entityType {
	case models.EntityOperator:
		return c.Total()
	case models.EntitySuperAgency:
		return c.Agency + c.Group + c.TicketPoint
	case models.EntityAgency:
		return c.Group + c.TicketPoint
	case models.EntityGroup:
		return c.TicketPoint
	default:
		return 0
	}
}

func (c *Commission) level(entityType string) *money.Amount {
	switch entityType {
	case models.EntitySuperAgency:
		return &c.SuperAgency
	case models.EntityAgency:
		return &c.Agency
	case models.EntityGroup:
		return &c.Group
	case models.EntityTicketPoint:
		return &c.TicketPoint
	default:
		return nil
	}
}

// NetSales returns what stays sold.
func (f *Figures) NetSales() money.Amount { return f.Sold - f.Voided - f.Refunded }

// GameResult returns net sales less all commissions and the prizes won: what the games brought.
func (f *Figures) GameResult() money.Amount { return f.Kept() - f.Won }

// Cash returns net sales less all commissions and the prizes paid. It is GameResult plus Uncollected.
func (f *Figures) Cash() money.Amount { return f.Kept() - f.Paid }

// Kept returns net sales less all commissions.
func (f *Figures) Kept() money.Amount { return f.NetSales() - f.Commission.Total() }

// Uncollected returns the prizes won less the prizes paid; negative if earlier prizes were paid.
func (f *Figures) Uncollected() money.Amount { return f.Won - f.Paid }

// Add adds the figures of other events.
func (f *Figures) Add(o *Figures) {
	f.Tickets += o.Tickets
	f.VoidedTickets += o.VoidedTickets
	f.Lines += o.Lines
	f.Sold += o.Sold
	f.Voided += o.Voided
	f.Refunded += o.Refunded
	f.Commission.SuperAgency += o.Commission.SuperAgency
	f.Commission.Agency += o.Commission.Agency
	f.Commission.Group += o.Commission.Group
	f.Commission.TicketPoint += o.Commission.TicketPoint
	f.Won += o.Won
	f.Paid += o.Paid
}

// Columns of figures, in the order of values. Numbers of tickets belong to no draw.
const (
	ticketColumns = `tickets, voided_tickets`
	lineColumns   = `lines, sold, voided, refunded, commission_super_agency, commission_agency, commission_group, commission_ticket_point, won, paid`
	columns       = ticketColumns + `, ` + lineColumns
)

// values returns the figures in the order of columns.
func (f *Figures) values() []int64 {
	c := &f.Commission
	return []int64{
		f.Tickets, f.VoidedTickets, f.Lines, int64(f.Sold), int64(f.Voided), int64(f.Refunded),
		int64(c.SuperAgency), int64(c.Agency), int64(c.Group), int64(c.TicketPoint), int64(f.Won), int64(f.Paid),
	}
}

// targets returns pointers to the figures in the order of columns, for scanning.
func (f *Figures) targets() []any {
	c := &f.Commission
	return []any{
		&f.Tickets, &f.VoidedTickets, &f.Lines, &f.Sold, &f.Voided, &f.Refunded,
		&c.SuperAgency, &c.Agency, &c.Group, &c.TicketPoint, &f.Won, &f.Paid,
	}
}
