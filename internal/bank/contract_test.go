package bank

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/money"
	"banca/models"
)

// contract is docs/bank.md as plain Go: lists of requests and payments, and the answers that follow from them.
type contract struct {
	*bundle
	rnd      *rand.Rand
	round    int
	accept   bool // BANK_UNMATCHED
	requests []*promised
	payments map[string]*notified // by bank, reference and day
	waiting  []*notified          // for an operator
	credited money.Amount
	done     map[string]int
}

// promised is a payment request.
type promised struct {
	id                             uuid.UUID
	client, phone, reference, bank string
	amount                         money.Amount
	status                         string
	heldUntil, expires             time.Time
}

// notified is an approved notification and its answer.
type notified struct {
	reference string
	amount    money.Amount
	answer    bool
	state     string
}

// TestTheCallsAreAnsweredByTheContract compares random requests, queries, notifications, expiries and resolutions with the
// contract: each answer, the wallet after each step, and the states at the end.
func TestTheCallsAreAnsweredByTheContract(t *testing.T) {
	t.Parallel()
	for _, unmatched := range []string{UnmatchedReject, UnmatchedAccept} {
		t.Run(unmatched, func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Log("seed", seed)
			c := &contract{
				bundle: setup(t, func(o *Options) { o.Unmatched, o.OpenDeposits = unmatched, false }),
				rnd:    rand.New(rand.NewPCG(seed, 0)), accept: unmatched == UnmatchedAccept, done: map[string]int{},
			}
			for c.round = range 15 {
				c.Exec(t, `UPDATE payment_requests SET status = 'cancelled' WHERE status = 'open'`)
				c.requests, c.payments, c.waiting = nil, map[string]*notified{}, nil
				for range 22 {
					name := c.step(t)
					c.done[name]++
					require.Equal(t, c.credited, c.point(t), "after %s", name)
				}
				c.compare(t)
			}
			c.requireSound(t)
			t.Log("operations", c.done)
			for _, name := range []string{"created", "held", "not held", "credited", "not matched", "repeated", "contradicted", "not approved", "resolved", "expired"} {
				require.Positive(t, c.done[name], "the mix holds %q: %v", name, c.done)
			}
		})
	}
}

func pick[T any](rnd *rand.Rand, list ...T) T { return list[rnd.IntN(len(list))] }

// step executes one random operation and returns its outcome.
func (c *contract) step(t *testing.T) string {
	t.Helper()
	switch n := c.rnd.IntN(100); {
	case n < 25:
		return c.create(t)
	case n < 47:
		return c.ask(t)
	case n < 82:
		return c.report(t)
	case n < 87:
		return c.cancel(t)
	case n < 91:
		return c.expire(t)
	default:
		return c.resolve(t)
	}
}

// live reports whether a request can still be paid.
func (r *promised) live(now time.Time) bool {
	return r.status == models.RequestOpen && (r.expires.After(now) || r.heldUntil.After(now))
}

func (c *contract) client() (id, phone string) {
	n := c.rnd.IntN(3)
	return fmt.Sprintf("V2000000%d", n), fmt.Sprintf("041499900%02d", n/2) // two clients share a telephone
}

func (c *contract) reference() string { return fmt.Sprintf("%04d%d", c.round, c.rnd.IntN(3)) }

func (c *contract) create(t *testing.T) string {
	t.Helper()
	r := &promised{amount: pick[money.Amount](c.rnd, 100, 200), status: models.RequestOpen}
	r.client, r.phone = c.client()
	r.bank = pick(c.rnd, "", "", "0134", "0102")
	if r.bank != "" && c.rnd.IntN(2) == 0 {
		r.reference = c.reference()
	}
	expiry := pick(c.rnd, 10*time.Minute, time.Hour)
	made, _, err := c.CreateRequest(t.Context(), c.admin, &NewRequest{
		EntityID: pointID(), Amount: r.amount.Format(AmountDigits), ClientID: r.client, ClientPhone: r.phone, Reference: r.reference, Bank: r.bank, ExpiresIn: expiry,
	})
	require.NoError(t, err)
	r.id, r.expires = made.ID, c.Clock.Now().Add(expiry)
	c.requests = append(c.requests, r)
	return "created"
}

