package ratelimit

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// newLimiter returns the limiter of one process, whose window is so long that nothing refills within a test.
func newLimiter(t testing.TB, client redis.UniversalClient, requests int, log *slog.Logger) *Limiter {
	t.Helper()
	l, err := New(Options{
		Limits: Limits{Requests: requests, Device: requests, Browser: requests}, Window: 24 * time.Hour, Redis: client, Clock: clock.System{}, Log: log,
		AskTimeout: testkit.WaitTimeout, // a busy machine is no Redis that is away
	})
	require.NoError(t, err)
	return l
}

// run runs the background part until the test ends.
func run(t testing.TB, l *Limiter) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); l.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
}

// calls counts the commands that a client sends to Redis.
type calls struct{ n atomic.Int64 }

func (c *calls) DialHook(next redis.DialHook) redis.DialHook { return next }
func (c *calls) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error { c.n.Add(1); return next(ctx, cmd) }
}
func (c *calls) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// takes returns a function that sends requests and counts the admitted ones.
func takes(t *testing.T, l *Limiter, client Client, requests int, admitted *atomic.Int64) func() {
	t.Helper()
	return func() {
		for range requests {
			if l.Take(t.Context(), client).Allowed {
				admitted.Add(1)
			}
		}
	}
}

func TestOneProcessNeverExceedsTheLimit(t *testing.T) {
	t.Parallel()
	for _, requests := range []int{1, 2, 5, 20, 100, 500} {
		env := testkit.New(t)
		l := newLimiter(t, env.Redis, requests, env.Log)
		run(t, l)
		client := User(uuid.New())
		var admitted atomic.Int64
		var senders sync.WaitGroup
		for range 16 {
			senders.Go(takes(t, l, client, requests, &admitted))
		}
		senders.Wait()
		assert.EqualValues(t, requests, admitted.Load())
	}
}

// Requests that are being reported count before Redis knows of them, however long the report takes.
func TestAReportThatIsUnderWayCounts(t *testing.T) {
	t.Parallel()
	const requests, told = 20, 8
	env := testkit.New(t)
	l := newLimiter(t, env.Redis, requests, env.Log)
	client := User(uuid.New())
	b := l.bucket(client)
	now := time.Now()
	b.known, b.store, b.reporting, b.full = true, now, told, now.Add(told*b.class.rate.every)
	var admitted atomic.Int64
	var senders sync.WaitGroup
	for range 16 {
		senders.Go(takes(t, l, client, requests, &admitted))
	}
	time.Sleep(50 * time.Millisecond) // all of them wait
	answer, err := l.call(t.Context(), l.redis, b, told)
	require.NoError(t, err)
	b.mu.Lock()
	b.update(time.Now().Add(answer.ResetAfter), told)
	b.mu.Unlock()
	senders.Wait()
	assert.EqualValues(t, requests-told, admitted.Load())
}

// Several processes together admit more than the limit by what each may leave untold, and no more.
func TestSeveralProcesses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ processes, requests int }{{2, 500}, {10, 200}, {4, 10}} {
		env := testkit.New(t)
		client := User(uuid.New())
		var admitted atomic.Int64
		var senders sync.WaitGroup
		for range c.processes {
			l := newLimiter(t, env.Redis, c.requests, env.Log)
			run(t, l)
			for range 4 {
				senders.Go(takes(t, l, client, c.requests, &admitted))
			}
		}
		senders.Wait()
		assert.GreaterOrEqual(t, admitted.Load(), int64(c.requests))
		assert.LessOrEqual(t, admitted.Load(), int64(c.requests+c.processes*maxUnreported), "%d processes", c.processes)
	}
}

