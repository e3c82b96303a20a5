package bank

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/setup/seed"
	"banca/models"
)

// atOnce sends bodies side by side, alternating between services, and returns the answers.
func atOnce(t *testing.T, services []*Service, bodies []string) []string {
	t.Helper()
	answers := make([]string, len(bodies))
	var running sync.WaitGroup
	for i := range bodies {
		running.Go(func() {
			reply := services[i%len(services)].Answer(t.Context(), call(PhaseNotification, bodies[i]))
			answers[i] = fmt.Sprint(reply.Status, string(reply.Body))
		})
	}
	running.Wait()
	return answers
}

// second is a service like another process's, over the same database.
func (b *bundle) second(t *testing.T) *Service {
	t.Helper()
	other := &bundle{Operator: b.Operator}
	other.start(t)
	return other.Service
}

func TestFiftyIdenticalAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.expect(t)
	require.True(t, b.query(t))
	bodies := make([]string, 50)
	for i := range bodies {
		bodies[i] = notifyBody()
	}
	for _, answer := range atOnce(t, []*Service{b.Service, b.second(t)}, bodies) {
		require.Equal(t, `200{"abono":true}`, answer)
	}
	require.Equal(t, 1, b.count(t, "transactions", "type = 'deposit'"))
	require.EqualValues(t, 150_00, b.point(t))
	require.Equal(t, 1, b.count(t, "bank_events", "phase = 'notification' AND repeats = 49"))
	require.True(t, b.notify(t, "BancoEmisor", "134"), "three digits are the same bank")
	require.Equal(t, 1, b.count(t, "transactions", "type = 'deposit'"))
	b.requireSound(t)
}

func TestTwoPaymentsForOneRequest(t *testing.T) {
	t.Parallel()
	for range 5 {
		b := setup(t)
		b.expect(t)
		require.True(t, b.query(t))
		answers := atOnce(t, []*Service{b.Service, b.second(t)}, []string{notifyBody("Referencia", "1111"), notifyBody("Referencia", "2222")})
		require.ElementsMatch(t, []string{`200{"abono":true}`, `200{"abono":false}`}, answers)
		require.Equal(t, 1, b.count(t, "transactions", "type = 'deposit'"))
		list, total, err := b.Payments(t.Context(), b.admin, &PaymentFilter{States: Unreconciled(), Limit: 10})
		require.NoError(t, err)
		require.EqualValues(t, 1, total)
		require.Equal(t, ReasonNoRequest, list[0].Reason)
		b.requireSound(t)
	}
}

func TestNotApprovedThenApproved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.expect(t)
	require.True(t, b.query(t))
	require.False(t, b.notify(t, "CodigoRed", "51"))
	require.Zero(t, b.count(t, "bank_payments", "true"), "the key is not used up")
	require.Equal(t, OutcomeNotApproved, b.lastEvent(t).Outcome)
	for _, code := range []string{"0", "000", "O0"} {
		require.False(t, b.notify(t, "CodigoRed", code), code)
	}
	require.True(t, b.notify(t))
	require.True(t, b.notify(t))
	require.EqualValues(t, 150_00, b.point(t))
	require.Zero(t, b.count(t, "security_alerts", "true"))
	require.False(t, b.notify(t, "CodigoRed", "68"), "reversed by the bank's word, after we credited it")
	require.EqualValues(t, 150_00, b.point(t))
	require.Equal(t, 1, b.count(t, "security_alerts", "kind = 'rejected_after_credit' AND subject_id = $1", b.onlyPayment(t).ID))
	b.requireSound(t)
}

func TestSameKeyAnotherAmount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.expect(t)
	require.True(t, b.query(t))
	require.True(t, b.notify(t))
	require.False(t, b.notify(t, "Monto", "151.00"))
	require.False(t, b.notify(t, "Monto", "151.00"))
	require.True(t, b.notify(t), "the first answer stands")
	list, total, err := b.Payments(t.Context(), b.admin, &PaymentFilter{States: Conflicts(), Limit: 10})
	require.NoError(t, err)
	require.EqualValues(t, 1, total)
	require.EqualValues(t, 151_00, list[0].Amount)
	require.Equal(t, 1, b.count(t, "security_alerts", "kind = 'amount_conflict' AND subject_id = $1 AND count = 1", list[0].ConflictOf))
	require.Equal(t, 1, b.count(t, "bank_events", "outcome = 'conflict' AND repeats = 1"))
	bodies := []string{notifyBody("Referencia", "7777"), notifyBody("Referencia", "7777", "Monto", "1.00")}
	atOnce(t, []*Service{b.Service, b.second(t)}, bodies)
	require.Equal(t, 2, b.count(t, "bank_payments", "reference = '7777'"))
	require.Equal(t, 1, b.count(t, "bank_payments", "reference = '7777' AND state = 'conflict'"))
	b.requireSound(t)
}

