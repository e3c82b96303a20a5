// Package sales has the operations on tickets, and the public page of a ticket.
package sales

import (
	"banca/api/kit"
	"banca/internal/customers"
	"banca/internal/sales"
)

type operations struct {
	*kit.Registry

	sales     *sales.Service
	customers *customers.Service
	page      *TicketPage
}

// Register adds the operations.
func Register(r *kit.Registry, sales *sales.Service, customers *customers.Service, page *TicketPage) {
	o := &operations{Registry: r, sales: sales, customers: customers, page: page}
	r.AddFailures(failures())
	o.registerSales()
	o.registerCustomerTickets()
	o.registerPublicTicket()
}
