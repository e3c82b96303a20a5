package bank

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/money"
	"banca/models"
)

// errNotAnswered is a call of the bank that got no decision and is repeated by it.
var errNotAnswered = errors.New("503")

// breakable returns a bundle and the same service, as another process has it, over connections that break.
func breakable(t *testing.T) (*bundle, *Service, *testkit.Breaker) {
	t.Helper()
	b := setup(t)
	breaker := b.Env.Breaker(t)
	return b, newService(breaker.PG, b.Clock, b.Env.Log, options()), breaker // not run: each call commits alone
}

// answered sends a call to a service and returns its answer, or errNotAnswered.
func answered(t *testing.T, s *Service, c *Call) (bool, error) {
	t.Helper()
	reply := s.Answer(t.Context(), c)
	if reply.Status == http.StatusServiceUnavailable {
		return false, errNotAnswered
	}
	require.Equal(t, http.StatusOK, reply.Status, string(reply.Body))
	return strings.Contains(string(reply.Body), "true"), nil
}

// The bank repeats a call until it is answered. However often the connection broke before, at whatever statement, the
// request is held once, the payment credited once, and each answer is the one that stands.
func TestABrokenCallIsDecidedOnceWhenItIsRepeated(t *testing.T) {
	t.Parallel()
	b, broken, breaker := breakable(t)
	r := b.expect(t)
	var holds []time.Time
	query := func() error {
		broken.Forget() // the directory is read again
		answer, err := answered(t, broken, call(PhaseQuery, queryBody()))
		if err == nil {
			require.True(t, answer)
		}
		return err
	}
	breaks := breaker.Each(t, query, func(error) {
		require.Zero(t, b.point(t))
		if held := mustRequest(t, b, r.ID).HeldUntil; !held.IsZero() {
			holds = append(holds, held)
		}
		b.Clock.Advance(time.Second)
	})
	require.GreaterOrEqual(t, breaks, 5)
	for _, held := range holds {
		require.Equal(t, holds[0], held, "a repeat does not prolong the hold")
	}
	require.Equal(t, 1, b.count(t, "payment_requests", "true"))

	breaks = breaker.Each(t, func() error {
		broken.Forget()
		answer, err := answered(t, broken, call(PhaseNotification, notifyBody()))
		if err == nil {
			require.True(t, answer)
		}
		return err
	}, func(error) {
		require.Contains(t, []money.Amount{0, 150_00}, b.point(t))
	})
	require.GreaterOrEqual(t, breaks, 5)
	require.True(t, b.notify(t), "the other process gives the same answer")
	require.EqualValues(t, 150_00, b.point(t))
	require.Equal(t, 1, b.count(t, "transactions", "type = 'deposit'"))
	require.Equal(t, models.RequestPaid, mustRequest(t, b, r.ID).Status)
	b.requireSound(t)
}

// brokenChange is an operation of a person, and the rows that count how often it was done.
type brokenChange struct {
	name  string
	do    func() error
	table string
	where string
}

// An operation of a user whose connection breaks at any statement, the commit included, has no effect and no entry in the
// activity log; the answer to one that was done needs no further statement. Repeated, it is done once, with one entry.
func TestABrokenOperationIsDoneOnceWhenItIsRepeated(t *testing.T) {
	t.Parallel()
	b, broken, breaker := breakable(t)
	ctx := t.Context()
	for _, reference := range []string{"555555", "777777"} {
		require.False(t, b.notify(t, "Referencia", reference))
	}
	payments, _, err := b.Payments(ctx, b.admin, &PaymentFilter{Limit: 5})
	require.NoError(t, err)
	event := b.lastEvent(t)
	var request *Request
	csv := []byte("date,reference,amount\n2026-03-02,1234,1\n2026-03-03,5678,2\n")
	for _, change := range []brokenChange{
		{"announce", func() error {
			r, _, err := broken.CreateRequest(ctx, b.admin, &NewRequest{EntityID: pointID(), Amount: "7.00", ClientID: "V1234567", IdempotencyKey: "announce"})
			request = r
			return err
		}, "payment_requests", "status = 'open'"},
		{"cancel", func() error { _, err := broken.CancelRequest(ctx, b.admin, request.ID); return err }, "payment_requests", "status = 'cancelled'"},
		{"assign", func() error {
			_, _, err := broken.Assign(ctx, b.admin, &Resolution{PaymentID: payments[0].ID, EntityID: pointID(), IdempotencyKey: "assign"})
			return err
		}, "transactions", "type = 'deposit'"},
		{"refund", func() error {
			_, _, err := broken.Refund(ctx, b.admin, &Resolution{PaymentID: payments[1].ID, Note: "back", IdempotencyKey: "refund"})
			return err
		}, "bank_payments", "state = 'refunded'"},
		{"import", func() error {
			_, err := broken.ImportStatement(ctx, b.admin, csv)
			return err
		}, "bank_statements", "lines = 2"},
		{"add a bank", func() error { return broken.AddBank(ctx, b.admin, Bank{Code: "9990", Name: "Nuevo"}) }, "banks", "code = '9990'"},
		{"retire a bank", func() error {
			return broken.UpdateBank(ctx, b.admin, Bank{Code: "9990", Name: "Nuevo", Status: "retired"})
		}, "banks", "code = '9990' AND status = 'retired'"},
		{"add a code", func() error { return broken.AddNetworkCode(ctx, b.admin, "Z9", "Otro") }, "network_codes", "code = 'Z9'"},
		{"erase", func() error { return broken.EraseEvent(ctx, b.admin, event.ID) }, "bank_events", "raw IS NULL"},
	} {
		before := b.count(t, change.table, change.where)
		logged := b.count(t, "activity_logs", "true")
		breaks := breaker.Each(t, change.do, func(error) {
			require.Zero(t, b.count(t, change.table, change.where)-before, "%s: an operation that was done is not answered with an error", change.name)
			require.Zero(t, b.count(t, "activity_logs", "true")-logged, change.name)
		})
		require.Positive(t, breaks, change.name)
		require.Equal(t, 1, b.count(t, change.table, change.where)-before, change.name)
		require.LessOrEqual(t, b.count(t, "activity_logs", "true")-logged, 1, change.name)
	}
	require.EqualValues(t, 150_00, b.point(t))
	b.requireSound(t)
}