// The key contains the day of FechaHora, or of receipt without it.
func TestThePaymentKeyContainsTheDay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	expect := func() { b.expect(t); require.True(t, b.query(t)) }
	expect()
	require.True(t, b.notify(t, "FechaHora", "2026-03-01T23:59:59"))
	expect()
	require.True(t, b.notify(t, "FechaHora", "2026-03-02T00:00:01"), "the next day it is another payment")
	b.Clock.Advance(48 * time.Hour)
	require.True(t, b.notify(t, "FechaHora", "2026-03-01T23:59:59"), "a late repeat is the first payment")
	require.Equal(t, 2, b.count(t, "transactions", "type = 'deposit'"))

	b.Clock.Advance(14*time.Hour - 5*time.Minute) // five to midnight
	expect()
	require.True(t, b.notify(t, "Referencia", "5555"))
	b.Clock.Advance(10 * time.Minute)
	expect()
	require.True(t, b.notify(t, "Referencia", "5555"), "a repeat over midnight")
	require.Equal(t, 1, b.count(t, "bank_payments", "reference = '5555'"))
	b.Clock.Advance(3 * time.Hour)
	require.True(t, b.query(t), "the last request is still open")
	require.True(t, b.notify(t, "Referencia", "5555"))
	require.Equal(t, 2, b.count(t, "bank_payments", "reference = '5555'"), "hours later it is another payment")
	b.requireSound(t)
}

func TestTiers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	named := b.expect(t, func(n *NewRequest) { n.Bank, n.Reference, n.ClientPhone = "0102", "00998877", "" })
	byPhone := b.expect(t)
	held := b.expect(t, func(n *NewRequest) { n.ClientID, n.ClientPhone, n.Amount = "V7654321", "04240000000", "99.00" })
	paid := func(r *Request) string { return mustRequest(t, b, r.ID).Status }

	require.False(t, b.notify(t, "Referencia", "00998877", "BancoEmisor", "0102", "Monto", "1.00"))
	require.Equal(t, ReasonAmountDiffers, b.onlyPayment(t).Reason, "the amount must be right, too")
	require.False(t, b.notify(t, "Referencia", "998877", "BancoEmisor", "0102"), "leading zeros count")
	require.True(t, b.notify(t, "FechaHora", "2026-03-01", "Referencia", "00998877", "BancoEmisor", "0102", "TelefonoEmisor", "04149998877"))
	require.Equal(t, models.RequestPaid, paid(named), "its reference before its telephone")
	require.False(t, b.notify(t, "Referencia", "3333"), "nothing is held")
	require.True(t, b.notify(t, "Referencia", "4444", "TelefonoEmisor", "584149998877"))
	require.Equal(t, models.RequestPaid, paid(byPhone))
	require.True(t, b.query(t, "IdCliente", "7654321", "Monto", "99.00"))
	require.True(t, b.notify(t, "Referencia", "6666", "Monto", "99.00", "TelefonoEmisor", "04141230000"), "paid from another telephone")
	require.Equal(t, models.RequestPaid, paid(held))
	b.requireSound(t)
}

func TestSeveralMatchesDoNotMatch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.expect(t)
	b.expect(t)
	require.False(t, b.notify(t, "TelefonoEmisor", "04149998877"))
	require.Equal(t, ReasonSeveral, b.onlyPayment(t).Reason)
	require.Zero(t, b.point(t))
}

func TestForeignPaymentsAreNeverAccepted(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Unmatched = UnmatchedAccept })
	b.expect(t)
	require.True(t, b.query(t))
	for i, c := range []struct {
		pairs  []any
		reason string
	}{
		{[]any{"BancoEmisor", "9999"}, ReasonUnknownBank},
		{[]any{"BancoEmisor", "0190"}, ReasonRetiredBank},
		{[]any{"TelefonoComercio", "04149999999"}, ReasonMerchantUnknown},
	} {
		require.False(t, b.notify(t, append(c.pairs, "Referencia", strconv.Itoa(1000+i))...))
		require.Equal(t, 1, b.count(t, "bank_payments", "state = 'unmatched' AND reason = $1", c.reason))
	}
	require.True(t, b.notify(t, "TelefonoComercio", seed.MerchantPhone))
	b.requireSound(t)
}

// With BANK_UNMATCHED=accept a payment without a request waits in the suspense wallet until an operator assigns it.
func TestSuspense(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Unmatched = UnmatchedAccept })
	for i := range 3 {
		require.True(t, b.notify(t, "Referencia", strconv.Itoa(1000+i)))
		require.True(t, b.notify(t, "Referencia", strconv.Itoa(1000+i)))
	}
	require.EqualValues(t, 450_00, b.balance(t, fixture.RootID, "suspense"))
	list, total, err := b.Payments(t.Context(), b.admin, &PaymentFilter{States: Unreconciled(), Limit: 10})
	require.NoError(t, err)
	require.EqualValues(t, 3, total)
	_, _, err = b.Assign(t.Context(), b.admin, &Resolution{PaymentID: list[0].ID, EntityID: pointID()})
	require.NoError(t, err)
	_, _, err = b.Refund(t.Context(), b.admin, &Resolution{PaymentID: list[1].ID, Note: "transfer back"})
	require.NoError(t, err)
	require.EqualValues(t, 150_00, b.balance(t, fixture.RootID, "suspense"))
	require.EqualValues(t, 150_00, b.point(t))
	require.EqualValues(t, -300_00, b.balance(t, fixture.RootID, "external"))
	require.True(t, b.notify(t, "Referencia", list[0].Reference), "what was said stays said")
	b.requireSound(t)
}

func TestThePayerGetsAMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.expect(t)
	require.True(t, b.query(t))
	require.True(t, b.notify(t))
	id := b.onlyPayment(t).ID
	for range 2 {
		require.NoError(t, b.NotifyPayer(t.Context(), id))
	}
	require.Equal(t, 1, b.count(t, "message_logs", "kind = 'payment' AND recipient = '+584149998877' AND body LIKE '%150,00%'"))
	require.Equal(t, 1, b.count(t, "outbox", "kind = 'message.send'"))
}
