package clock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/clock"
)

func TestAClockFollowsTheDatabase(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)
	machine := clock.NewFake(start)
	following := clock.Follow(machine)
	assert.Equal(t, start, following.Now())
	read := start.Add(10 * time.Second)
	following.Observe(start, read, start.Add(20*time.Millisecond))
	assert.Equal(t, read.Add(-10*time.Millisecond), following.Now(), "the database answered half-way")
	machine.Advance(time.Minute)
	assert.Equal(t, read.Add(time.Minute-10*time.Millisecond), following.Now())

	assert.Equal(t, read, clock.DecisionTime(following, read), "in a transaction the database decides")
	assert.Equal(t, read, clock.DecisionTime(clock.System{}, read))
	assert.Equal(t, start.Add(time.Minute), clock.DecisionTime(machine, read), "a test's clock stands for the database's")
}

// set is a machine's clock that can be set: what it shows changes, what it counts does not.
type set struct {
	counted *clock.Fake
	ahead   time.Duration
}

func (s *set) Now() time.Time   { return s.counted.Now().Add(s.ahead) }
func (s *set) Ticks() time.Time { return s.counted.Now() }

// A notification without a date is keyed by the day of its receipt: a clock that is set must not change the day.
func TestAMachinesClockThatIsSetChangesNothing(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)
	machine := &set{counted: clock.NewFake(start)}
	following := clock.Follow(machine)
	following.Observe(start, start.Add(time.Second), start)
	machine.ahead = 24 * time.Hour
	machine.counted.Advance(5 * time.Second)
	assert.Equal(t, start.Add(6*time.Second), following.Now())
	assert.Equal(t, time.Second-24*time.Hour, following.Offset())
	machine.ahead = -24 * time.Hour
	assert.Equal(t, start.Add(6*time.Second), following.Now())
}
