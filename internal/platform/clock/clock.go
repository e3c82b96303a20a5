// Package clock gives the time as a dependency, so that tests can decide what time it is.
package clock

import (
	"context"
	"sync"
	"time"
)

// Clock returns the current instant, in UTC.
type Clock interface {
	Now() time.Time
}

// System is the machine's clock.
type System struct{}

// Now returns the current instant in UTC.
func (System) Now() time.Time { return time.Now().UTC() }

// Ticks returns an instant whose distance from others is real time, also when the machine's clock is set meanwhile.
func (System) Ticks() time.Time { return time.Now() }

// Sleep waits for d of real time. Errors: the error of ctx, if that ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Fake is a clock that moves only by its methods. The zero value is not usable; call NewFake.
type Fake struct {
	mu  sync.Mutex
	now time.Time
}

// NewFake returns a clock standing at now.
func NewFake(now time.Time) *Fake { return &Fake{now: now.UTC()} }

// Now returns the instant the clock stands at.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Advance moves the clock forward by d.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}
