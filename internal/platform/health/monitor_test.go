package health

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/clock"
)

//nolint:gochecknoglobals // a constant in all but name
var start = time.Date(2026, time.November, 23, 12, 0, 30, 0, time.UTC)

// fake is a monitor of one dependency and one probe that fail when told.
type fake struct {
	*Monitor

	clock  *clock.Fake
	failed atomic.Pointer[error]
	checks atomic.Int64
	log    strings.Builder
}

func newFake(t *testing.T, more ...Dependency) *fake {
	t.Helper()
	f := &fake{clock: clock.NewFake(start)}
	f.Monitor = New(Options{
		Clock: f.clock, Log: slog.New(slog.NewTextHandler(&f.log, nil)), Version: "1.2.3",
		Dependencies: append([]Dependency{{Name: "postgres", Required: true, Check: func(context.Context) error {
			f.checks.Add(1)
			f.clock.Advance(2 * time.Millisecond)
			return f.err()
		}}}, more...),
		Probes: []Probe{{Name: "books", Read: func(context.Context) (func(*Figures), error) {
			at := f.clock.Now()
			return func(s *Figures) { s.Outbox = &Outbox{Rows: at.Unix()} }, f.err()
		}}},
	})
	return f
}

func (f *fake) err() error {
	if err := f.failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (f *fake) fail(err error) { f.failed.Store(&err) }

func TestFiguresStayKnownWhileTheirStoreIsAway(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	before := f.Snapshot()
	assert.Equal(t, Unknown, before.Dependencies[0].Status, "nothing was checked yet")
	assert.Nil(t, before.Outbox)
	assert.Equal(t, OK, before.Status)

	f.Sample(t.Context())
	s := f.Snapshot()
	assert.Equal(t, OK, s.Dependencies[0].Status)
	assert.Equal(t, 2*time.Millisecond, s.Dependencies[0].Latency)
	require.NotNil(t, s.Outbox)
	rows, read := s.Outbox.Rows, s.Known[0].At

	f.fail(&net.OpError{Op: "dial", Err: errors.New("10.0.0.7:5432 refused")})
	f.clock.Advance(time.Minute)
	away := f.clock.Now()
	f.Sample(t.Context())
	f.clock.Advance(5 * time.Minute)
	f.Sample(t.Context())
	s = f.Snapshot()
	assert.Equal(t, Failed, s.Status)
	d := s.Dependencies[0]
	assert.Equal(t, Failed, d.Status)
	assert.Equal(t, ReasonUnreachable, d.Reason)
	assert.WithinDuration(t, away, d.Since, time.Second, "of the first failure")
	assert.Equal(t, rows, s.Outbox.Rows, "what was known stays")
	assert.Equal(t, Known{Name: "books", At: read, Failed: true}, s.Known[0])
	assert.Equal(t, []Problem{{Code: "dependency.postgres", Failed: true, Runbook: "postgres", Name: "postgres", Since: d.Since}}, s.Problems)
	assert.Equal(t, 1, strings.Count(f.log.String(), "10.0.0.7"), "a change is logged once")

	f.failed.Store(nil)
	f.Sample(t.Context())
	s = f.Snapshot()
	assert.Equal(t, OK, s.Dependencies[0].Status)
	assert.Contains(t, f.log.String(), "ready again")
}

// The history has a row a minute, an hour of them, whatever the number of checks.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for i := range 12 * 90 {
		if i == 12*60 {
			f.fail(context.DeadlineExceeded)
		} else {
			f.failed.Store(nil)
		}
		f.Sample(t.Context())
		f.clock.Advance(5 * time.Second)
	}
	d := f.Snapshot().Dependencies[0]
	assert.Len(t, d.History, historyMinutes)
	failed, checks := 0, 0
	for i, m := range d.History {
		failed += m.Failed
		checks += m.Checks
		if i > 0 {
			assert.True(t, m.At.After(d.History[i-1].At))
		}
	}
	assert.Equal(t, 1, failed)
	assert.InDelta(t, 12*historyMinutes, checks, 12)
}

// A dependency that hangs, even beyond its timeout, delays no other and is a failure.
func TestADependencyThatHangsDelaysNoOther(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	f := newFake(t, Dependency{Name: "objects", Check: func(context.Context) error { <-release; return nil }})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { f.Run(ctx) })
	require.Eventually(t, func() bool { return f.Snapshot().Dependencies[0].Status == OK && f.checkers("objects").begins() }, 10*time.Second, time.Millisecond)
	f.clock.Advance(staleAfter + time.Second)
	s := f.Snapshot()
	assert.Equal(t, Failed, s.Dependencies[1].Status)
	assert.Equal(t, ReasonTimeout, s.Dependencies[1].Reason)
	assert.Equal(t, Degraded, s.Status, "nothing required fails")
	close(release)
	cancel()
	running.Wait()
}

func (m *Monitor) checkers(name string) *checker {
	for _, c := range m.checks {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func (c *checker) begins() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.begun.IsZero()
}

// However many ask at once, a dependency is checked once; and a second later once more.
func TestReadinessSharesItsChecks(t *testing.T) {
	t.Parallel()
	f := newFake(t, Dependency{Name: "objects", Check: func(context.Context) error { return errors.New("away") }})
	for range 2 {
		f.clock.Advance(time.Minute)
		f.checks.Store(0)
		var asking sync.WaitGroup
		for range 200 {
			asking.Go(func() {
				states := f.Ready(t.Context())
				assert.Len(t, states, 1, "only what is required")
				assert.Equal(t, OK, states[0].Status)
			})
		}
		asking.Wait()
		assert.EqualValues(t, 1, f.checks.Load())
	}
	f.clock.Advance(freshFor)
	f.fail(errors.New("away"))
	assert.Equal(t, Failed, f.Ready(t.Context())[0].Status)
}

// A caller that goes away does not spoil the check of the others.
func TestACheckSurvivesItsCaller(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Equal(t, OK, f.Ready(gone)[0].Status)
}
