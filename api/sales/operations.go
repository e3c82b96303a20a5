// Package sales has the operations on tickets, and the public page of a ticket.
package sales

import (
	"banca/api/kit"
	"banca/internal/customers"
	"banca/internal/reports"
	"banca/internal/sales"
)

type operations struct {
	*kit.Registry

	sales     *sales.Service
	customers *customers.Service
	reports   *reports.Service
	page      *TicketPage
}

// Register adds the operations.
func Register(r *kit.Registry, sales *sales.Service, customers *customers.Service, reports *reports.Service, page *TicketPage) {
	o := &operations{Registry: r, sales: sales, customers: customers, reports: reports, page: page}
	o.registerSales()
	o.registerCatalogue()
	o.registerQuota()
	o.registerDrafts()
	o.registerCustomerTickets()
	o.registerPublicTicket()
}
