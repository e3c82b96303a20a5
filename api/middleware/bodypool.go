package middleware

import (
	"context"
	"sync"
	"time"

	"banca/internal/platform/ratelimit"
)

// bodyPool is a weighted semaphore with a share for each client.
type bodyPool struct {
	size, share int64

	mu      sync.Mutex
	taken   int64
	of      map[ratelimit.Client]int64
	changed chan struct{} // closed by the next release
}

func newBodyPool(size, share int64) *bodyPool {
	return &bodyPool{size: size, share: share, of: map[ratelimit.Client]int64{}, changed: make(chan struct{})}
}

// take waits until n bytes fit into the pool and into the client's share. It reports false when they do not fit within the wait,
// when ctx ends, and at once when n exceeds the share.
func (p *bodyPool) take(ctx context.Context, client ratelimit.Client, n int64, wait time.Duration) bool {
	if n > p.share {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		taken, changed := p.try(client, n)
		if taken {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

func (p *bodyPool) try(client ratelimit.Client, n int64) (taken bool, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken+n > p.size || p.of[client]+n > p.share {
		return false, p.changed
	}
	p.taken += n
	p.of[client] += n
	return true, nil
}

func (p *bodyPool) release(client ratelimit.Client, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken -= n
	if p.of[client] -= n; p.of[client] == 0 {
		delete(p.of, client)
	}
	close(p.changed)
	p.changed = make(chan struct{})
}
