package ratelimit

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-redis/redis_rate/v10"
)

// Run tells Redis in the background what was admitted without it, until ctx ends, and then the rest.
func (l *Limiter) Run(ctx context.Context) {
	ticks := time.NewTicker(settleEvery)
	defer ticks.Stop()
	waited := time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
			defer cancel()
			l.settle(end, l.take(clientsKept))
			return
		case <-ticks.C:
		}
		if !l.away.Load() {
			l.settle(ctx, l.take(clientsKept))
			continue
		}
		if waited += settleEvery; waited >= retryEvery {
			waited = 0
			l.settle(ctx, l.take(1)) // one that goes well ends the absence
		}
	}
}

// enqueue notes a bucket that has something to tell. Under attack by more clients than are kept the rest is told with
// their later requests.
func (l *Limiter) enqueue(b *bucket) {
	l.mu.Lock()
	fits := len(l.dirty) < clientsKept
	if fits {
		l.dirty = append(l.dirty, b)
	}
	l.mu.Unlock()
	if !fits {
		b.mu.Lock()
		b.queued = false
		b.mu.Unlock()
	}
}

// take removes up to most buckets from those that wait.
func (l *Limiter) take(most int) []*bucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	if most >= len(l.dirty) {
		taken := l.dirty
		l.dirty = nil
		return taken
	}
	taken := append([]*bucket(nil), l.dirty[:most]...)
	l.dirty = append(l.dirty[:0], l.dirty[most:]...)
	return taken
}

// settle tells Redis what the buckets have admitted. What cannot be told waits for the next time.
func (l *Limiter) settle(ctx context.Context, buckets []*bucket) {
	for part := range slices.Chunk(buckets, settleBatch) {
		trip := newTrip(l.options.Redis, len(part))
		through := redis_rate.NewLimiter(trip)
		var telling sync.WaitGroup
		for _, b := range part {
			telling.Go(func() { l.settleOne(ctx, trip, through, b) })
		}
		telling.Wait()
	}
}

func (l *Limiter) settleOne(ctx context.Context, trip *trip, through *redis_rate.Limiter, b *bucket) {
	b.mu.Lock()
	b.queued = false
	n := b.send()
	b.mu.Unlock()
	if n == 0 { // a request has told it
		trip.withdraw(ctx)
		return
	}
	answer, err := l.call(ctx, through, b, n)
	if err != nil {
		l.putBack(b, n)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.learn(l.options.Clock.Now().Add(answer.ResetAfter), n)
}

// putBack has a bucket try again what it could not tell.
func (l *Limiter) putBack(b *bucket, n int) {
	b.mu.Lock()
	b.keep(n)
	first := !b.queued
	b.queued = true
	b.mu.Unlock()
	if first {
		l.enqueue(b)
	}
}
