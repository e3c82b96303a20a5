package clock

import (
	"sync/atomic"
	"time"
)

// Following is a clock that follows the database's, so that all processes agree on the time whatever their machines say.
// Between two measurements it goes as its base does.
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

// Observe takes the database's time that was told between two instants of the base.
func (f *Following) Observe(asked, told, answered time.Time) {
	f.offset.Store(int64(told.Sub(asked.Add(answered.Sub(asked) / 2))))
}

// Decide returns the instant at which a transaction decides: what the database told in it. A Fake stands for the
// database's clock, too.
func Decide(c Clock, told time.Time) time.Time {
	if fake, ok := c.(*Fake); ok {
		return fake.Now()
	}
	return told.UTC()
}