// A client far from its limit costs one call in about ten requests; a refused one costs none.
func TestRedisIsAskedSeldom(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	made := &calls{}
	env.Redis.AddHook(made)
	l := newLimiter(t, env.Redis, 500, env.Log)
	client := User(uuid.New())
	l.Take(t.Context(), client) // loads the script
	before := made.n.Load()
	for range 220 {
		require.True(t, l.Take(t.Context(), client).Allowed)
	}
	assert.LessOrEqual(t, made.n.Load()-before, int64(20))
	for l.Take(t.Context(), client).Allowed {
	}
	before = made.n.Load()
	for range 100 {
		assert.False(t, l.Take(t.Context(), client).Allowed)
	}
	assert.Equal(t, before, made.n.Load())
}

// The other processes soon learn of the requests that one admitted itself.
func TestBackgroundReports(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	l, other := newLimiter(t, env.Redis, 100, env.Log), newLimiter(t, env.Redis, 100, env.Log)
	run(t, l)
	client := User(uuid.New())
	for range 5 {
		l.Take(t.Context(), client)
	}
	require.Eventually(t, func() bool { return reported(l, client) }, testkit.WaitTimeout, flushInterval)
	assert.Equal(t, 94, other.Take(t.Context(), client).Remaining)
}

// Run reports the remaining requests when it ends.
func TestShutdownReports(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	l, other := newLimiter(t, env.Redis, 100, env.Log), newLimiter(t, env.Redis, 100, env.Log)
	client := User(uuid.New())
	for range 5 {
		l.Take(t.Context(), client)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	l.Run(ended)
	assert.Equal(t, 94, other.Take(t.Context(), client).Remaining)
}

const (
	refill    = 5 * time.Second // after which one request more is admitted
	tolerance = 10 * time.Millisecond
)

// reported reports whether all requests that l admitted for the client are reported to Redis.
func reported(l *Limiter, client Client) bool {
	b := l.bucket(client)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.unreported+b.reporting == 0
}

func TestHeadersOfADecision(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	l, err := New(Options{Limits: Limits{Requests: 4, Device: 1, Browser: 1}, Window: 4 * refill, Redis: env.Redis, Clock: clock.System{}, Log: env.Log, AskTimeout: testkit.WaitTimeout})
	require.NoError(t, err)
	client := Address(netip.MustParseAddr("192.0.2.1"))
	begin := time.Now()
	// near reports whether got is whole minus the time that has passed since.
	near := func(whole, got time.Duration) bool {
		return got <= whole+tolerance && got >= whole-time.Since(begin)-tolerance
	}
	for i := range 4 {
		v := l.Take(t.Context(), client)
		assert.True(t, v.Allowed)
		assert.Equal(t, 4, v.Limit)
		assert.Equal(t, 3-i, v.Remaining)
		assert.True(t, near(time.Duration(i+1)*refill, v.Reset), "%s", v.Reset)
		assert.Zero(t, v.Retry)
	}
	v := l.Take(t.Context(), client)
	require.Less(t, time.Since(begin), refill, "the machine is too slow for this test")
	assert.False(t, v.Allowed)
	assert.Zero(t, v.Remaining)
	assert.True(t, near(refill, v.Retry), "%s", v.Retry)
	time.Sleep(v.Retry)
	assert.True(t, l.Take(t.Context(), client).Allowed, "who waits as long as told is served")
	assert.False(t, l.Take(t.Context(), client).Allowed)
	assert.True(t, l.Take(t.Context(), Address(netip.MustParseAddr("192.0.2.2"))).Allowed, "another client")
}

// Without Redis each process goes on counting alone, logs it once, and reports to Redis when it is back.
func TestCountingContinuesWithoutRedis(t *testing.T) {
	t.Parallel()
	server := testkit.StartRedis(t)
	options, err := redis.ParseURL(server.URL())
	require.NoError(t, err)
	options.ContextTimeoutEnabled, options.MaxRetries, options.DialerRetries = true, -1, 1
	db := redis.NewClient(options)
	t.Cleanup(func() { _ = db.Close() })
	var out lockedText
	l := newLimiter(t, db, 50, slog.New(slog.NewTextHandler(&out, nil)))
	run(t, l)
	client := User(uuid.New())
	require.True(t, l.Take(t.Context(), client).Allowed)
	server.Stop()
	admitted := 1
	for range 100 {
		if l.Take(t.Context(), client).Allowed {
			admitted++
		}
	}
	assert.Equal(t, 50, admitted, "the local count goes on limiting")
	assert.True(t, l.Take(t.Context(), User(uuid.New())).Allowed, "and serves others")
	assert.Equal(t, 1, strings.Count(out.String(), "counts alone"), out.String())
	server.Start()
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "counts requests again") }, testkit.WaitTimeout, 20*time.Millisecond)
	require.Eventually(t, func() bool { return reported(l, client) }, testkit.WaitTimeout, flushInterval)
	assert.False(t, newLimiter(t, db, 50, slog.New(slog.DiscardHandler)).Take(t.Context(), client).Allowed, "Redis knows them all")
}

