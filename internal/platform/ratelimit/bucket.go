package ratelimit

import (
	"sync"
	"time"
)

// rate is a limit in the terms of the algorithm.
type rate struct {
	requests int
	every    time.Duration // in which one request comes back
}

// left returns the number of requests that may follow at once, where full is the instant at which the limit is full
// again.
func (r *rate) left(full, now time.Time) int {
	missing := max(0, full.Sub(now))
	return max(0, int((r.span()-missing)/r.every))
}

// span is how long a whole limit takes to come back.
func (r *rate) span() time.Duration { return r.every * time.Duration(r.requests) }

// wait is how long it takes until one request may follow; not above zero means now.
func (r *rate) wait(full, now time.Time) time.Duration { return full.Sub(now) + r.every - r.span() }

// bucket is the state of a client in this process.
type bucket struct {
	client Client
	class  *class

	reported sync.Cond // of mu: an answer about reporting has come

	mu         sync.Mutex
	full       time.Time // when the limit is full again, counting unreported requests
	store      time.Time // the same in Redis; never decreases, so answers may arrive in any order
	known      bool      // Redis has been asked
	unreported int       // admitted here and not reported to Redis
	reporting  int       // being reported
	asking     int       // requests that Redis is being asked about
	queued     bool      // for the background
}

func newBucket(client Client, of *class) *bucket {
	b := &bucket{client: client, class: of}
	b.reported.L = &b.mu
	return b
}

// easy reports whether a request can be admitted without asking.
func (b *bucket) easy(now time.Time) bool {
	r := &b.class.rate
	return b.known && b.unreported+b.reporting < maxUnreported && r.left(b.full, now)-b.asking-1 >= r.requests/2
}

// admit counts a request that is reported to Redis later.
func (b *bucket) admit(now time.Time) {
	r := &b.class.rate
	b.full = latest(b.full, now).Add(r.every)
	b.unreported = min(b.unreported+1, r.requests) // Redis has been away: it cannot take more than a whole limit
}

// send takes the unreported requests in order to report them.
func (b *bucket) send() int {
	n := b.unreported
	b.unreported, b.reporting = 0, b.reporting+n
	return n
}

// restore returns requests whose report failed.
func (b *bucket) restore(n int) {
	b.reporting -= n
	b.unreported = min(b.unreported+n, b.class.rate.requests)
	b.reported.Broadcast()
}

// update updates the bucket with an answer of Redis that counts n more requests. Answers to calls that overlap may count
// the requests of each other, so full counts too many until the last of them has come.
func (b *bucket) update(full time.Time, n int) {
	b.reporting -= n
	b.known = true
	b.store = latest(b.store, full)
	b.full = b.store.Add(time.Duration(b.unreported+b.reporting) * b.class.rate.every)
	b.reported.Broadcast()
}

// verdict describes the client's state for the answer.
func (b *bucket) verdict(now time.Time, allowed bool) Verdict {
	r := &b.class.rate
	v := Verdict{Allowed: allowed, Limit: r.requests, Reset: max(0, b.full.Sub(now))}
	if allowed {
		v.Remaining = r.left(b.full, now)
		return v
	}
	v.Retry = max(r.wait(b.full, now), time.Nanosecond)
	return v
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
