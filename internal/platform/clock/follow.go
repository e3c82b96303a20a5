package clock

import (
	"sync/atomic"
	"time"
)

// Following is a clock that follows the database's, so that all processes agree on the time whatever the clocks of
// their machines are. Between two measurements it counts the time that passes; a machine's clock that is set changes nothing.
type Following struct {
	base     Clock
	measured atomic.Pointer[measurement]
}

// measurement is the database's time at an instant of the base.
type measurement struct{ ticks, read time.Time }

// ticking is a clock that counts time apart from what it shows, as a machine does.
type ticking interface {
	// Ticks returns an instant whose distance from others is real time.
	Ticks() time.Time
}

// Follow returns a clock that shows its base's time until Observe is called.
func Follow(base Clock) *Following { return &Following{base: base} }

// Now returns the database's time as far as it is known.
func (f *Following) Now() time.Time {
	m := f.measured.Load()
	if m == nil {
		return f.base.Now()
	}
	return m.read.Add(f.Ticks().Sub(m.ticks))
}

// Ticks returns an instant for Observe.
func (f *Following) Ticks() time.Time {
	if base, ok := f.base.(ticking); ok {
		return base.Ticks()
	}
	return f.base.Now()
}

// Offset is how far the database's clock is ahead of the machine's.
func (f *Following) Offset() time.Duration { return f.Now().Sub(f.base.Now()) }

// Observe records the database's time, read between two instants of Ticks.
func (f *Following) Observe(asked, read, answered time.Time) {
	f.measured.Store(&measurement{ticks: asked.Add(answered.Sub(asked) / 2), read: read.UTC()})
}

// DecisionTime returns the instant at which a transaction decides: the database's time, read within it. A Fake replaces the
// database's clock, too.
func DecisionTime(c Clock, read time.Time) time.Time {
	if fake, ok := c.(*Fake); ok {
		return fake.Now()
	}
	return read.UTC()
}
