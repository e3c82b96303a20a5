package bank

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/setup/seed"
	"banca/models"
)

func TestAllFaultsOfARequestAreReported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, _, err := b.CreateRequest(t.Context(), b.admin, &NewRequest{
		EntityID: pointID(), Amount: "1e9", Currency: "USD", ClientID: "X1", ClientPhone: "12", Reference: "1x", Bank: "0190",
		ExpiresIn: time.Second, Note: "\x00",
	})
	require.ErrorIs(t, err, ErrInvalidRequest)
	var named []string
	for _, d := range apperr.From(err).Details {
		named = append(named, d.Location)
	}
	require.Equal(t, []string{"amount", "currency", "client_id", "client_phone", "bank", "reference", "expires_in", "note"}, named)

	elsewhere := caller.Caller{EntityID: uuid.New(), Scope: testkit.Scope("/" + uuid.NewString() + "/")}
	_, _, err = b.CreateRequest(t.Context(), elsewhere, &NewRequest{EntityID: pointID(), Amount: "1.00", ClientID: "V1234567"})
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	r := b.expect(t)
	_, err = b.Request(t.Context(), elsewhere, r.ID)
	require.ErrorIs(t, err, ErrRequestNotFound)
	_, err = b.CancelRequest(t.Context(), elsewhere, r.ID)
	require.ErrorIs(t, err, ErrRequestNotFound)
	list, total, err := b.Requests(t.Context(), b.admin, &RequestFilter{Status: models.RequestOpen, ClientID: "11222333", Limit: 10})
	require.NoError(t, err)
	require.EqualValues(t, 1, total)
	require.Equal(t, seed.MerchantPhone, list[0].PayTo.Phone, "inherited from the operator")
}

func TestTopUpIsTheEntitysOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r, _, err := b.CreateRequest(t.Context(), b.admin, &NewRequest{EntityID: pointID(), Amount: "500.00"})
	require.NoError(t, err)
	require.Equal(t, models.OriginTopUp, r.Origin)
	require.Equal(t, "V12345678", r.ClientID)
	require.True(t, b.notify(t, "Monto", "500.00", "TelefonoEmisor", seed.PointPhone))
	require.EqualValues(t, 500_00, b.point(t))
	_, _, err = b.CreateRequest(t.Context(), b.admin, &NewRequest{EntityID: pointID(), Amount: "0.50"})
	require.ErrorIs(t, err, ErrInvalidRequest, "outside its bounds")
	_, _, err = b.CreateRequest(t.Context(), b.admin, &NewRequest{EntityID: seed.ID("entity", seed.CodeOtherPoint), Amount: "5.00"})
	require.ErrorIs(t, err, ErrInvalidRequest, "it has no tax id")
}

func TestRequestKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	n := &NewRequest{EntityID: pointID(), Amount: "1.00", ClientID: "V1234567", IdempotencyKey: "k"}
	first, replayed, err := b.CreateRequest(t.Context(), b.admin, n)
	require.NoError(t, err)
	require.False(t, replayed)
	again, replayed, err := b.CreateRequest(t.Context(), b.admin, n)
	require.NoError(t, err)
	require.True(t, replayed)
	require.Equal(t, first.ID, again.ID)
	spelled := *n
	spelled.Amount, spelled.Currency, spelled.ClientID, spelled.Note = "01.0", "VES", "v-1.234.567", " "
	again, replayed, err = b.CreateRequest(t.Context(), b.admin, &spelled)
	require.NoError(t, err)
	require.True(t, replayed, "the same in other words")
	require.Equal(t, first.ID, again.ID)
	n.Amount = "1.01"
	_, _, err = b.CreateRequest(t.Context(), b.admin, n)
	require.ErrorIs(t, err, idempotency.ErrKeyReused)
	n.IdempotencyKey = "\x01"
	_, _, err = b.CreateRequest(t.Context(), b.admin, n)
	require.ErrorIs(t, err, idempotency.ErrInvalidKey)
}

