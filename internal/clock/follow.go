package clock

import (
	"sync/atomic"
	"time"
)

// Following is a clock that follows the database's, so that all processes agree on the time whatever the clocks of
// their machines are. Between two measurements it advances as its base does.
type Following struct {
	base   Clock
	offset atomic.Int64 // nanoseconds to add to the base
}

// Follow returns a clock that shows its base's time until Observe is called.
func Follow(base Clock) *Following { return &Following{base: base} }

// Now returns the database's time as far as it is known.
func (f *Following) Now() time.Time { return f.base.Now().Add(f.Offset()) }

// Base returns the clock of the machine.
func (f *Following) Base() Clock { return f.base }

// Offset is how far the database's clock is ahead of the machine's.
func (f *Following) Offset() time.Duration { return time.Duration(f.offset.Load()) }

// Observe records the database's time, read between two instants of the base.
func (f *Following) Observe(asked, read, answered time.Time) {
	f.offset.Store(int64(read.Sub(asked.Add(answered.Sub(asked) / 2))))
}

// DecisionTime returns the instant at which a transaction decides: the database's time, read within it. A Fake replaces the
// database's clock, too.
func DecisionTime(c Clock, read time.Time) time.Time {
	if fake, ok := c.(*Fake); ok {
		return fake.Now()
	}
	return read.UTC()
}
