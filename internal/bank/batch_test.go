package bank

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/models"
)

// decideAll commits a batch as one transaction, and then each notification that must be decided again by itself. It returns
// the notifications in the order in which they were decided.
func (b *bundle) decideAll(t testing.TB, batch []*pending) (order []*pending) {
	t.Helper()
	alone := func(list []*pending) (again []*pending) {
		finishBatch(t.Context(), list, b.writeBatch(t.Context(), list))
		for _, p := range list {
			require.NoError(t, p.err)
			if p.again {
				again = append(again, p)
			} else {
				order = append(order, p)
			}
		}
		return again
	}
	for _, p := range alone(batch) {
		require.Empty(t, alone([]*pending{p}), "by itself it depends on no other notification")
	}
	return order
}

// A batch is decided like its notifications one after another by the contract: repeats, conflicts and payments for the
// same request within the batch too.
func TestABatchIsDecidedLikeItsNotificationsInOrder(t *testing.T) {
	t.Parallel()
	for _, unmatched := range []string{UnmatchedReject, UnmatchedAccept} {
		t.Run(unmatched, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(o *Options) { o.Unmatched = unmatched })
			seed := rand.Uint64()
			t.Log("seed", seed)
			c := &contract{bundle: b, rnd: rand.New(rand.NewPCG(seed, 0)), accept: unmatched == UnmatchedAccept}
			done := map[string]int{}
			again := 0
			for c.round = range 80 {
				c.requests, c.payments = nil, map[string]*notified{}
				b.Exec(t, `UPDATE payment_requests SET status = 'cancelled' WHERE status = 'open'`)
				for range 1 + c.rnd.IntN(2) {
					c.createFitting(t)
				}
				batch, sent := make([]*pending, 4+c.rnd.IntN(7)), map[*pending]*promised{}
				for i := range batch {
					batch[i] = c.receive(t, sent)
				}
				for at, p := range c.decideAll(t, batch) {
					answer, outcome := c.answerTo(sent[p], "2026-03-02", p.n.networkCode)
					require.Equal(t, answer, p.answer, "%d: %s", at, outcome)
					if outcome != "contradicted" { // the repeat of a contradiction is one, too
						require.Equal(t, outcome == "repeated", p.repeatOf != nil, "%d: %s", at, outcome)
					}
					done[outcome]++
					again += p.attempts
				}
				c.compare(t)
			}
			t.Log(done, "decided again", again)
			for _, outcome := range []string{"credited", "not matched", "repeated", "contradicted", "not approved"} {
				require.Positive(t, done[outcome], "%v", done)
			}
			require.Positive(t, again, "no two payments of a batch were for one request")
			b.requireSound(t)
		})
	}
}

// createFitting creates a request that a notification of the round may fit.
func (c *contract) createFitting(t *testing.T) {
	t.Helper()
	r := &promised{
		amount: pick[money.Amount](c.rnd, 100, 200), phone: "04149990000", status: models.RequestOpen, expires: c.Clock.Now().Add(time.Hour),
	}
	if c.rnd.IntN(3) == 0 {
		r.bank, r.reference = "0134", c.reference()
	}
	r.id = c.expect(t, func(n *NewRequest) {
		n.Amount, n.ClientPhone, n.Reference, n.Bank, n.ExpiresIn = r.amount.Format(AmountDigits), r.phone, r.reference, r.bank, time.Hour
	}).ID
	c.requests = append(c.requests, r)
}

// receive returns a random notification of the round, and adds what it says to sent.
func (c *contract) receive(t *testing.T, sent map[*pending]*promised) *pending {
	t.Helper()
	n := &promised{
		reference: c.reference(), bank: pick(c.rnd, "0134", "0134", "0102"), amount: pick[money.Amount](c.rnd, 100, 200), phone: pick(c.rnd, "", "04149990000", "04149990000", "04149990000"),
	}
	pairs := []any{"Referencia", n.reference, "BancoEmisor", n.bank, "Monto", n.amount.Format(AmountDigits), "CodigoRed", pick(c.rnd, "00", "00", "00", "51")}
	if n.phone != "" {
		pairs = append(pairs, "TelefonoEmisor", n.phone)
	}
	p := c.pendingOf(t, notifyBody(pairs...))
	sent[p] = n
	return p
}

// A notification is decided again a limited number of times, and never after an error; each of them is then answered 503.
func TestANotificationIsNotDecidedAgainWithoutEnd(t *testing.T) {
	t.Parallel()
	p := &pending{}
	for attempt := range maxAttempts {
		p.again = true
		finishBatch(t.Context(), []*pending{p}, nil)
		require.True(t, p.again)
		require.NoError(t, p.err)
		require.Equal(t, attempt+1, p.attempts)
	}
	finishBatch(t.Context(), []*pending{p}, nil)
	require.False(t, p.again)
	require.ErrorIs(t, p.err, ErrBusy)

	cause := errors.New("connection reset")
	lost := &pending{decision: decision{again: true}}
	finishBatch(t.Context(), []*pending{lost}, cause)
	require.False(t, lost.again)
	require.ErrorIs(t, lost.err, apperr.ErrStore)
	require.ErrorIs(t, lost.err, cause)

	undecided := &pending{decision: decision{again: true}, err: apperr.ErrStore} // findBatch did not find its payment
	finishBatch(t.Context(), []*pending{undecided}, nil)
	require.False(t, undecided.again)
	require.ErrorIs(t, undecided.err, apperr.ErrStore)
}
