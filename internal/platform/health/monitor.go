package health

import (
	"context"
	"crypto/rand"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"banca/internal/platform/clock"
)

// The rhythm and the bounds of sampling.
const (
	sampleEvery  = 5 * time.Second
	checkTimeout = 2 * time.Second
	probeTimeout = 4 * time.Second
	staleAfter   = 20 * time.Second // without a result a check hangs
	freshFor     = time.Second      // a result is used for readiness
)

// Dependency is a part outside of the process.
type Dependency struct {
	Name     string // also its section of the runbook
	Required bool   // nothing is sold without it
	Check    func(ctx context.Context) error
}

// Probe reads a group of figures. The function that Read returns stores them; it is called under a lock and does no
// work.
type Probe struct {
	Name  string
	Every time.Duration // 0: with every sample
	Read  func(ctx context.Context) (store func(*Figures), err error)
}

// Options configure a Monitor.
type Options struct {
	Clock        clock.Clock
	Log          *slog.Logger
	Version      string // of banca
	Dependencies []Dependency
	Probes       []Probe
	Requests     func() []Request // recent ones; nil for none
	RequestLog   func() Log       // the state of the request log; nil for none
}

// Monitor samples the state of the platform.
type Monitor struct {
	clock      clock.Clock
	log        *slog.Logger
	process    Process
	checks     []*checker
	probes     []*prober
	requests   func() []Request
	requestLog func() Log

	mu      sync.Mutex
	figures Figures
}

// New returns a monitor that knows nothing until Run or Sample is called.
func New(o Options) *Monitor {
	m := &Monitor{
		clock: o.Clock, log: o.Log, requests: o.Requests, requestLog: o.RequestLog,
		process: Process{ID: strings.ToLower(rand.Text()[:processIDLength]), Version: o.Version, Go: runtime.Version(), StartedAt: o.Clock.Now()},
	}
	for _, d := range o.Dependencies {
		m.checks = append(m.checks, &checker{Dependency: d, clock: o.Clock, log: o.Log, state: State{Name: d.Name, Required: d.Required, Status: Unknown, Since: o.Clock.Now()}})
	}
	for _, p := range o.Probes {
		m.probes = append(m.probes, &prober{Probe: p})
	}
	return m
}

// processIDLength is the length of the random name of a process.
const processIDLength = 6

// Run samples until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, c := range m.checks {
		running.Go(func() { repeat(ctx, sampleEvery, c.run) })
	}
	for _, p := range m.probes {
		running.Go(func() { repeat(ctx, max(p.Every, sampleEvery), func(ctx context.Context) { m.read(ctx, p) }) })
	}
	running.Wait()
}

// repeat calls fn at once and then at intervals, until ctx ends.
func repeat(ctx context.Context, every time.Duration, fn func(context.Context)) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for ctx.Err() == nil {
		fn(ctx)
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
}

// Sample takes one sample of everything and waits for it.
func (m *Monitor) Sample(ctx context.Context) {
	var running sync.WaitGroup
	for _, c := range m.checks {
		running.Go(func() { c.run(ctx) })
	}
	for _, p := range m.probes {
		running.Go(func() { m.read(ctx, p) })
	}
	running.Wait()
}

// Ready returns the state of the required dependencies. A result older than a second is replaced: many callers at once
// cause one check.
func (m *Monitor) Ready(ctx context.Context) []State {
	var required []*checker
	for _, c := range m.checks {
		if c.Required {
			required = append(required, c)
		}
	}
	states := make([]State, len(required))
	var running sync.WaitGroup
	for i, c := range required {
		running.Go(func() { states[i] = c.fresh(ctx) })
	}
	running.Wait()
	return states
}

// prober is a probe with the outcome of its last run.
type prober struct {
	Probe

	known Known // guarded by Monitor.mu
}

// Known is when a group of figures was read.
type Known struct {
	Name   string
	At     time.Time // of the figures; zero before the first success
	Failed bool      // the last attempt failed
}

func (m *Monitor) read(ctx context.Context, p *prober) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	store, err := p.Read(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	p.known.Name = p.Name
	if err != nil {
		if ctx.Err() == nil || !p.known.Failed { // once, and not for the end of the process
			m.log.LogAttrs(
				ctx, slog.LevelDebug, "health: figures were not read", slog.String("probe", p.Name),
				slog.Any("error", err),
			)
		}
		p.known.Failed = true
		return
	}
	store(&m.figures)
	p.known.At, p.known.Failed = m.clock.Now(), false
}

// Snapshot returns the last sample. It only reads memory.
func (m *Monitor) Snapshot() *Snapshot {
	s := &Snapshot{At: m.clock.Now(), Process: m.process}
	for _, c := range m.checks {
		s.Dependencies = append(s.Dependencies, c.snapshot())
	}
	m.mu.Lock()
	s.Figures = m.figures // whose parts are replaced and never changed
	for _, p := range m.probes {
		s.Known = append(s.Known, p.known)
	}
	m.mu.Unlock()
	if m.requests != nil {
		s.Requests = m.requests()
	}
	if m.requestLog != nil {
		s.Log = m.requestLog()
	}
	s.Problems = problemsOf(s)
	s.Status = statusOf(s.Problems)
	return s
}

// statusOf is the worst of the problems.
func statusOf(problems []Problem) string {
	switch {
	case slices.ContainsFunc(problems, func(p Problem) bool { return p.Failed }):
		return Failed
	case len(problems) > 0:
		return Degraded
	default:
		return OK
	}
}
