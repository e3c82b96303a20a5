package trial

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// behindAtMost is how late the next sale may be due: what is later is not asked for any more.
const behindAtMost = 2 * time.Second

// pacer says when the next sale is due, and keeps how long sales took. The time of a sale begins when it is due, so that one which
// waits for a free seller is seen to be late.
type pacer struct {
	mu    sync.Mutex
	rate  float64 // sales a second; none at 0
	next  time.Time
	asked int
	sold  int             // since the start of the load
	took  []time.Duration // since the last window
}

// set changes the rate from now on.
func (p *pacer) set(rate float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rate, p.next = rate, time.Now()
}

// due returns when the next sale is due; false while none is.
func (p *pacer) due() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.rate <= 0 || p.next.After(now.Add(lookEvery)) {
		return time.Time{}, false
	}
	if late := now.Add(-behindAtMost); p.next.Before(late) {
		p.next = late
	}
	at := p.next
	p.next = at.Add(time.Duration(float64(time.Second) / p.rate))
	p.asked++
	return at, true
}

// done counts a sale.
func (p *pacer) done(took time.Duration, good bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if good {
		p.sold++
	}
	p.took = append(p.took, took)
}

// total returns how many sales there were since the start of the load.
func (p *pacer) total() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sold
}

// window returns the times since the last window, sorted, and begins a new one.
func (p *pacer) window() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := p.took
	p.took = nil
	slices.Sort(took)
	return took
}

// quantile returns the time below which a share of the sorted ones stays.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// sellAtPace sells whenever a sale is due and no other seller took it.
func (l *load) sellAtPace(ctx context.Context, n int) {
	rng := rand.New(rand.NewPCG(l.seed, uint64(n))) //nolint:gosec // repeatable, not secret
	point := n % len(l.platform.points)
	for ctx.Err() == nil {
		at, ok := l.pace.due()
		if !ok {
			pause(ctx, lookEvery/2)
			continue
		}
		pause(ctx, time.Until(at))
		o := l.sell(ctx, rng, point)
		l.pace.done(time.Since(at), o.good())
		if o.good() && rng.IntN(cancelEvery) == 0 {
			l.cancel(ctx, o)
		}
	}
}
