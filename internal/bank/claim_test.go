package bank

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/platform/clock"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
	"banca/storage"
)

// selling is the database of tests that sell.
var selling = fixture.Rows{ //nolint:gochecknoglobals // a lazy constant
	Games: []string{"lotto-activo"}, Change: []string{`UPDATE wallets SET credit_limit = 100000000`, `DELETE FROM risk_limits`}, DrawDays: 1,
}.Template()

// claiming is a bank that accepts payments without a request, and a function that sells a ticket of 150.00 for the payment of a reference.
func claiming(t *testing.T) (b *bundle, seller *sales.Service, sell func(digits string) (*sales.Sold, error)) {
	t.Helper()
	env := selling.New(t)
	b = &bundle{Operator: fixture.Over(env, env.PG, env.Redis, clock.NewFake(fixture.TenTomorrow())), admin: fixture.As(seed.ID("user", "admin@banca.test"))}
	b.start(t, func(o *Options) { o.Unmatched = UnmatchedAccept })
	process := b.Process(b.Clock)
	seller, _ = process.StartSales(t)
	seller.Options.PaymentCurrency = "VES"
	draw := process.OpenDraws(t, "lotto-activo")[0]
	return b, seller, func(digits string) (*sales.Sold, error) {
		req := fixture.Ticket(fixture.Line(draw, catalog.BetStraight, "150.00", "5"))
		req.EntityID, req.Payments = pointID(), []sales.PaymentItem{{Means: "mobile", Amount: "150", Reference: digits}}
		return seller.Sell(t.Context(), fixture.As(fixture.Cashier), req)
	}
}

// A payment without a request, which waits in the suspense wallet, pays the ticket that names it. It is booked to the ticket point by a task, and no
// operator can give it to someone else meanwhile; one that an operator has given away, or a cancelled ticket has left, pays nothing.
func TestAPaymentInSuspensePaysATicket(t *testing.T) {
	t.Parallel()
	b, seller, sell := claiming(t)
	cashier := fixture.As(fixture.Cashier)
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

// A claim that has failed for good is made by the sweep, once, after the time of its task; that of a cancelled ticket is not.
func TestTheSweepClaimsWhatIsLeft(t *testing.T) {
	t.Parallel()
	b, seller, sell := claiming(t)
	for _, reference := range []string{"000000005678", "000000001111"} {
		require.True(t, b.notify(t, "Referencia", reference))
	}
	_, err := sell("5678")
	require.NoError(t, err)
	cancelled, err := sell("1111")
	require.NoError(t, err)
	_, err = seller.Cancel(t.Context(), fixture.As(fixture.Cashier), &sales.CancelRequest{TicketID: cancelled.Ticket.ID})
	require.NoError(t, err)
	before := b.point(t)
	for i, want := range []int{0, 1, 0} {
		n, err := b.SweepClaims(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, n, i)
		b.Clock.Advance(3 * time.Minute)
	}
	require.Equal(t, before+150_00, b.point(t))
	require.Equal(t, 1, b.count(t, "bank_payments", "state = 'suspense'"))
	b.RequireSound(t, b.Verify, seller.Verify)
}

// The sweep reads the payments that wait, and not those of years.
func TestTheSweepReadsAnIndex(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d, err := b.cachedDirectory(t.Context())
	require.NoError(t, err)
	for _, sql := range []string{
		`INSERT INTO bank_payments (id, bank_code, reference, local_date, amount, currency_id, state, answer, entity_id, wallet_id, transaction_id, event_id, received_at)
			SELECT gen_random_uuid(), '0134', n::text, current_date, 1000, w.currency_id, CASE WHEN n % 500 = 0 THEN 'suspense' ELSE 'credited' END, true, w.entity_id, w.id,
				gen_random_uuid(), w.entity_id, now() FROM generate_series(1, 50000) n, (SELECT * FROM wallets WHERE kind = 'main' AND currency_id = '` + d.currency.ID.String() + `' LIMIT 1) w`,
		`INSERT INTO ticket_payments (ticket_id, wallet_id, line_no, means, currency_id, amount, value, bank_payment_id, created_at)
			SELECT gen_random_uuid(), wallet_id, 0, 'mobile', currency_id, amount, b.amount, id, now() FROM bank_payments b`,
		`ANALYZE bank_payments`, `ANALYZE ticket_payments`,
	} {
		_, err := b.PG.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	plan, err := storage.Collect(t.Context(), b.PG.Pool, "plan", pgx.RowTo[string], `EXPLAIN (ANALYZE, BUFFERS) `+claimsLeft,
		d.currency.ID, b.Clock.Now(), sweptClaims)
	require.NoError(t, err)
	text := strings.Join(plan, "\n")
	require.Contains(t, text, "bank_payments_unresolved")
	require.Contains(t, text, "ticket_payments_bank")
	t.Log(text)
}
