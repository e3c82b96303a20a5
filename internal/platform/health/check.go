package health

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"banca/internal/platform/clock"
)

// States of a dependency, and of the platform. Degraded is of the platform only, Unknown of a dependency that was not
// checked yet.
const (
	OK       = "ok"
	Degraded = "degraded"
	Failed   = "failed"
	Unknown  = "unknown"
)

// Reasons of a failed check. The error itself is in the log, because it may hold addresses.
const (
	ReasonTimeout     = "timeout"
	ReasonUnreachable = "unreachable"
	ReasonError       = "error"
)

// historyMinutes bounds the history of a dependency.
const historyMinutes = 60

// State is the last known state of a dependency.
type State struct {
	Name      string
	Required  bool
	Status    string
	Reason    string        // of a failure
	Latency   time.Duration // of the last check that succeeded
	CheckedAt time.Time     // zero before the first check
	Since     time.Time     // of the status
	History   []Minute      // the last hour, oldest first
}

// Minute sums the checks of a minute.
type Minute struct {
	At             time.Time // its beginning
	Checks, Failed int
	Worst          time.Duration // of the checks that succeeded
}

// checker is a dependency with its state.
type checker struct {
	Dependency

	clock clock.Clock
	log   *slog.Logger

	running sync.Mutex // one check at a time

	mu    sync.Mutex
	begun time.Time // of the check that runs; zero if none does
	state State
}

// run checks the dependency once.
func (c *checker) run(ctx context.Context) {
	c.running.Lock()
	defer c.running.Unlock()
	c.check(ctx)
}

// fresh returns the state of a check that ended less than freshFor ago. Callers that wait for the same check share it.
func (c *checker) fresh(ctx context.Context) State {
	if s := c.snapshot(); c.clock.Now().Sub(s.CheckedAt) < freshFor || s.Reason == ReasonTimeout && c.hangs() {
		return s
	}
	c.running.Lock()
	defer c.running.Unlock()
	if s := c.snapshot(); c.clock.Now().Sub(s.CheckedAt) >= freshFor {
		c.check(context.WithoutCancel(ctx)) // its result is for others, too
	}
	return c.snapshot()
}

// hangs reports whether a check ignores its timeout.
func (c *checker) hangs() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.begun.IsZero() && c.clock.Now().Sub(c.begun) > staleAfter
}

func (c *checker) check(ctx context.Context) {
	begun := c.clock.Now()
	c.mu.Lock()
	c.begun = begun
	c.mu.Unlock()
	bounded, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err := c.Check(bounded)
	if err != nil && ctx.Err() != nil {
		c.mu.Lock()
		c.begun = time.Time{}
		c.mu.Unlock()
		return // the process ends
	}
	c.note(ctx, begun, err)
}

// note stores the outcome of a check that began at an instant, and logs a change.
func (c *checker) note(ctx context.Context, begun time.Time, err error) {
	now := c.clock.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.state
	before := s.Status
	c.begun, s.CheckedAt = time.Time{}, now
	s.Status, s.Reason = OK, ""
	if err != nil {
		s.Status, s.Reason = Failed, reasonOf(err)
	} else {
		s.Latency = now.Sub(begun)
	}
	s.History = remember(s.History, now, s.Latency, err != nil)
	if before == s.Status {
		return
	}
	s.Since = now
	switch {
	case err != nil:
		c.log.LogAttrs(ctx, slog.LevelWarn, "not ready", slog.String("check", s.Name), slog.Any("error", err))
	case before == Failed:
		c.log.LogAttrs(ctx, slog.LevelInfo, "ready again", slog.String("check", s.Name))
	}
}

// reasonOf classifies an error without its text.
func reasonOf(err error) string {
	var refused *net.OpError
	var timed net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timed) && timed.Timeout():
		return ReasonTimeout
	case errors.As(err, &refused):
		return ReasonUnreachable
	default:
		return ReasonError
	}
}

// remember adds a check to a history of minutes.
func remember(history []Minute, at time.Time, latency time.Duration, failed bool) []Minute {
	minute := at.Truncate(time.Minute)
	if n := len(history); n == 0 || history[n-1].At.Before(minute) {
		history = append(history, Minute{At: minute})
	}
	last := &history[len(history)-1]
	last.Checks++
	if failed {
		last.Failed++
	} else {
		last.Worst = max(last.Worst, latency)
	}
	for len(history) > 0 && !history[0].At.After(minute.Add(-historyMinutes*time.Minute)) {
		history = history[1:]
	}
	return history
}

// snapshot returns the state. A check that hangs beyond its timeout counts as failed.
func (c *checker) snapshot() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.state
	s.History = slices.Clone(s.History)
	if !c.begun.IsZero() && c.clock.Now().Sub(c.begun) > staleAfter && s.Status != Failed {
		s.Status, s.Reason, s.Since = Failed, ReasonTimeout, c.begun
	}
	return s
}