// A Redis that hangs costs the first request its bounded wait, and the others nothing.
func TestRedisHangs(t *testing.T) {
	t.Parallel()
	server := testkit.StartRedis(t)
	options, err := redis.ParseURL(server.URL())
	require.NoError(t, err)
	options.ContextTimeoutEnabled, options.MaxRetries = true, -1
	db := redis.NewClient(options)
	t.Cleanup(func() { _ = db.Close() })
	l := newLimiter(t, db, 500, slog.New(slog.DiscardHandler))
	require.True(t, l.Take(t.Context(), User(uuid.New())).Allowed)
	l.options.AskTimeout = askTimeout
	server.Pause()
	defer server.Resume()
	begin := time.Now()
	for range 200 {
		assert.True(t, l.Take(t.Context(), User(uuid.New())).Allowed)
	}
	assert.Less(t, time.Since(begin), 20*askTimeout, "and not a wait for each of 200")
}

// The memory is bounded by the number of clients that are kept, with Redis and without.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	l := newLimiter(t, env.Redis, 500, slog.New(slog.DiscardHandler))
	l.away.Store(true)
	for range clientsKept + 20_000 {
		l.Take(t.Context(), User(uuid.New()))
	}
	kept, ok := l.buckets.(*otter.Cache[Client, *bucket]) //nolint:forbidigo // to clean up
	require.True(t, ok)
	kept.CleanUp()
	assert.LessOrEqual(t, kept.EstimatedSize(), clientsKept)
	assert.LessOrEqual(t, len(l.dirty), clientsKept)
}

func TestARequestOfADisconnectedClientIsCounted(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	l := newLimiter(t, env.Redis, 10, env.Log)
	gone, leave := context.WithCancel(t.Context())
	leave()
	client := User(uuid.New())
	assert.Equal(t, 9, l.Take(gone, client).Remaining)
	assert.False(t, l.away.Load())
}

type lockedText struct {
	mu sync.Mutex
	strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.String()
}

// Each class has a limit of its own, and no client uses up the limit of another class, whatever their ids.
func TestClassesAreIndependent(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	limits := Limits{Requests: 3, Device: 5, Browser: 8}
	process := func() *Limiter {
		l, err := New(Options{Limits: limits, Window: 24 * time.Hour, Redis: env.Redis, Clock: clock.System{}, Log: env.Log, AskTimeout: testkit.WaitTimeout})
		require.NoError(t, err)
		return l
	}
	l, id := process(), uuid.New()
	for _, c := range []struct {
		client Client
		limit  int
	}{
		{User(id), limits.Requests}, {Device(id), limits.Device}, {Browser(id), limits.Browser}, {Address(netip.AddrFrom16(id)), limits.Requests},
	} {
		for i := range c.limit {
			v := l.Take(t.Context(), c.client)
			assert.True(t, v.Allowed)
			assert.Equal(t, c.limit, v.Limit)
			assert.Equal(t, c.limit-i-1, v.Remaining)
		}
		for _, process := range []*Limiter{l, process()} {
			v := process.Take(t.Context(), c.client)
			assert.False(t, v.Allowed, "of every process")
			assert.Equal(t, c.limit, v.Limit)
		}
	}
	for _, wrong := range []Limits{{}, {Requests: 1, Device: 1}, {Requests: 1, Browser: 1}, {Device: 1, Browser: 1}, {Requests: 3, Device: 1, Browser: 1, Site: 2}} {
		_, err := New(Options{Limits: wrong, Window: time.Hour, Redis: env.Redis, Clock: clock.System{}, Log: env.Log})
		require.Error(t, err)
	}
}

