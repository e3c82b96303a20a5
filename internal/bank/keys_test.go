package bank

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/businessday"
)

// decided is a payment that was answered, as the model of keys remembers it.
type decided struct {
	day      businessday.Day
	amount   string
	phone    string
	dated    bool // FechaHora was sent
	received time.Time
	answer   bool
	repeats  int
}

// ledgerOfKeys is the rule of keys in plain Go: the payments of one bank and reference, in the order of their arrival.
type ledgerOfKeys []*decided

// arrive returns the payment that a notification is, and whether it repeats it. A payment that fits no request is
// accepted.
func (l *ledgerOfKeys) arrive(n *decided) (known *decided, repeated bool) {
	var taken bool
	for _, d := range *l {
		if d.day == n.day {
			taken = true
			if d.amount == n.amount {
				return d, true
			}
		}
	}
	for _, d := range *l {
		late := !d.dated && !n.dated && d.day.AddDays(1) == n.day && n.received.Sub(d.received) <= 2*time.Hour
		if late && d.amount == n.amount && d.phone == n.phone {
			return d, true
		}
	}
	n.answer = !taken // the first payment of a day has the key, every other amount conflicts with it
	*l = append(*l, n)
	return n, false
}

// Notifications of one reference, with and without FechaHora and around midnight, are the payments that the rule of
// keys says: each payment is written once, and each repeat gets the first answer.
func TestNotificationsAroundMidnightFollowTheRuleOfKeys(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Unmatched = UnmatchedAccept })
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	conflicts, late := 0, 0
	for round := range 80 {
		reference := fmt.Sprintf("%06d", round)
		evening := businessday.Of(b.Clock.Now(), fixture.Caracas).AddDays(1).At(23, 0, fixture.Caracas)
		b.Clock.Advance(evening.Sub(b.Clock.Now()))
		var keys ledgerOfKeys
		for range 6 + rnd.IntN(4) {
			b.Clock.Advance(pick(rnd, time.Second, 10*time.Minute, 20*time.Minute, 40*time.Minute, 2*time.Hour, 2*time.Hour+time.Microsecond))
			now := b.Clock.Now()
			n := &decided{
				day: businessday.Of(now, fixture.Caracas), received: now, amount: pick(rnd, "1.00", "1.00", "2.00"),
				phone: pick(rnd, "", "", "", "04149998877"), dated: rnd.IntN(8) == 0,
			}
			pairs := []any{"Referencia", reference, "Monto", n.amount}
			if n.phone != "" {
				pairs = append(pairs, "TelefonoEmisor", n.phone)
			}
			if n.dated {
				n.day = n.day.AddDays(-rnd.IntN(2))
				pairs = append(pairs, "FechaHora", n.day.String())
			}
			known, repeated := keys.arrive(n)
			require.Equal(t, known.answer, b.notify(t, pairs...), "%+v after %+v", n, known)
			if repeated {
				known.repeats++
				if known.day != n.day {
					late++
				}
			} else if !known.answer {
				conflicts++
			}
		}
		for _, d := range keys {
			require.Equal(t, 1, b.count(t, "bank_payments p JOIN bank_events e ON e.id = p.event_id",
				"p.reference = $1 AND p.local_date = $2 AND p.amount = $3::numeric * 100 AND p.answer = $4 AND e.repeats = $5",
				reference, d.day, d.amount, d.answer, d.repeats), "%+v", d)
		}
		require.Equal(t, len(keys), b.count(t, "bank_payments", "reference = $1", reference))
	}
	t.Log("conflicts", conflicts, "late repeats", late)
	require.Positive(t, conflicts)
	require.Positive(t, late, "no repeat after midnight")
	b.requireSound(t)
}

