package bank

import (
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/alerts"
)

// refusedEvent returns the event of a call that a check refused.
func refusedEvent(check, address string, at time.Time) *event {
	return &event{phase: PhaseQuery, at: at, from: netip.MustParseAddr(address), validFrom: true, outcome: check, status: 403}
}

// An alert counts all calls of its kind, address and hour. It is counted on after it was acknowledged, and then is open again;
// the next hour and another kind are other alerts.
func TestAlertsAreCountedByKindAddressAndHour(t *testing.T) {
	t.Parallel()
	b := setup(t)
	refuse := func(n int, check, address string) {
		for range n {
			b.recorder.record(refusedEvent(check, address, b.Clock.Now()), b.Clock.Now())
		}
		require.NoError(t, b.Flush(t.Context()))
	}
	counts := func(f alerts.Filter) (list []int64) {
		f.Limit = 20
		found, total, err := b.alerts.List(t.Context(), b.admin, &f)
		require.NoError(t, err)
		require.Len(t, found, int(total))
		for _, a := range found {
			list = append(list, a.Count)
		}
		slices.Sort(list)
		return list
	}
	refuse(30, CheckAddress, "198.51.100.1")
	refuse(3, CheckToken, "198.51.100.1")
	refuse(2, CheckAddress, "2001:db8:1:2::1")
	refuse(2, CheckAddress, "2001:db8:1:2:ffff::1") // of the same subscriber
	refuse(5, CheckMethod, "198.51.100.1")          // is no alert
	require.Equal(t, []int64{3, 4, 30}, counts(alerts.Filter{}))
	require.Equal(t, []int64{4, 30}, counts(alerts.Filter{Kind: alerts.AddressBlocked}))
	list, _, err := b.alerts.List(t.Context(), b.admin, &alerts.Filter{Kind: alerts.TokenWrong, Limit: 1})
	require.NoError(t, err)
	require.NoError(t, b.alerts.Acknowledge(t.Context(), b.admin, list[0].ID))
	require.Equal(t, []int64{4, 30}, counts(alerts.Filter{Open: true}))
	b.Clock.Advance(59 * time.Minute)
	refuse(1, CheckToken, "198.51.100.1")
	require.Equal(t, []int64{4, 4, 30}, counts(alerts.Filter{Open: true}), "a repetition reopens it")
	b.Clock.Advance(time.Minute)
	refuse(1, CheckToken, "198.51.100.1")
	require.Equal(t, []int64{1, 4, 4, 30}, counts(alerts.Filter{Open: true}))
}

// What a flush could not write is written by a later one: each event once, and every call is counted in its alert.
func TestABrokenFlushLosesNothing(t *testing.T) {
	t.Parallel()
	b, broken, breaker := breakable(t)
	calls := 0
	refuse := func() {
		broken.recorder.record(refusedEvent(CheckAddress, "198.51.100.1", b.Clock.Now()), b.Clock.Now())
		_, _ = broken.tokens.match([]string{testToken}, b.Clock.Now())
		calls++
	}
	for range 2 {
		refuse()
		require.Positive(t, breaker.Each(t, func() error { return broken.Flush(t.Context()) }, func(error) { refuse() }))
		b.Clock.Advance(time.Second)
	}
	require.NoError(t, broken.Flush(t.Context()))
	require.Equal(t, calls, b.count(t, "bank_events", "outcome = 'address'"))
	require.Equal(t, 1, b.count(t, "security_alerts", "count = $1 AND last_seen_at > first_seen_at", calls))
	require.Equal(t, 1, b.count(t, "bank_tokens", "true"))
}

// Calls are recorded while others are flushed: none is lost and none is written twice.
func TestCallsAreRecordedDuringFlushes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const recorders, each = 8, 60
	var running sync.WaitGroup
	for n := range recorders {
		running.Go(func() {
			for range each {
				e := refusedEvent(CheckJSON, "203.0.113.7", b.Clock.Now())
				e.slot = SlotCurrent // a call of the bank is always recorded
				b.recorder.record(e, b.Clock.Now())
				b.recorder.alert(alerts.TokenWrong, netip.AddrFrom4([4]byte{10, 0, 0, byte(n)}).String(), uuid.Nil, b.Clock.Now())
			}
		})
	}
	for range 4 {
		running.Go(func() {
			for range 10 {
				assert.NoError(t, b.Flush(t.Context()))
			}
		})
	}
	running.Wait()
	require.NoError(t, b.Flush(t.Context()))
	require.Equal(t, recorders*each, b.count(t, "bank_events", "outcome = 'json'"))
	require.Equal(t, recorders, b.count(t, "security_alerts", "count = $1", each))
}

