package sales

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/customers"
	"banca/internal/platform/caller"
	"banca/internal/sales"
)

func (o *operations) registerCustomerTickets() {
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-customer-tickets", Method: http.MethodGet, Path: "/sales/customers/{id}/tickets",
		Tags:    []string{"Customers"},
		Summary: "Tickets of a customer and of those merged into it, newest first",
	}, kit.Can(auth.SalesRead), o.listCustomerTickets, customers.ErrNotFound)
}

type customerTicketsInput struct {
	kit.PageParams
	kit.ByID
}

func (o *operations) listCustomerTickets(
	ctx context.Context, by caller.Caller, in *customerTicketsInput,
) (*kit.List[ticket], error) {
	group, err := o.customers.Group(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	tickets, total, err := o.sales.List(
		ctx, by, sales.Filter{Customer: group.IDs, Limit: in.PageSize, Offset: in.Offset()},
	)
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(tickets, func(t sales.Ticket) ticket { return ticketBody(&t) }), &in.PageParams, total), nil
}