// A repeat after midnight gets the first answer, even if another amount has come with its reference on the new day.
func TestARepeatAfterMidnightIsNoConflictWithTheNewDay(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Unmatched = UnmatchedAccept })
	b.Clock.Advance(14*time.Hour - time.Minute) // a minute before midnight
	require.True(t, b.notify(t, "Monto", "1.00"))
	require.False(t, b.notify(t, "Monto", "3.00"), "another amount conflicts")
	b.Clock.Advance(2 * time.Minute)
	require.True(t, b.notify(t, "Monto", "2.00"), "on the new day it is another payment")
	require.True(t, b.notify(t, "Monto", "1.00"))
	require.False(t, b.notify(t, "Monto", "3.00"), "the conflict is not paid on the new day")
	require.Equal(t, 3, b.count(t, "bank_payments", "true"))
	require.Equal(t, 2, b.count(t, "bank_payments", "answer"))
	b.requireSound(t)
}

// Midnight is in the business zone, whatever offset FechaHora has and wherever the process runs.
func TestTheDayOfAPaymentIsThatOfTheBusinessZone(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Unmatched = UnmatchedAccept })
	for i, c := range []struct{ instant, day string }{
		{"2026-03-02T23:59:59", "2026-03-02"},
		{"2026-03-02T23:59:59.999999", "2026-03-02"},
		{"2026-03-03T00:00:00", "2026-03-03"},
		{"2026-03-03T03:59:59Z", "2026-03-02"},
		{"2026-03-03T04:00:00Z", "2026-03-03"},
		{"2026-03-02T23:59:59-04:00", "2026-03-02"},
		{"2026-03-02T23:00:00-05:00", "2026-03-03"},
		{"2026-03-03T17:59:59+14:00", "2026-03-02"},
		{"2026-03-02 23:59", "2026-03-02"},
		{"03/03/2026", "2026-03-03"},
		{"03-03-2026", "2026-03-03"},
		{"20260303", "2026-03-03"},
		{"20260302235959", "2026-03-02"},
		{"2024-02-29T23:30:00", "2024-02-29"},
		{"2026-12-31T23:59:59", "2026-12-31"},
		{"2027-01-01T03:00:00Z", "2026-12-31"},
	} {
		reference := fmt.Sprintf("%05d", i)
		require.True(t, b.notify(t, "Referencia", reference, "FechaHora", c.instant), c.instant)
		require.Equal(t, c.day, b.Text(t, `SELECT local_date::text FROM bank_payments WHERE reference = $1`, reference), c.instant)
		require.True(t, b.notify(t, "Referencia", reference, "FechaHora", c.day), "the date alone is the same key: %s", c.instant)
		require.Equal(t, 1, b.count(t, "bank_payments", "reference = $1", reference), c.instant)
	}
	for i, c := range []struct {
		received time.Time
		day      string
	}{
		{time.Date(2026, 3, 5, 3, 59, 59, 0, time.UTC), "2026-03-04"},
		{time.Date(2026, 3, 5, 4, 0, 0, 0, time.UTC), "2026-03-05"},
		{time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC), "2026-03-05"},
	} {
		b.Clock.Advance(c.received.Sub(b.Clock.Now()))
		reference := fmt.Sprintf("9%05d", i)
		require.True(t, b.notify(t, "Referencia", reference))
		require.Equal(t, c.day, b.Text(t, `SELECT local_date::text FROM bank_payments WHERE reference = $1`, reference), c.received)
	}
	b.requireSound(t)
}

// Bank, reference and day make the key together: a payment that differs in one of them is another payment, and
// leading zeros of a reference count.
func TestEachPartOfTheKeyMakesAnotherPayment(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Unmatched = UnmatchedAccept })
	var bodies []string
	for _, reference := range []string{"7", "07", "0007", "70"} {
		for _, code := range []string{"0134", "0102", "102"} {
			for _, day := range []string{"2026-03-01", "2026-03-02"} {
				bodies = append(bodies, notifyBody("Referencia", reference, "BancoEmisor", code, "FechaHora", day))
			}
		}
	}
	for range 2 {
		for _, body := range bodies {
			require.True(t, b.ask(t, http.StatusOK, call(PhaseNotification, body)), body)
		}
		require.Equal(t, 4*2*2, b.count(t, "bank_payments", "state = 'suspense'"), "102 is 0102")
		require.Equal(t, 4*2*2, b.count(t, "transactions", "type = 'deposit'"))
	}
	require.EqualValues(t, 4*2*2*150_00, b.balance(t, fixture.RootID, "suspense"))
	b.requireSound(t)
}
