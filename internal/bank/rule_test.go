package bank

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
	"banca/models"
)

// pendingOf returns the notification of a body that is received now, as the group commits it.
func (b *bundle) pendingOf(t testing.TB, body string) *pending {
	t.Helper()
	e := b.newEvent(call(PhaseNotification, body))
	n, err := readFields(PhaseNotification, mustParse(t, body), fixture.Caracas)
	require.NoError(t, err)
	d, err := b.cachedDirectory(t.Context())
	require.NoError(t, err)
	return newPending(n, e, d, fixture.Caracas)
}

// ruleCase is one combination of requests and the payment that is matched with them. Its reference, telephone and
// amount are its own, so that no request of another case fits.
type ruleCase struct {
	number   int
	requests []*promised
	payment  *promised
}

func (c *ruleCase) reference(other bool) string { return fmt.Sprintf("%06d%d", c.number, digit(other)) }
func (c *ruleCase) phone(other bool) string {
	return fmt.Sprintf("+58414%06d%d", c.number, digit(other))
}
func (c *ruleCase) amount(other bool) money.Amount {
	return money.Amount(10*c.number + 10 + digit(other))
}

func digit(other bool) int {
	if other {
		return 1
	}
	return 0
}

// add adds a request of a kind, and reports false if there is no such kind.
func (c *ruleCase) add(kind int, now time.Time) bool {
	next := func(n int) int { // the next digit of kind, in base n
		digit := kind % n
		kind /= n
		return digit
	}
	r := &promised{id: uuid.Must(uuid.NewV7()), amount: c.amount(next(2) == 1), status: models.RequestOpen, expires: now.Add(time.Hour)}
	switch next(6) {
	case 1:
		r.bank = "0134"
	case 2:
		r.bank = "0102"
	case 3:
		r.bank, r.reference = "0134", c.reference(false)
	case 4:
		r.bank, r.reference = "0102", c.reference(false)
	case 5:
		r.bank, r.reference = "0134", c.reference(true)
	}
	switch next(3) {
	case 1:
		r.phone = c.phone(false)
	case 2:
		r.phone = c.phone(true)
	}
	switch next(5) {
	case 1:
		r.heldUntil = now.Add(time.Minute)
	case 2: // it expired, but is held
		r.heldUntil, r.expires = now.Add(time.Microsecond), now
	case 3: // it expired, and its hold is over
		r.heldUntil, r.expires = now, now
	case 4:
		r.status = models.RequestCancelled
	}
	c.requests = append(c.requests, r)
	return kind == 0
}

// ruleCases returns every combination of up to two requests that differ from the payment in amount, bank, reference,
// telephone, hold, expiry or status.
func ruleCases(now time.Time) (cases []*ruleCase) {
	add := func(kinds ...int) bool {
		c := &ruleCase{number: len(cases)}
		for _, kind := range kinds {
			if !c.add(kind, now) {
				return false
			}
		}
		c.payment = &promised{reference: c.reference(false), bank: "0134", amount: c.amount(false), phone: c.phone(false)}
		cases = append(cases, c)
		return true
	}
	add()
	for first := 0; add(first); first++ {
		for second := first; add(first, second); second++ {
		}
	}
	return cases
}

// The matched request, or the reason without one, follows the contract for every combination of two requests.
func TestEveryPairOfRequestsIsMatchedByTheRule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	now := b.Clock.Now()
	cases := ruleCases(now)
	require.Len(t, cases, 1+180+180*181/2)
	b.insertPromised(t, cases)
	outcomes := map[string]int{}
	const batch = 512
	for begin := 0; begin < len(cases); begin += batch {
		part := cases[begin:min(begin+batch, len(cases))]
		list := make([]*pending, len(part))
		for i, c := range part {
			list[i] = b.pendingOf(t, notifyBody("Referencia", c.payment.reference, "Monto", c.payment.amount.Format(AmountDigits), "TelefonoEmisor", c.payment.phone))
		}
		b.decideOnly(t, list)
		for i, c := range part {
			want, reason := matching(c.requests, c.payment, now)
			got := uuid.Nil
			if list[i].request != nil {
				got = list[i].request.id
			}
			wanted := uuid.Nil
			if want != nil {
				wanted = want.id
			}
			require.Equal(t, wanted, got, "%s", c)
			require.Equal(t, reason, list[i].reason, "%s", c)
			outcomes[reason]++
		}
	}
	for _, reason := range []string{"", ReasonNoRequest, ReasonSeveral, ReasonAmountDiffers} {
		require.Greater(t, outcomes[reason], 200, "%q: %v", reason, outcomes)
	}
}

// String describes a case in a failure.
func (c *ruleCase) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "payment %+v", *c.payment)
	for _, r := range c.requests {
		fmt.Fprintf(&text, "\nrequest %+v", *r)
	}
	return text.String()
}

// insertPromised writes the requests of the cases.
func (b *bundle) insertPromised(t *testing.T, cases []*ruleCase) {
	t.Helper()
	optionalText := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	var rows [][]any
	for _, c := range cases {
		for _, r := range c.requests {
			var held *time.Time
			if !r.heldUntil.IsZero() {
				held = &r.heldUntil
			}
			rows = append(rows, []any{
				r.id, models.OriginManual, pointID(), seed.ID("wallet", seed.CodeTicketPoint, "VES"), seed.ID("currency", "VES"), "11222333", optionalText(r.phone),
				int64(r.amount), optionalText(r.reference), optionalText(r.bank), r.status, held, r.expires, b.Clock.Now(),
			})
		}
	}
	for part := range slices.Chunk(rows, 2048) { // in one statement, they exceed its timeout on a busy machine
		_, err := b.PG.Pool.CopyFrom(t.Context(), pgx.Identifier{"payment_requests"}, []string{
			"id", "origin", "entity_id", "wallet_id", "currency_id", "client_number", "client_phone", "amount", "reference", "bank_code", "status", "held_until",
			"expires_at", "created_at",
		}, pgx.CopyFromRows(part))
		require.NoError(t, err)
	}
	b.Exec(t, `ANALYZE payment_requests`)
}

// decideOnly decides a batch and writes nothing.
func (b *bundle) decideOnly(t *testing.T, batch []*pending) {
	t.Helper()
	conn, err := b.PG.Pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	f, err := readFacts(t.Context(), conn, batch, b.Clock.Now())
	require.NoError(t, err)
	for i, p := range batch {
		require.NoError(t, b.decide(f, i, p, b.Clock.Now()))
	}
	_, err = conn.Exec(t.Context(), "rollback")
	require.NoError(t, err)
}