// A repeat is answered with the first request, even if the data of its entity has changed.
func TestARepeatedRequestIsAnsweredAfterItsEntityChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	topUp := &NewRequest{EntityID: pointID(), Amount: "500.00", IdempotencyKey: "top-up"}
	named := &NewRequest{EntityID: pointID(), Amount: "1.00", ClientID: "V1234567", Bank: "134", Reference: "7", IdempotencyKey: "named"}
	first := map[*NewRequest]*Request{}
	for _, n := range []*NewRequest{topUp, named} {
		r, _, err := b.CreateRequest(t.Context(), b.admin, n)
		require.NoError(t, err)
		first[n] = r
	}
	for _, change := range []string{
		`UPDATE entities SET contact_info = contact_info || '{"phone": "04149990000"}'`,
		`UPDATE entities SET legal_info = legal_info || '{"tax_id": "V87654321"}'`,
		`UPDATE entities SET legal_info = legal_info - 'tax_id'`,
		`UPDATE entities SET finance_info = finance_info || '{"top_up": {"min": "600.00", "max": "700.00"}}'`,
		`UPDATE entities SET finance_info = finance_info - 'mobile_payment' - 'top_up'`,
		`UPDATE banks SET status = 'retired'`,
		`UPDATE entities SET status = 'suspended'`,
	} {
		_, err := b.PG.Pool.Exec(t.Context(), change)
		require.NoError(t, err, change)
		b.start(t) // with nothing cached
		for n, want := range first {
			again, replayed, err := b.CreateRequest(t.Context(), b.admin, n)
			require.NoError(t, err, "%s: %s", change, n.IdempotencyKey)
			require.True(t, replayed, change)
			require.Equal(t, want.ID, again.ID, change)
			require.Equal(t, want.ClientPhone, again.ClientPhone, change)
		}
	}
	for name, other := range map[string]func(n *NewRequest){
		"another amount":   func(n *NewRequest) { n.Amount = "500.01" },
		"another client":   func(n *NewRequest) { n.ClientID = "V12345678" },
		"another currency": func(n *NewRequest) { n.Currency = "USD" },
		"no currency":      func(n *NewRequest) { n.Currency = "XXX" },
		"another phone":    func(n *NewRequest) { n.ClientPhone = "04141234567" },
	} {
		n := *topUp
		other(&n)
		_, _, err := b.CreateRequest(t.Context(), b.admin, &n)
		require.ErrorIs(t, err, idempotency.ErrKeyReused, name)
	}
	elsewhere := b.admin
	elsewhere.Scope = testkit.Scope("/" + uuid.NewString() + "/")
	_, _, err := b.CreateRequest(t.Context(), elsewhere, topUp)
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	require.Equal(t, 2, b.count(t, "payment_requests", "true"))
}

// One key, twenty times at once: one request.
func TestOneRequestForAKeyAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := make([]uuid.UUID, 20)
	var running sync.WaitGroup
	for i := range ids {
		running.Go(func() {
			r, _, err := b.CreateRequest(t.Context(), b.admin, &NewRequest{EntityID: pointID(), Amount: "5.00", IdempotencyKey: "k"})
			if assert.NoError(t, err) {
				ids[i] = r.ID
			}
		})
	}
	running.Wait()
	require.Len(t, slices.Compact(ids), 1)
	require.Equal(t, 1, b.count(t, "payment_requests", "true"))
}

// unpaidTicket writes a ticket of 150.00 whose customer wants to pay by bank. An empty document is a missing one.
func (b *bundle) unpaidTicket(t *testing.T, document string) uuid.UUID {
	t.Helper()
	ticket, customer := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	b.Exec(t, `INSERT INTO customers (id, entity_id, name, phone, id_document) VALUES ($1, $2, 'María', '+584149998877', nullif($3, ''))`, customer, pointID(), document)
	b.Exec(t, `INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, customer_id, status, total, potential_prize,
			wants_payment_info, cancel_before, expires_at, created_at)
		VALUES ($1, 'S', 'V', $2, $3, $4, $5, $6, 'pending', 15000, 1, true, $7, $7, $7)`,
		ticket, pointID(), b.admin.UserID, seed.ID("wallet", seed.CodeTicketPoint, "VES"), seed.ID("currency", "VES"), customer, b.Clock.Now())
	return ticket
}

// A ticket is announced once, and no longer matched when it is cancelled.
func TestRequestForTicket(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ticket := b.unpaidTicket(t, "")
	require.NoError(t, b.RequestForTicket(t.Context(), ticket))
	require.Zero(t, b.count(t, "payment_requests", "true"), "without a document the bank cannot ask about him")
	b.Exec(t, `UPDATE customers SET id_document = 'V-11.222.333'`)
	for range 2 {
		require.NoError(t, b.RequestForTicket(t.Context(), ticket))
	}
	require.Equal(t, 1, b.count(t, "payment_requests", "origin = 'ticket' AND ticket_id = $1 AND amount = 15000 AND client_phone = '+584149998877'", ticket))
	require.True(t, b.query(t))
	b.Exec(t, `UPDATE tickets SET status = 'cancelled'`)
	require.False(t, b.query(t), "a cancelled ticket is not paid")
	require.False(t, b.notify(t))
	b.Clock.Advance(16 * time.Minute)
	n, err := b.ExpireRequests(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.Equal(t, 1, b.count(t, "payment_requests", "status = 'cancelled'"))
	require.NoError(t, b.RequestForTicket(t.Context(), uuid.New()))
}