// some returns a live request at random, and nil in a quarter of the calls.
func (c *contract) some() *promised {
	var list []*promised
	for _, r := range c.requests {
		if r.live(c.Clock.Now()) {
			list = append(list, r)
		}
	}
	if len(list) == 0 || c.rnd.IntN(4) == 0 {
		return nil
	}
	return pick(c.rnd, list...)
}

// ask sends a query.
func (c *contract) ask(t *testing.T) string {
	t.Helper()
	client, _ := c.client()
	amount := pick[money.Amount](c.rnd, 100, 200)
	if r := c.some(); r != nil {
		client, amount = r.client, r.amount
	}
	var fits []*promised
	held := false
	for _, r := range c.requests {
		if r.client == client && r.amount == amount && r.live(c.Clock.Now()) {
			fits = append(fits, r)
			held = held || r.heldUntil.After(c.Clock.Now())
		}
	}
	want := held || len(fits) == 1
	require.Equal(t, want, c.query(t, "IdCliente", client, "Monto", amount.Format(AmountDigits)))
	if !want {
		return "not held"
	}
	if !held {
		fits[0].heldUntil = c.Clock.Now().Add(15 * time.Minute)
	}
	return "held"
}

// report sends a notification.
func (c *contract) report(t *testing.T) string {
	t.Helper()
	reference, bank, day := c.reference(), pick(c.rnd, "0134", "0134", "0102"), pick(c.rnd, "2026-03-02", "2026-03-02", "2026-03-01")
	amount, code := pick[money.Amount](c.rnd, 100, 200), pick(c.rnd, "00", "00", "00", "00", "51")
	if r := c.some(); r != nil {
		amount = r.amount
		if r.reference != "" && c.rnd.IntN(3) > 0 {
			reference, bank = r.reference, r.bank
		}
	}
	pairs := []any{"Referencia", reference, "BancoEmisor", bank, "Monto", amount.Format(AmountDigits), "CodigoRed", code, "FechaHora", day}
	phone := ""
	if c.rnd.IntN(2) == 0 {
		_, phone = c.client()
		pairs = append(pairs, "TelefonoEmisor", phone)
	}
	want, outcome := c.answerTo(&promised{reference: reference, bank: bank, amount: amount, phone: phone}, day, code)
	require.Equal(t, want, c.notify(t, pairs...), outcome)
	return outcome
}

// answerTo returns the answer to a notification.
func (c *contract) answerTo(n *promised, day, code string) (answer bool, outcome string) {
	if code != "00" {
		return false, "not approved"
	}
	key := n.bank + n.reference + day
	if known := c.payments[key]; known != nil && known.amount == n.amount {
		return known.answer, "repeated"
	} else if known != nil {
		if again := c.payments[key+"!"]; again == nil {
			c.payments[key+"!"] = &notified{reference: n.reference, amount: n.amount, state: models.PaymentConflict}
			c.waiting = append(c.waiting, c.payments[key+"!"])
		}
		return false, "contradicted"
	}
	p := &notified{reference: n.reference, amount: n.amount, state: models.PaymentUnmatched, answer: c.accept}
	c.payments[key] = p
	if r, _ := matching(c.requests, n, c.Clock.Now()); r != nil {
		r.status, p.state, p.answer = models.RequestPaid, models.PaymentCredited, true
		c.credited += n.amount
		return true, "credited"
	}
	if c.accept {
		p.state = models.PaymentSuspense
	}
	c.waiting = append(c.waiting, p)
	return c.accept, "not matched"
}

