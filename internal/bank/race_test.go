package bank

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/money"
	"banca/models"
)

// meeting is a call that waits for another transaction, which has closed its request and then commits or not.
type meeting struct {
	name   string
	commit bool
	answer bool
	status string // of the request
}

func meetings(status string) []meeting {
	return []meeting{
		{name: "the request was cancelled", commit: true, status: models.RequestCancelled},
		{name: "the cancellation was rolled back", answer: true, status: status},
	}
}

// meet sends a call while another transaction has cancelled a request, ends that one as soon as the call waits for it, and
// returns the answer.
func (b *bundle) meet(t *testing.T, request uuid.UUID, commit bool, c *Call) bool {
	t.Helper()
	tx, err := b.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	_, err = tx.Exec(t.Context(), `UPDATE payment_requests SET status = 'cancelled', closed_at = created_at WHERE id = $1`, request)
	require.NoError(t, err)
	answered := make(chan Reply, 1)
	go func() { answered <- b.Answer(t.Context(), c) }()
	require.Eventually(t, func() bool { return b.Env.WaitingForLocks(t) > 0 }, testkit.WaitTimeout, 5*time.Millisecond)
	if commit {
		require.NoError(t, tx.Commit(t.Context()))
	} else {
		require.NoError(t, tx.Rollback(t.Context()))
	}
	reply := <-answered
	require.Equal(t, http.StatusOK, reply.Status)
	return strings.Contains(string(reply.Body), "true")
}

// A query whose request is closed before it is held is answered false, and holds nothing.
func TestAQueryMeetsACancellation(t *testing.T) {
	t.Parallel()
	for _, m := range meetings(models.RequestOpen) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			r := b.expect(t)
			require.Equal(t, m.answer, b.meet(t, r.ID, m.commit, call(PhaseQuery, queryBody())))
			stored := mustRequest(t, b, r.ID)
			require.Equal(t, m.status, stored.Status)
			require.Equal(t, m.answer, !stored.HeldUntil.IsZero())
			e := b.lastEvent(t)
			require.Equal(t, m.answer, e.Answer)
			require.Equal(t, m.answer, e.RequestID == r.ID)
			if !m.answer {
				require.Equal(t, Check{Name: CheckRequest, Detail: ReasonNoRequest}, e.Checks[len(e.Checks)-1])
			}
		})
	}
}

// A notification whose request is closed before it is credited is decided again: it is for the other request of its amount,
// or for none.
func TestANotificationMeetsACancellation(t *testing.T) {
	t.Parallel()
	for _, m := range meetings(models.RequestPaid) {
		for _, other := range []bool{false, true} {
			t.Run(m.name+map[bool]string{true: ", another one is open"}[other], func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				first := b.expect(t, func(n *NewRequest) { n.Bank, n.Reference = "0134", "000012345678" }) // before the one of the telephone
				var second *Request
				if other {
					second = b.expect(t)
				}
				answer := b.meet(t, first.ID, m.commit, call(PhaseNotification, notifyBody("TelefonoEmisor", "04149998877")))
				require.Equal(t, m.answer || other, answer)
				require.Equal(t, m.status, mustRequest(t, b, first.ID).Status)
				p := b.onlyPayment(t)
				require.Equal(t, answer, p.Answer)
				require.Equal(t, m.answer, p.RequestID == first.ID)
				if other {
					require.Equal(t, m.commit, p.RequestID == second.ID)
				}
				require.Equal(t, answer, b.point(t) == 150_00)
				require.Equal(t, answer, b.notify(t, "TelefonoEmisor", "04149998877"), "a repeat gets the same answer")
				b.requireSound(t)
			})
		}
	}
}

// Notifications, an assignment, a cancellation and the expiry of one request meet: it is paid, cancelled or expired once, and
// the wallet has the amount of the payment that was answered true or assigned.
func TestARequestIsClosedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.second(t)
	closed := map[string]int{}
	var want money.Amount
	for round := range 25 {
		reference := func(n int) string { return fmt.Sprintf("%d%04d", n, round) }
		require.False(t, b.notify(t, "Referencia", reference(0)), "nothing is expected, so it waits for an operator")
		waiting, _, err := b.Payments(t.Context(), b.admin, &PaymentFilter{Reference: reference(0), Limit: 1})
		require.NoError(t, err)
		r := b.expect(t, func(n *NewRequest) { n.ExpiresIn = time.Hour })
		b.Clock.Advance(time.Hour - time.Microsecond)
		var paid atomic.Int64
		notify := func(s *Service, n int) func() {
			return func() {
				reply := s.Answer(t.Context(), call(PhaseNotification, notifyBody("Referencia", reference(n), "TelefonoEmisor", "04149998877")))
				assert.Equal(t, http.StatusOK, reply.Status)
				paid.Add(int64(strings.Count(string(reply.Body), "true")))
			}
		}
		operations := []func(){
			notify(b.Service, 1), notify(other, 2),
			func() {
				_, _, err := other.Assign(t.Context(), b.admin, &Resolution{PaymentID: waiting[0].ID, RequestID: r.ID})
				if err == nil {
					paid.Add(1)
				} else {
					assert.ErrorIs(t, err, ErrRequestClosed)
				}
			},
			func() {
				if _, err := b.CancelRequest(t.Context(), b.admin, r.ID); err != nil {
					assert.ErrorIs(t, err, ErrRequestClosed)
				}
			},
			func() {
				b.Clock.Advance(time.Microsecond)
				_, err := other.ExpireRequests(t.Context())
				assert.NoError(t, err)
			},
		}
		if round < len(operations) { // each of them comes first once
			operations[round]()
		}
		var running sync.WaitGroup
		for i, operation := range operations {
			if i != round {
				running.Go(operation)
			}
		}
		running.Wait()
		status := mustRequest(t, b, r.ID).Status
		closed[status]++
		require.Equal(t, map[bool]int64{true: 1}[status == models.RequestPaid], paid.Load(), status)
		want += money.Amount(paid.Load()) * 150_00
		require.Equal(t, want, b.point(t))
	}
	for _, status := range []string{models.RequestPaid, models.RequestCancelled, models.RequestExpired} {
		require.Positive(t, closed[status], "%v", closed)
	}
	t.Log(closed)
	b.requireSound(t)
}