// BenchmarkTake measures a request that is admitted without Redis, as nearly every one is.
func BenchmarkTake(b *testing.B) {
	env := testkit.New(b)
	l := newLimiter(b, env.Redis, 100_000_000, env.Log)
	client := User(uuid.New())
	b.ReportAllocs()
	for b.Loop() {
		l.Take(b.Context(), client)
	}
}

// The networks of one IPv6 site share a limit; those of another site, and IPv4 addresses, do not count against it.
func TestTheNetworksOfASiteShareALimit(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	const requests, site = 5, 20
	l := newSiteLimiter(t, env.Redis, Limits{Requests: requests, Device: requests, Browser: requests, Site: site})
	admitted := map[string]int{}
	for i := range 200 {
		for name, format := range map[string]string{
			"site": "2001:db8:1:%x::1", "another site": "2001:db8:2:%x::1", "one network": "2001:db8:3::%x", "IPv4": "192.0.2.%d", "mapped": "::ffff:198.51.100.%d",
		} {
			v := l.Take(t.Context(), Address(netip.MustParseAddr(fmt.Sprintf(format, i))))
			if v.Allowed {
				admitted[name]++
			} else {
				assert.Positive(t, v.Retry, name)
			}
		}
	}
	assert.Equal(t, map[string]int{"site": site, "another site": site, "one network": requests, "IPv4": 200, "mapped": 200}, admitted)
}

func newSiteLimiter(t testing.TB, client redis.UniversalClient, limits Limits) *Limiter {
	t.Helper()
	l, err := New(Options{Limits: limits, Window: 24 * time.Hour, Redis: client, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler), AskTimeout: testkit.WaitTimeout})
	require.NoError(t, err)
	return l
}

// By default 99 subscribers of a carrier's /48 that use up their limits leave requests to the others.
func TestAFewSubscribersDoNotUseUpTheLimitOfTheirNetwork(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	const requests = 3
	l := newLimiter(t, env.Redis, requests, env.Log)
	subscriber := func(i int) Client { return Address(netip.MustParseAddr(fmt.Sprintf("2001:db8:1:%x::1", i))) }
	for i := range 99 {
		for range requests + 2 { // a request that the address's limit refuses is not counted
			l.Take(t.Context(), subscriber(i))
		}
	}
	for range requests {
		assert.True(t, l.Take(t.Context(), subscriber(100)).Allowed)
	}
	assert.False(t, l.Take(t.Context(), subscriber(101)).Allowed)
}

// Requests of users, devices and browsers neither count against a site nor are refused by it, whatever their ids.
func TestRequestsOfPrincipalsDoNotCountForTheirNetwork(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	l := newSiteLimiter(t, env.Redis, Limits{Requests: 2, Device: 2, Browser: 2, Site: 2})
	a := netip.MustParseAddr("2001:db8:1::")
	id := uuid.UUID(a.As16())
	for range 2 {
		for _, client := range []Client{User(id), Device(id), Browser(id)} {
			require.True(t, l.Take(t.Context(), client).Allowed)
		}
	}
	for range 2 {
		require.True(t, l.Take(t.Context(), Address(a)).Allowed, "nothing is counted yet")
	}
	require.False(t, l.Take(t.Context(), Address(netip.MustParseAddr("2001:db8:1:1::1"))).Allowed, "the site is used up")
	assert.True(t, l.Take(t.Context(), User(uuid.New())).Allowed)
}
