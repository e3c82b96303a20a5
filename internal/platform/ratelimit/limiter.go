package ratelimit

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/maypok86/otter/v2"
	"github.com/redis/go-redis/v9"

	"banca/internal/platform/cache"
	"banca/internal/platform/clock"
)

const (
	maxUnreported = 10                     // requests of one client that are not reported to Redis
	flushInterval = 100 * time.Millisecond // until they are reported in the background
	flushBatch    = 128                    // clients reported in one round trip
	askTimeout    = 250 * time.Millisecond // the default of Options.AskTimeout
	retryEvery    = time.Second            // how often Redis is tried while it is away
	endTimeout    = 2 * time.Second
	clientsKept   = 50_000
	siteFactor    = 100 // the default of Limits.Site, in limits of an address: a mobile carrier has up to 65,536 subscribers in a site
)

// Options are the settings of a limiter.
type Options struct {
	Limits Limits        // of requests that a client may make
	Window time.Duration // in which they come back
	Redis  redis.UniversalClient
	Clock  clock.Clock
	Log    *slog.Logger
	// AskTimeout bounds one call of Redis, after which the process decides alone; default 250 ms.
	AskTimeout time.Duration
}

// Limits are the requests that a client of each class may make. A client counts in one class only: no class spends the
// requests of another one.
type Limits struct {
	Requests int // a user of the API, or an address
	Device   int // a registered device
	Browser  int // a user of the panel
	Site     int // the networks of an IPv6 site together, for requests that count by address; default siteFactor * Requests
}

// class is the limit of one kind of clients.
type class struct {
	rate  rate
	limit redis_rate.Limit
}

func newClass(requests int, window time.Duration) class {
	return class{
		rate:  rate{requests: requests, every: window / time.Duration(requests)},
		limit: redis_rate.Limit{Rate: requests, Burst: requests, Period: window},
	}
}

// Verdict is the decision about one request, with the figures of its response headers.
type Verdict struct {
	Allowed   bool
	Limit     int
	Remaining int           // requests that may follow at once
	Reset     time.Duration // until the limit is full again
	Retry     time.Duration // until the next request is admitted; zero when this one is
}

// Limiter counts requests by client.
type Limiter struct {
	options Options
	general class // of users and addresses
	device  class
	browser class
	site    class // of an IPv6 site
	redis   *redis_rate.Limiter
	buckets cache.Cache[Client, *bucket]
	away    atomic.Bool // Redis does not answer

	mu    sync.Mutex
	dirty []*bucket // with requests to report
}

// New returns a limiter. Run reports the requests that it admits itself; without Run later requests do.
func New(o Options) (*Limiter, error) {
	least, most := min(o.Limits.Requests, o.Limits.Device, o.Limits.Browser), max(o.Limits.Requests, o.Limits.Device, o.Limits.Browser)
	o.Limits.Site = cmp.Or(o.Limits.Site, siteFactor*o.Limits.Requests)
	if least < 1 || o.Limits.Site < o.Limits.Requests || o.Window < time.Duration(max(most, o.Limits.Site)) {
		return nil, errors.New("ratelimit: a limit of each class and a window are required")
	}
	o.AskTimeout = cmp.Or(o.AskTimeout, askTimeout)
	return &Limiter{
		options: o,
		general: newClass(o.Limits.Requests, o.Window),
		device:  newClass(o.Limits.Device, o.Window),
		browser: newClass(o.Limits.Browser, o.Window),
		site:    newClass(o.Limits.Site, o.Window),
		redis:   redis_rate.NewLimiter(o.Redis),
		buckets: cache.New(&otter.Options[Client, *bucket]{
			MaximumSize: clientsKept, ExpiryCalculator: otter.ExpiryAccessing[Client, *bucket](o.Window),
		}),
	}, nil
}

