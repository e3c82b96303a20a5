package sales_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/customers"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// A sale that names a merged customer, by telephone or by id, is a sale to the customer that remains. A deleted customer cannot be
// named, and the receipt of its earlier ticket is sent to no telephone.
func TestASaleFindsTheCustomerThatRemains(t *testing.T) {
	t.Parallel()
	b := setup(t)
	messages := &kept{}
	b.Messages = messages
	sell := func(id uuid.UUID, phone string) (*sales.Sold, error) {
		req := fixture.Ticket(straight(b.draw(t, "lotto-activo", 0), "5", "10.00"))
		if req.CustomerID = id; id == uuid.Nil {
			req.Customer = &sales.NewCustomer{Name: "María", Phone: phone}
		}
		return b.Sell(t.Context(), req)
	}
	buy := func(id uuid.UUID, phone string) *sales.Sold {
		sold, err := sell(id, phone)
		require.NoError(t, err)
		return sold
	}
	first, second := buy(uuid.Nil, "04149998877").Ticket, buy(uuid.Nil, "04149998878").Ticket
	require.NotEqual(t, first.CustomerID, second.CustomerID)
	registry, by := customers.New(b.PG), b.within(t, seed.CodeTicketPoint)
	_, err := registry.Merge(t.Context(), by, customers.Union{Kept: first.CustomerID, Merged: second.CustomerID})
	require.NoError(t, err)
	require.Equal(t, first.CustomerID, buy(uuid.Nil, "04149998878").Ticket.CustomerID)
	require.Equal(t, first.CustomerID, buy(second.CustomerID, "").Ticket.CustomerID)
	group, err := registry.Group(t.Context(), by, first.CustomerID)
	require.NoError(t, err)
	_, total, err := b.List(t.Context(), by, sales.Filter{Customer: group.IDs, Limit: 10})
	require.NoError(t, err)
	require.EqualValues(t, 4, total, "the history has the tickets of the merged one")

	b.Clock.Advance(time.Minute)
	cancelled, err := sell(second.CustomerID, "")
	require.NoError(t, err)
	_, err = b.Cancel(t.Context(), &sales.CancelRequest{TicketID: cancelled.Ticket.ID})
	require.NoError(t, err)
	ids := []uuid.UUID{first.CustomerID, second.CustomerID, uuid.New()}
	last, err := registry.LastBought(t.Context(), by, ids)
	require.NoError(t, err)
	require.Len(t, last, 1)
	require.WithinDuration(t, first.CreatedAt, last[first.CustomerID], time.Second, "of what stands, whichever row of the customer bought it")
	last, err = registry.LastBought(t.Context(), b.within(t, seed.CodeTicketPoint2), ids)
	require.NoError(t, err)
	require.Empty(t, last, "of another ticket point")

	require.NoError(t, registry.Delete(t.Context(), by, second.CustomerID))
	_, err = sell(first.CustomerID, "")
	require.Equal(t, "CUSTOMER_NOT_FOUND", apperr.CodeOf(err))
	require.NoError(t, b.RenderReceipt(t.Context(), first.ID))
	require.Empty(t, messages.bodies)
	require.NotEqual(t, first.CustomerID, buy(uuid.Nil, "04149998877").Ticket.CustomerID)
}