// Tasks that break are run again by the queue: what they do is done once in the end.
func TestABrokenTaskIsDoneOnceWhenItRunsAgain(t *testing.T) {
	t.Parallel()
	b, broken, breaker := breakable(t)
	ctx := t.Context()
	ticket := b.unpaidTicket(t, "V11222333")
	b.expect(t, func(n *NewRequest) { n.ExpiresIn = time.Hour })
	require.True(t, b.query(t))
	require.True(t, b.notify(t, "TelefonoEmisor", "04149998877"))
	payment := b.onlyPayment(t)
	b.expect(t, func(n *NewRequest) { n.ExpiresIn = time.Hour })
	b.Clock.Advance(2 * time.Hour)
	require.NoError(t, b.Flush(ctx))
	for _, task := range []brokenChange{
		{"announce a ticket", func() error { broken.Forget(); return broken.RequestForTicket(ctx, ticket) }, "payment_requests", "origin = 'ticket'"},
		{"notify the payer", func() error { return broken.NotifyPayer(ctx, payment.ID) }, "message_logs", "true"},
		{"expire", func() error { _, err := broken.ExpireRequests(ctx); return err }, "payment_requests", "status = 'expired'"},
	} {
		before := b.count(t, task.table, task.where)
		require.Positive(t, breaker.Each(t, task.do, func(error) {
			require.Contains(t, []int{0, 1}, b.count(t, task.table, task.where)-before, task.name)
		}), task.name)
		require.NoError(t, task.do(), "%s, once more", task.name)
		require.Equal(t, 1, b.count(t, task.table, task.where)-before, task.name)
	}
	b.Clock.Advance(40 * 24 * time.Hour)
	breaker.Each(t, func() error { _, err := broken.Trim(ctx); return err }, func(error) {})
	require.Zero(t, b.count(t, "bank_events", "true"), "older than their retention")
	require.Equal(t, 1, b.count(t, "bank_payments", "true"), "payments stay")
	b.requireSound(t)
}

// Pages report a connection that breaks: no list is a part of itself, and no record seems not to exist.
func TestReadsOfABrokenConnectionFail(t *testing.T) {
	t.Parallel()
	b, broken, breaker := breakable(t)
	ctx := t.Context()
	r := b.expect(t)
	require.True(t, b.query(t))
	require.True(t, b.notify(t))
	p, e := b.onlyPayment(t), b.lastEvent(t)
	st, err := b.ImportStatement(ctx, b.admin, []byte("date,reference,amount\n2026-03-02,1234,1\n"))
	require.NoError(t, err)
	var rows int
	for name, read := range map[string]func() error{
		"payments": func() error {
			list, _, err := broken.Payments(ctx, b.admin, &PaymentFilter{Limit: 5})
			rows = len(list)
			return err
		},
		"payment": func() error { _, err := broken.Payment(ctx, b.admin, p.ID); return err },
		"requests": func() error {
			list, _, err := broken.Requests(ctx, b.admin, &RequestFilter{Limit: 5})
			rows = len(list)
			return err
		},
		"request": func() error { _, err := broken.Request(ctx, b.admin, r.ID); return err },
		"events": func() error {
			list, _, err := broken.Events(ctx, b.admin, &EventFilter{Limit: 5})
			rows = len(list)
			return err
		},
		"trace":       func() error { _, err := broken.Trace(ctx, b.admin, e.ID); return err },
		"banks":       func() error { list, _, err := broken.Banks(ctx, "", 5, 0); rows = len(list); return err },
		"codes":       func() error { list, _, err := broken.NetworkCodes(ctx, 5, 0); rows = len(list); return err },
		"statements":  func() error { list, _, err := broken.Statements(ctx, b.admin, 5, 0); rows = len(list); return err },
		"statement":   func() error { _, err := broken.Statement(ctx, b.admin, st.ID); return err },
		"differences": func() error { _, _, err := broken.Differences(ctx, b.admin, st.ID, SideBank, 5, 0); return err },
		"identity":    func() error { broken.Forget(); _, err := broken.Identity(ctx, b.admin); return err },
		"proof":       func() error { _, err := broken.Verify(ctx); return err },
	} {
		rows = 0
		require.Positive(t, breaker.Each(t, read, func(err error) {
			for _, missing := range []error{ErrPaymentNotFound, ErrRequestNotFound, ErrEventNotFound, ErrStatementNotFound} {
				require.NotErrorIs(t, err, missing, name)
			}
			require.Zero(t, rows, name)
		}), name)
	}
}