// Take counts a request of a client and decides about it. It waits for Redis if the client is new or has used half of
// its limit, at most twice Options.AskTimeout. A request of an IPv6 address counts against its site, too, see Limits.Site:
// a holder of a /48 has 65,536 networks. Requests of users, devices and browsers do not.
func (l *Limiter) Take(ctx context.Context, client Client) Verdict {
	v := l.takeOne(ctx, client)
	site, ok := client.site()
	if !ok || !v.Allowed { // a refused request does not count against the site
		return v
	}
	if ofSite := l.takeOne(ctx, site); !ofSite.Allowed {
		return ofSite
	}
	return v
}

func (l *Limiter) takeOne(ctx context.Context, client Client) Verdict {
	b := l.bucket(client)
	b.mu.Lock()
	for {
		now := l.options.Clock.Now()
		switch {
		case l.away.Load():
			return l.decide(b, now)
		case b.known && b.class.rate.wait(b.store, now) > 0: // Redis need not be asked again: it will not admit one earlier
			defer b.mu.Unlock()
			return b.verdict(now, false)
		case b.easy(now):
			return l.decide(b, now)
		case b.reporting == 0:
			return l.ask(ctx, b)
		}
		b.reported.Wait() // Redis does not know of these requests yet, and would admit as many too many
	}
}

// bucket finds or makes the bucket of a client.
func (l *Limiter) bucket(client Client) *bucket {
	if b, ok := l.buckets.GetIfPresent(client); ok {
		return b
	}
	b, _ := l.buckets.SetIfAbsent(client, newBucket(client, l.class(client)))
	return b
}

// class returns the limit of a client.
func (l *Limiter) class(client Client) *class {
	switch client.kind {
	case kindDevice:
		return &l.device
	case kindBrowser:
		return &l.browser
	case kindSite:
		return &l.site
	default:
		return &l.general
	}
}

// decide admits or refuses by the state of this process. The caller holds the bucket's lock, which decide releases.
func (l *Limiter) decide(b *bucket, now time.Time) Verdict {
	if b.class.rate.left(b.full, now) < 1 {
		defer b.mu.Unlock()
		return b.verdict(now, false)
	}
	b.admit(now)
	first := !b.queued
	b.queued = true
	v := b.verdict(now, true)
	b.mu.Unlock()
	if first {
		l.enqueue(b)
	}
	return v
}

// ask has Redis decide, and reports the requests admitted before. It releases the bucket's lock as decide does.
func (l *Limiter) ask(ctx context.Context, b *bucket) Verdict {
	before := b.send()
	b.asking++
	b.mu.Unlock()
	answer, err := l.call(ctx, l.redis, b, before+1)
	now := l.options.Clock.Now()
	b.mu.Lock()
	b.asking--
	if err != nil {
		b.restore(before)
		return l.decide(b, now)
	}
	defer b.mu.Unlock()
	b.update(now.Add(answer.ResetAfter), before)
	return b.verdict(now, answer.Allowed > before)
}

// call takes n requests, or as many as are left, from the client's limit in Redis. It ignores the cancellation of
// ctx: admitted requests must be counted.
func (l *Limiter) call(ctx context.Context, through *redis_rate.Limiter, b *bucket, n int) (*redis_rate.Result, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.options.AskTimeout)
	defer cancel()
	answer, err := through.AllowAtMost(ctx, b.client.key(), b.class.limit, n)
	if changed := l.away.Swap(err != nil) != (err != nil); changed {
		l.logOutage(ctx, err)
	}
	if err != nil {
		return nil, err
	}
	answer.ResetAfter = answer.ResetAfter.Round(time.Microsecond) // the precision of Redis's clock; the rest is float noise
	return answer, nil
}

// logOutage logs when Redis becomes unavailable or available.
func (l *Limiter) logOutage(ctx context.Context, err error) {
	if err != nil {
		l.options.Log.WarnContext(ctx, "Redis does not count requests, every process counts alone", slog.Any("error", err))
		return
	}
	l.options.Log.InfoContext(ctx, "Redis counts requests again")
}
