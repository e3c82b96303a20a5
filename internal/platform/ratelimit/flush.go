package ratelimit

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-redis/redis_rate/v10"
)

// Run reports requests to Redis in the background until ctx ends, and then the rest.
func (l *Limiter) Run(ctx context.Context) {
	ticks := time.NewTicker(flushInterval)
	defer ticks.Stop()
	waited := time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
			defer cancel()
			l.flush(end, l.take(clientsKept))
			return
		case <-ticks.C:
		}
		if !l.away.Load() {
			l.flush(ctx, l.take(clientsKept))
			continue
		}
		if waited += flushInterval; waited >= retryEvery {
			waited = 0
			l.flush(ctx, l.take(1)) // a success ends the outage
		}
	}
}

// enqueue queues a bucket that has requests to report. If more clients than are kept send requests, the rest is
// reported with their later requests.
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

// take removes up to most buckets from the queue.
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

// flush reports the requests of the buckets to Redis. Failed reports are repeated later.
func (l *Limiter) flush(ctx context.Context, buckets []*bucket) {
	for part := range slices.Chunk(buckets, flushBatch) {
		trip := newTrip(l.options.Redis, len(part))
		through := redis_rate.NewLimiter(trip)
		var reporting sync.WaitGroup
		for _, b := range part {
			reporting.Go(func() { l.flushOne(ctx, trip, through, b) })
		}
		reporting.Wait()
	}
}

func (l *Limiter) flushOne(ctx context.Context, trip *trip, through *redis_rate.Limiter, b *bucket) {
	b.mu.Lock()
	b.queued = false
	n := b.send()
	b.mu.Unlock()
	if n == 0 { // a request has reported them
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
	b.update(l.options.Clock.Now().Add(answer.ResetAfter), n)
}

// putBack queues a bucket again whose report failed.
func (l *Limiter) putBack(b *bucket, n int) {
	b.mu.Lock()
	b.restore(n)
	first := !b.queued
	b.queued = true
	b.mu.Unlock()
	if first {
		l.enqueue(b)
	}
}
