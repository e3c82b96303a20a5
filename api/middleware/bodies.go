package middleware

import (
	"context"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"banca/api/problem"
	"banca/internal/apperr"
	"banca/internal/ratelimit"
)

// Bounds of the bodies that are in memory at the same time.
const (
	smallBody      = 64 << 10 // bytes that are not counted: every sale, and every form without a file
	mediumBody     = 1 << 20  // bytes up to which a body does not compete with files
	bodiesTogether = 64 << 20 // bytes, of medium bodies and again of larger ones
	bodiesOfOne    = bodiesTogether / 3
	bodiesWait     = 3 * time.Second
	bodiesRetry    = 5 * time.Second
)

// ErrBodies refuses a body while too many others arrive or are worked on.
var ErrBodies = apperr.New(apperr.Unavailable, "BUSY", "too many files are being sent at once; nothing was stored").WithRetryAfter(bodiesRetry)

// Bodies bounds the bytes of the bodies of all requests together, in the API and in the panel. A body counts with its declared
// length, or else with the bound of its route, until the request is answered: a body that arrives slowly counts until the
// operation's read deadline. One client has at most a third of the bytes. A body of up to 64 KiB is not counted; bodies of up
// to 1 MiB and larger ones are counted apart. What does not fit within 3 s is refused with 503 BUSY before it is read.
// The paths left out bound their bodies themselves. Bodies comes after [Identify].
func Bodies(most int64, larger map[string]int64, panel Panel, leaveOut func(path string) bool) gin.HandlerFunc {
	medium, large := newBodyPool(bodiesTogether, bodiesOfOne), newBodyPool(bodiesTogether, bodiesOfOne)
	return func(c *gin.Context) {
		info := callFrom(c.Request.Context())
		n := bodyBytes(c, most, larger)
		if n <= smallBody || leaveOut(info.path) {
			c.Next()
			return
		}
		pool := medium
		if n > mediumBody+1 {
			pool = large
		}
		client := clientOf(info)
		if !pool.take(c.Request.Context(), client, n, bodiesWait) {
			refuseBody(c, &panel)
			return
		}
		defer pool.release(client, n)
		c.Next()
	}
}

// bodyBytes is how many bytes a handler may read of the body.
func bodyBytes(c *gin.Context, most int64, larger map[string]int64) int64 {
	if own, ok := larger[c.FullPath()]; ok {
		most = own
	}
	if declared := c.Request.ContentLength; declared >= 0 {
		return min(declared, most)
	}
	return most
}

func refuseBody(c *gin.Context, panel *Panel) {
	c.Abort()
	c.Header("Connection", "close") // the body is not read
	if panel.owns(c.Request.URL.Path) && panel.Busy != nil {
		c.Header("Retry-After", seconds(bodiesRetry))
		panel.Busy(c)
		return
	}
	problem.From(ErrBodies).Write(c.Writer, c.Request)
}

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

// take waits until n bytes fit into the pool and into the client's share. It reports false when they did not within the wait,
// or when ctx ended.
func (p *bodyPool) take(ctx context.Context, client ratelimit.Client, n int64, wait time.Duration) bool {
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
