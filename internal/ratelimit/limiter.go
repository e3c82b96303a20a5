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

	"banca/internal/clock"
)

const (
	unsettledMost = 10                     // requests of one client that Redis does not know of
	settleEvery   = 100 * time.Millisecond // after which it is told
	settleBatch   = 128                    // clients told of in one round trip
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

// Verdict is the answer for one request, and what the client is told about it.
type Verdict struct {
	Allowed   bool
	Limit     int
	Remaining int           // requests that may follow at once
	Reset     time.Duration // until the whole limit is there again
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
	buckets *otter.Cache[Client, *bucket]
	away    atomic.Bool // Redis does not answer

	mu    sync.Mutex
	dirty []*bucket // have something to tell
}

// New returns a limiter. What it admits by itself is told by Run, or else with later requests.
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
		buckets: otter.Must(&otter.Options[Client, *bucket]{
			MaximumSize: clientsKept, ExpiryCalculator: otter.ExpiryAccessing[Client, *bucket](o.Window),
		}),
	}, nil
}

// Take counts a request of a client and says whether it is admitted. It waits for Redis where the client is new or has
// used half of its limit, and at most Options.AskTimeout. A request of an IPv6 address counts against its site, too, see Limits.Site:
// a holder of a /48 has 65,536 networks. Requests of users, devices and browsers do not.
func (l *Limiter) Take(ctx context.Context, client Client) Verdict {
	v := l.takeOne(ctx, client)
	site, ok := client.site()
	if !ok || !v.Allowed { // what is refused anyway spends nothing of the site's
		return v
	}
	if ofSite := l.takeOne(ctx, site); !ofSite.Allowed {
		return ofSite
	}
	return v
}

func (l *Limiter) takeOne(ctx context.Context, client Client) Verdict {
	now := l.options.Clock.Now()
	b := l.bucket(client)
	b.mu.Lock()
	switch {
	case l.away.Load():
		return l.decide(b, now)
	case b.known && b.class.rate.wait(b.store, now) > 0: // Redis need not be asked again: it will not admit one earlier
		defer b.mu.Unlock()
		return b.verdict(now, false)
	case b.easy(now):
		return l.decide(b, now)
	default:
		return l.ask(ctx, b)
	}
}

// bucket finds or makes the bucket of a client.
func (l *Limiter) bucket(client Client) *bucket {
	if b, ok := l.buckets.GetIfPresent(client); ok {
		return b
	}
	b, _ := l.buckets.SetIfAbsent(client, &bucket{client: client, class: l.class(client)})
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

// decide admits or refuses by what is known here. The caller holds the bucket's lock, which this gives back.
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

// ask has Redis decide, and tells it of what was admitted before. As decide for the lock.
func (l *Limiter) ask(ctx context.Context, b *bucket) Verdict {
	before := b.send()
	b.asking++
	b.mu.Unlock()
	answer, err := l.call(ctx, l.redis, b, before+1)
	now := l.options.Clock.Now()
	b.mu.Lock()
	b.asking--
	if err != nil {
		b.keep(before)
		return l.decide(b, now)
	}
	defer b.mu.Unlock()
	b.learn(now.Add(answer.ResetAfter), before)
	return b.verdict(now, answer.Allowed > before)
}

// call takes n requests off what Redis has left for the client, or all that is left. A client that goes away does not
// stop it: what it admitted must be counted.
func (l *Limiter) call(ctx context.Context, through *redis_rate.Limiter, b *bucket, n int) (*redis_rate.Result, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.options.AskTimeout)
	defer cancel()
	answer, err := through.AllowAtMost(ctx, b.client.key(), b.class.limit, n)
	if changed := l.away.Swap(err != nil) != (err != nil); changed {
		l.tell(ctx, err)
	}
	if err != nil {
		return nil, err
	}
	answer.ResetAfter = answer.ResetAfter.Round(time.Microsecond) // the precision of Redis' clock; what is finer is noise of its floats
	return answer, nil
}

// tell logs that Redis has gone or come back.
func (l *Limiter) tell(ctx context.Context, err error) {
	if err != nil {
		l.options.Log.WarnContext(ctx, "Redis does not count requests, every process counts alone", slog.Any("error", err))
		return
	}
	l.options.Log.InfoContext(ctx, "Redis counts requests again")
}
