// Package sales has the operations on tickets, and the public page of a ticket.
package sales

import (
	"banca/api/kit"
	"banca/internal/sales"
)

type operations struct {
	*kit.Registry

	sales *sales.Service
	page  *TicketPage
}

// Register adds the operations.
func Register(r *kit.Registry, sales *sales.Service, page *TicketPage) {
	o := &operations{Registry: r, sales: sales, page: page}
	r.AddFailures(failures())
	o.registerSales()
	o.registerPublicTicket()
}
