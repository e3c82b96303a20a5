package bank

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/customers"
)

// A customer's payments are the requests for its tickets, with their payments. After its deletion the bank does not
// know the document from it, and the telephone of its requests is erased.
func TestADeletedCustomerIsForgottenByTheBank(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	ticket := b.unpaidTicket(t, "V-11.222.333")
	require.NoError(t, b.RequestForTicket(ctx, ticket))
	require.True(t, b.query(t))
	require.True(t, b.notify(t))
	registry := customers.New(b.PG, b.ForgetTx)
	var id uuid.UUID
	require.NoError(t, b.PG.Pool.QueryRow(ctx, `SELECT customer_id FROM tickets WHERE id = $1`, ticket).Scan(&id))
	group, err := registry.Group(ctx, b.admin, id)
	require.NoError(t, err)
	list, total, err := b.CustomerPayments(ctx, b.admin, group, 10, 0)
	require.NoError(t, err)
	require.EqualValues(t, 1, total)
	require.Equal(t, ticket, list[0].Request.TicketID)
	require.NotNil(t, list[0].Payment)
	require.Equal(t, list[0].Request.PaymentID, list[0].Payment.ID)
	require.NoError(t, registry.Delete(ctx, b.admin, id))
	require.Equal(t, 1, b.count(t, "payment_requests", "client_phone IS NULL AND client_number = '11222333'"))
	require.NoError(t, b.RequestForTicket(ctx, ticket), "a late task finds no contact")
}

// The ticket of a request is in the archive: its customer is known by the identity document.
func TestARequestForAnArchivedTicketIsForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	ticket := b.unpaidTicket(t, "V-11.222.333")
	require.NoError(t, b.RequestForTicket(ctx, ticket))
	var id uuid.UUID
	require.NoError(t, b.PG.Pool.QueryRow(ctx, `DELETE FROM tickets WHERE id = $1 RETURNING customer_id`, ticket).Scan(&id))
	_, err := b.PG.Pool.Exec(ctx, `INSERT INTO month_archives (label, least_id, before_id, ends, state, manifest, sha256, rows, bytes, frozen_at, written_at)
		VALUES ('before_202601', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', now(), 'archived', '', '', 0, 0, now(), now())`)
	require.NoError(t, err)
	require.Zero(t, b.count(t, "payment_requests", "client_phone IS NULL"))
	require.NoError(t, customers.New(b.PG, b.ForgetTx).Delete(ctx, b.admin, id))
	require.Equal(t, 1, b.count(t, "payment_requests", "client_phone IS NULL AND client_number = '11222333'"))
}