// matching returns the request that a payment is for, or the reason why there is none: the first rule that any request
// fits decides, and only if one request fits it.
func matching(requests []*promised, n *promised, now time.Time) (*promised, string) {
	free := func(r *promised) bool {
		return r.amount == n.amount && r.reference == "" && (r.bank == "" || r.bank == n.bank)
	}
	for _, rule := range []func(*promised) bool{
		func(r *promised) bool { return r.reference == n.reference && r.bank == n.bank },
		func(r *promised) bool { return n.phone != "" && r.phone == n.phone && free(r) },
		func(r *promised) bool { return r.heldUntil.After(now) && free(r) },
	} {
		var fits []*promised
		for _, r := range requests {
			if r.live(now) && rule(r) {
				fits = append(fits, r)
			}
		}
		switch {
		case len(fits) > 1:
			return nil, ReasonSeveral
		case len(fits) == 1 && fits[0].amount != n.amount:
			return nil, ReasonAmountDiffers
		case len(fits) == 1:
			return fits[0], ""
		}
	}
	return nil, ReasonNoRequest
}

func (c *contract) cancel(t *testing.T) string {
	t.Helper()
	if len(c.requests) == 0 {
		return c.create(t)
	}
	r := c.some()
	if r == nil {
		r = pick(c.rnd, c.requests...)
	}
	_, err := c.CancelRequest(t.Context(), c.admin, r.id)
	switch {
	case r.status == models.RequestOpen && r.heldUntil.After(c.Clock.Now()):
		require.ErrorIs(t, err, ErrRequestHeld)
	case r.status == models.RequestOpen, r.status == models.RequestCancelled:
		require.NoError(t, err)
		r.status = models.RequestCancelled
	default:
		require.ErrorIs(t, err, ErrRequestClosed)
	}
	return "cancelled"
}

func (c *contract) expire(t *testing.T) string {
	t.Helper()
	c.Clock.Advance(pick(c.rnd, time.Minute, 6*time.Minute, 11*time.Minute))
	_, err := c.ExpireRequests(t.Context())
	require.NoError(t, err)
	for _, r := range c.requests {
		if r.status == models.RequestOpen && !r.live(c.Clock.Now()) {
			r.status = models.RequestExpired
		}
	}
	return "expired"
}

// resolve assigns a waiting payment to the ticket point, or marks it as refunded; twice is refused.
func (c *contract) resolve(t *testing.T) string {
	t.Helper()
	if len(c.waiting) == 0 {
		return c.report(t)
	}
	i := c.rnd.IntN(len(c.waiting))
	p := c.waiting[i]
	c.waiting = slices.Delete(c.waiting, i, i+1)
	list, _, err := c.Payments(t.Context(), c.admin, &PaymentFilter{Reference: p.reference, States: []string{p.state}, Limit: 50})
	require.NoError(t, err)
	found := slices.IndexFunc(list, func(row Payment) bool { return row.Amount == p.amount })
	require.GreaterOrEqual(t, found, 0)
	r := &Resolution{PaymentID: list[found].ID}
	if c.rnd.IntN(2) == 0 {
		_, _, err = c.Refund(t.Context(), c.admin, r)
		p.state = models.PaymentRefunded
	} else {
		r.EntityID = pointID()
		_, _, err = c.Assign(t.Context(), c.admin, r)
		p.state = models.PaymentAssigned
		c.credited += p.amount
	}
	require.NoError(t, err)
	_, _, err = c.Refund(t.Context(), c.admin, &Resolution{PaymentID: r.PaymentID})
	require.ErrorIs(t, err, ErrResolved)
	return "resolved"
}

// compare compares the requests and payments of the round.
func (c *contract) compare(t *testing.T) {
	t.Helper()
	for _, r := range c.requests {
		row, err := c.Request(t.Context(), c.admin, r.id)
		require.NoError(t, err)
		require.Equal(t, r.status, row.Status)
		require.Equal(t, r.status == models.RequestPaid, row.PaymentID != uuid.Nil)
	}
	want := map[string]int{}
	for _, p := range c.payments {
		want[fmt.Sprint(p.reference, " ", p.amount, " ", p.state, " ", p.answer)]++
	}
	list, _, err := c.Payments(t.Context(), c.admin, &PaymentFilter{Limit: 1_000})
	require.NoError(t, err)
	have := map[string]int{}
	for _, p := range list {
		if p.Reference[:4] == fmt.Sprintf("%04d", c.round) {
			have[fmt.Sprint(p.Reference, " ", p.Amount, " ", p.State, " ", p.Answer)]++
		}
	}
	require.Equal(t, want, have)
}