// An event that Postgres refuses is dropped with its batch, and later events and all alerts are still written.
func TestAnInvalidEventDoesNotStopTheRecorder(t *testing.T) {
	t.Parallel()
	b, broken, _ := breakable(t) // is not flushed beside the test
	bad := refusedEvent(CheckAddress, "198.51.100.1", b.Clock.Now())
	bad.httpID = "a\x00b"
	broken.recorder.record(bad, b.Clock.Now())
	require.Error(t, broken.Flush(t.Context()))
	broken.recorder.record(refusedEvent(CheckAddress, "198.51.100.1", b.Clock.Now()), b.Clock.Now())
	require.NoError(t, broken.Flush(t.Context()))
	require.Equal(t, 1, b.count(t, "bank_events", "true"))
	require.Equal(t, 1, b.count(t, "security_alerts", "count = 2"))
}

// A queue that is full drops events and still counts their alerts.
func TestAFullRecorderStillCountsAlerts(t *testing.T) {
	t.Parallel()
	b, broken, _ := breakable(t)
	for range maxQueued + 10 {
		e := refusedEvent(CheckAddress, "198.51.100.1", b.Clock.Now())
		e.slot = SlotCurrent
		broken.recorder.record(e, b.Clock.Now())
	}
	require.Len(t, broken.recorder.events, maxQueued)
	require.EqualValues(t, 10, broken.recorder.dropped)
	for range maxQueued / flushBatch {
		require.NoError(t, broken.Flush(t.Context()))
	}
	require.Equal(t, maxQueued, b.count(t, "bank_events", "true"))
	require.Equal(t, 1, b.count(t, "security_alerts", "count = $1", maxQueued+10))
	require.Zero(t, broken.recorder.dropped)
}

// Keys beyond the limit of a meter share a count, and a new window, or a clock that is set back, begins at zero.
func TestMetersAreBounded(t *testing.T) {
	t.Parallel()
	m := newMeter(2, time.Minute)
	now := morning()
	for i := range maxMetered {
		require.True(t, m.allow(uuid.NewSHA1(uuid.Nil, []byte{byte(i >> 8), byte(i)}).String(), now))
	}
	for n, want := range []bool{true, true, false, false} {
		require.Equal(t, want, m.allow(uuid.NewString(), now), n)
	}
	require.LessOrEqual(t, len(m.counts), maxMetered+1)
	require.True(t, m.allow(uuid.NewSHA1(uuid.Nil, []byte{0, 0}).String(), now.Add(time.Minute-1)), "a known key has its own count")
	for _, at := range []time.Time{now.Add(time.Minute), now} {
		require.True(t, m.allow("", at), at)
		require.Len(t, m.counts, 1)
	}
}

// Contents and events are kept exactly as long as their retention, in however many batches they are trimmed; a second
// run changes nothing.
func TestTrimKeepsWhatIsWithinItsRetention(t *testing.T) {
	t.Parallel()
	b := setup(t)
	now := b.Clock.Now()
	insert := func(n int, age time.Duration) {
		rows := make([][]any, n)
		for i := range rows {
			rows[i] = []any{uuid.Must(uuid.NewV7()), PhaseQuery, "203.0.113.7", CheckJSON, 400, false, "[]", []byte("x"), int64(1), now.Add(-age)}
		}
		_, err := b.PG.Pool.CopyFrom(t.Context(), pgx.Identifier{"bank_events"},
			[]string{"id", "phase", "address", "outcome", "status", "answer", "checks", "raw", "duration_us", "received_at"}, pgx.CopyFromRows(rows))
		require.NoError(t, err)
	}
	o := options()
	const many = 2*trimBatch + 1
	insert(many, o.EventRetention+time.Microsecond)
	insert(2, o.EventRetention)
	insert(3, o.PayloadRetention+time.Microsecond)
	insert(4, o.PayloadRetention)
	changed, err := b.Trim(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, (many+2+3)+many, changed, "contents erased, events deleted")
	require.Equal(t, 2+3+4, b.count(t, "bank_events", "true"))
	require.Equal(t, 4, b.count(t, "bank_events", "raw IS NOT NULL"))
	changed, err = b.Trim(t.Context())
	require.NoError(t, err)
	require.Zero(t, changed)
}
