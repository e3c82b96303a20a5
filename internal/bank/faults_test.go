package bank

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/models"
	"banca/storage"
)

// Without the database nothing untrue is answered: 503, false, and the same call succeeds afterwards.
func TestDatabaseUnavailable(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	server := testkit.StartPostgres(t)
	b := setupOn(t, env, server.Open(t, env.Log))
	b.expect(t)
	require.True(t, b.query(t))
	server.Kill()
	require.False(t, b.ask(t, http.StatusServiceUnavailable, call(PhaseNotification, notifyBody())))
	require.False(t, b.ask(t, http.StatusServiceUnavailable, call(PhaseQuery, queryBody())))
	require.False(t, b.ask(t, http.StatusBadRequest, call(PhaseNotification, "{}")), "what is wrong in form is wrong without it")
	server.Start()
	require.Eventually(t, func() bool { return b.PG.Ping(t.Context()) == nil }, testkit.WaitTimeout, 20*time.Millisecond)
	require.True(t, b.notify(t))
	require.Equal(t, 1, b.count(t, "transactions", "type = 'deposit'"))
	b.requireSound(t)
}

// A commit that was not answered and was not carried out, after which another process decided the same payment: what
// was meant is not answered.
func TestAnUnansweredCommitIsNotConfusedWithAnotherProcess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.False(t, b.notify(t), "the other process found no request")
	stands := b.onlyPayment(t)
	n, err := readFields(PhaseNotification, mustParse(t, notifyBody()), fixture.Caracas)
	require.NoError(t, err)
	p := &pending{n: n, e: &event{id: uuid.Must(uuid.NewV7())}, key: stands.ID}
	p.decision = decision{id: stands.ID, state: models.PaymentCredited}
	require.NoError(t, b.findBatch(t.Context(), []*pending{p}, storage.ErrUnknownOutcome))
	require.ErrorIs(t, p.err, apperr.ErrStore, "the bank asks again and gets the stored answer")
	require.False(t, p.answer)
	require.False(t, p.e.stored, "its own event is still to be written")
	p.e.id = stands.EventID
	p.err = nil
	require.NoError(t, b.findBatch(t.Context(), []*pending{p}, storage.ErrUnknownOutcome))
	require.NoError(t, p.err, "it was its own")
	require.False(t, p.answer, "what is stored is answered")
}

func mustParse(t testing.TB, body string) object {
	t.Helper()
	fields, err := parseObject([]byte(body))
	require.NoError(t, err)
	return fields
}

// The database is killed repeatedly under load: every answer given stays true, and nothing is credited twice, whether
// or not the unanswered commits succeeded.
func TestDatabaseKilledUnderLoad(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	server := testkit.StartPostgres(t)
	b := setupOn(t, env, server.Open(t, env.Log))
	for i := range killPayments {
		b.expect(t, func(n *NewRequest) { n.Reference, n.Bank, n.Amount = killReference(i), "0134", "1.00" })
	}
	answered := make([]atomic.Bool, killPayments)
	stop := make(chan struct{})
	var running sync.WaitGroup
	for worker := range 8 {
		running.Go(func() {
			for i := worker; ; i = (i + 8) % killPayments {
				select {
				case <-stop:
					return
				default:
				}
				reply := b.Answer(t.Context(), call(PhaseNotification, notifyBody("Referencia", killReference(i), "Monto", "1.00")))
				switch {
				case reply.Status == http.StatusOK && string(reply.Body) == `{"abono":true}`:
					answered[i].Store(true)
				case reply.Status == http.StatusOK:
					t.Errorf("payment %d was answered false", i)
				}
			}
		})
	}
	for range 3 {
		time.Sleep(100 * time.Millisecond)
		server.Kill()
		server.Start()
	}
	require.Eventually(t, func() bool { return b.PG.Ping(t.Context()) == nil }, testkit.WaitTimeout, 20*time.Millisecond)
	close(stop)
	running.Wait()
	for i := range killPayments {
		if answered[i].Load() {
			require.Equal(t, 1, b.count(t, "bank_payments", "reference = $1 AND state = 'credited'", killReference(i)))
		}
		require.True(t, b.notify(t, "Referencia", killReference(i), "Monto", "1.00"))
	}
	require.Equal(t, killPayments, b.count(t, "transactions", "type = 'deposit'"))
	b.requireSound(t)
}

// What refused calls in their thousands do to the bank's own: its answers stay right and quick.
func TestFloodDoesNotDelayTheBank(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	b := setup(t)
	const payments = 300
	for i := range 2 * payments {
		b.expect(t, func(n *NewRequest) { n.Reference, n.Bank, n.Amount = killReference(i), "0134", "1.00" })
	}
	measure := func(from int) (p50, p99 time.Duration) {
		took := make([]time.Duration, payments)
		for i := range took {
			begin := time.Now()
			require.True(t, b.notify(t, "Referencia", killReference(from+i), "Monto", "1.00"))
			took[i] = time.Since(begin)
		}
		slices.Sort(took)
		return took[payments/2], took[payments*99/100]
	}
	quiet50, quiet99 := measure(0)

	stop := make(chan struct{})
	var flooding sync.WaitGroup
	var refused atomic.Int64
	for worker := range 16 {
		flooding.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				c := call(PhaseNotification, notifyBody())
				if worker%2 == 0 {
					c.Peer = "198.51.100.9:1"
				} else {
					c.Authorization = []string{"00000000-0000-0000-0000-000000000000"}
				}
				if status := b.Answer(t.Context(), c).Status; status < http.StatusBadRequest {
					t.Errorf("a refused call was answered %d", status)
				}
				refused.Add(1)
				time.Sleep(100 * time.Microsecond) // the attacker's machine is not ours
			}
		})
	}
	begin := time.Now()
	loud50, loud99 := measure(payments)
	elapsed := time.Since(begin)
	close(stop)
	flooding.Wait()
	t.Logf("quiet: p50 %v, p99 %v; beside %.0f refused calls/s: p50 %v, p99 %v", quiet50, quiet99,
		float64(refused.Load())/elapsed.Seconds(), loud50, loud99)
	require.Greater(t, refused.Load(), int64(payments), "there was a flood")
	require.Less(t, loud50, max(250*time.Millisecond, 20*quiet50), "it is a few milliseconds on an idle machine")
	require.NoError(t, b.Flush(t.Context()))
	require.LessOrEqual(t, b.count(t, "bank_events", "outcome IN ('address', 'token')"), sampleTotal)
	b.requireSound(t)
}
