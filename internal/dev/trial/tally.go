package trial

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// counts are what happened while one kind of fault lasted.
type counts struct {
	faults, attempts, failed, unanswered, retries int
	lasted                                        time.Duration

	harmful, skipped int   // faults that showed an effect, and that this machine does not allow
	harm             int64 // sum of their effects
}

// tally counts by kind of fault; "" is the time without one.
type tally struct {
	mu     sync.Mutex
	now    string
	byKind map[string]*counts
	begun  time.Time
}

func newTally() *tally { return &tally{byKind: map[string]*counts{}, begun: time.Now()} }

func (t *tally) of(kind string) *counts {
	c := t.byKind[kind]
	if c == nil {
		c = &counts{}
		t.byKind[kind] = c
	}
	return c
}

// begin enters a fault, or the time without one.
func (t *tally) begin(kind string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of(t.now).lasted += time.Since(t.begun)
	t.now, t.begun = kind, time.Now()
	if kind != "" {
		t.of(kind).faults++
	}
}

// harm adds the effect of a fault.
func (t *tally) harm(kind string, effect int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.of(kind)
	c.harm += effect
	if effect > 0 {
		c.harmful++
	}
}

// skip adds a fault that this machine does not allow.
func (t *tally) skip(kind string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of(kind).skipped++
}

// harmless returns the kinds of faults none of which had an effect, although the machine allows them.
func (t *tally) harmless() (kinds []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for kind, c := range t.byKind {
		if c.faults > c.skipped && c.harmful == 0 {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

func (t *tally) fault() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

// count adds an attempt that began during a fault.
func (t *tally) count(fault string, o *operation, status int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.of(fault)
	c.attempts++
	if o.attempts > 1 {
		c.retries++
	}
	if status == 0 {
		c.unanswered++
	}
	if status >= http.StatusInternalServerError {
		c.failed++
	}
}

// total sums all faults.
func (t *tally) total() counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := counts{}
	for kind, c := range t.byKind {
		if kind == "" {
			continue
		}
		sum.faults += c.faults
		sum.attempts += c.attempts
		sum.failed += c.failed
		sum.unanswered += c.unanswered
		sum.retries += c.retries
		sum.lasted += c.lasted
	}
	return sum
}

// print writes a row for each kind.
func (t *tally) print(out io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var kinds []string
	for kind := range t.byKind {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	_, _ = fmt.Fprintf(out, "%-18s %7s %9s %9s %7s %11s %8s  %s\n", "fault", "faults", "time", "attempts", "5xx", "no answer", "repeats", "effect")
	for _, kind := range kinds {
		c, name := t.byKind[kind], kind
		if name == "" {
			name = "none"
		}
		_, _ = fmt.Fprintf(out, "%-18s %7d %9s %9d %7d %11d %8d  %s\n", name, c.faults, c.lasted.Round(time.Second), c.attempts, c.failed, c.unanswered, c.retries, c.effect(kind))
	}
}

// effect says what the faults of a kind did.
func (c *counts) effect(kind string) string {
	if c.faults == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %d: %d %s", c.harmful, c.faults, c.harm, harms()[kind])
	if c.skipped > 0 {
		text += fmt.Sprintf(", %d not possible on this machine", c.skipped)
	}
	return text
}
