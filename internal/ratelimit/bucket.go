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

// left is how many requests may follow at once when the whole limit is there again at full.
func (r *rate) left(full, now time.Time) int {
	missing := max(0, full.Sub(now))
	return max(0, int((r.span()-missing)/r.every))
}

// span is how long a whole limit takes to come back.
func (r *rate) span() time.Duration { return r.every * time.Duration(r.requests) }

// wait is how long it takes until one request may follow; not above zero means now.
func (r *rate) wait(full, now time.Time) time.Duration { return full.Sub(now) + r.every - r.span() }

// bucket is what this process knows of a client.
type bucket struct {
	client Client
	class  *class

	mu     sync.Mutex
	full   time.Time // when the whole limit is there again, counting what Redis does not know yet
	store  time.Time // the same, as Redis last said; it only moves forward, so answers may come in any order
	known  bool      // Redis has been asked
	open   int       // admitted here and not told
	sent   int       // being told
	asking int       // requests that Redis is being asked about
	queued bool      // for the background
}

// easy reports whether a request can be admitted without asking.
func (b *bucket) easy(now time.Time) bool {
	r := &b.class.rate
	return b.known && b.open+b.sent < unsettledMost && r.left(b.full, now)-b.asking-1 >= r.requests/2
}

// admit counts a request that Redis is told of later.
func (b *bucket) admit(now time.Time) {
	r := &b.class.rate
	b.full = latest(b.full, now).Add(r.every)
	b.open = min(b.open+1, r.requests) // Redis has been away: it cannot take more than a whole limit
}

// send takes what is to be told.
func (b *bucket) send() int {
	n := b.open
	b.open, b.sent = 0, b.sent+n
	return n
}

// keep takes back what could not be told.
func (b *bucket) keep(n int) {
	b.sent -= n
	b.open = min(b.open+n, b.class.rate.requests)
}

// learn takes in what Redis answered, and that it knows of n more.
func (b *bucket) learn(full time.Time, n int) {
	b.sent -= n
	b.known = true
	b.store = latest(b.store, full)
	b.full = latest(b.full, full.Add(time.Duration(b.open+b.sent)*b.class.rate.every))
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
