package bank

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/platform/clock"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

// selling is the database of tests that sell.
var selling = fixture.Rows{ //nolint:gochecknoglobals // a lazy constant
	Games: []string{"lotto-activo"}, Change: []string{`UPDATE wallets SET credit_limit = 100000000`, `DELETE FROM risk_limits`}, DrawDays: 1,
}.Template()

// A payment without a request, which waits in the suspense wallet, pays the ticket that names it. It is booked to the ticket point by a task, and no
// operator can give it to someone else meanwhile; one that an operator has given away, or a cancelled ticket has left, pays nothing.
func TestAPaymentInSuspensePaysATicket(t *testing.T) {
	t.Parallel()
	env := selling.New(t)
	b := &bundle{Operator: fixture.Over(env, env.PG, env.Redis, clock.NewFake(fixture.TenTomorrow())), admin: fixture.As(seed.ID("user", "admin@banca.test"))}
	b.start(t, func(o *Options) { o.Unmatched = UnmatchedAccept })
	process := b.Process(b.Clock)
	seller, _ := process.StartSales(t)
	seller.Options.PaymentCurrency = "VES"
	draw := process.OpenDraws(t, "lotto-activo")[0]
	cashier := fixture.As(fixture.Cashier)
	sell := func(digits string) (*sales.Sold, error) {
		req := fixture.Ticket(fixture.Line(draw, catalog.BetStraight, "150.00", "5"))
		req.EntityID, req.Payments = pointID(), []sales.PaymentItem{{Means: "mobile", Amount: "150", Reference: digits}}
		return seller.Sell(t.Context(), cashier, req)
	}
	_, err := sell("5678")
	require.Equal(t, "PAYMENT_NOT_ARRIVED", apperr.CodeOf(err))
	require.True(t, b.notify(t))
	before := b.point(t)
	sold, err := sell("5678")
	require.NoError(t, err)
	require.Equal(t, 1, b.count(t, "outbox", "kind = 'bank.claim'"))
	sound := func() { b.RequireSound(t, b.Verify, seller.Verify) }
	sound()
	payment := b.onlyPayment(t)
	_, _, err = b.Refund(t.Context(), b.admin, &Resolution{PaymentID: payment.ID})
	require.ErrorIs(t, err, ErrResolved)
	_, _, err = b.Assign(t.Context(), b.admin, &Resolution{PaymentID: payment.ID, EntityID: seed.ID("entity", seed.CodeTicketPoint2)})
	require.ErrorIs(t, err, ErrResolved)
	for range 2 {
		require.NoError(t, b.ClaimForTicket(t.Context(), sold.Ticket.ID))
	}
	payment = b.onlyPayment(t)
	require.Equal(t, []any{models.PaymentAssigned, pointID()}, []any{payment.State, payment.EntityID})
	require.Equal(t, before+15_00, b.point(t), "the commission of the sale, 10 %: the deposit pays the ticket")
	_, err = sell("5678")
	require.Equal(t, "PAYMENT_USED", apperr.CodeOf(err))
	sound()

	require.True(t, b.notify(t, "Referencia", "000000001111"))
	cancelled, err := sell("1111")
	require.NoError(t, err)
	_, err = seller.Cancel(t.Context(), cashier, &sales.CancelRequest{TicketID: cancelled.Ticket.ID})
	require.NoError(t, err)
	require.NoError(t, b.ClaimForTicket(t.Context(), cancelled.Ticket.ID))
	require.Equal(t, 1, b.count(t, "bank_payments", "state = 'suspense'"), "it waits for another ticket, or for an operator")
	var left uuid.UUID
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT id FROM bank_payments WHERE state = 'suspense'`).Scan(&left))
	_, _, err = b.Refund(t.Context(), b.admin, &Resolution{PaymentID: left})
	require.NoError(t, err)
	_, err = sell("1111")
	require.Equal(t, "PAYMENT_NOT_ARRIVED", apperr.CodeOf(err))
	require.NoError(t, b.ClaimForTicket(t.Context(), uuid.New()))
	sound()
}
