package sales

import (
	"github.com/jackc/pgx/v5"

	"banca/internal/customers"
)

// buyer returns the customer that the sale names by telephone. ok is false if it names none.
func (p *pendingSale) buyer() (buyer customers.Buyer, ok bool) {
	c := p.quote.customer
	if c == nil {
		return customers.Buyer{}, false
	}
	return customers.Buyer{EntityID: p.ticket.EntityID, Phone: c.Phone, Name: c.Name, IDDocument: c.IDDocument}, true
}

// queueBuyers reads the customers that sales name by telephone.
func (f *facts) queueBuyers(b *pgx.Batch, batch []*pendingSale) {
	var buyers []customers.Buyer
	for _, p := range batch {
		if buyer, ok := p.buyer(); ok {
			buyers = append(buyers, buyer)
		}
	}
	f.buyers.QueueRead(b, buyers)
}

// assignBuyer gives the ticket its customer: a new one if the telephone is unknown.
func (f *facts) assignBuyer(p *pendingSale) {
	if buyer, ok := p.buyer(); ok {
		id := f.buyers.Assign(&buyer)
		p.ticket.CustomerID = &id
	}
}
