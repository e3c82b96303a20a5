package banksim

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"banca/internal/platform/clock"
	"banca/internal/platform/egress"
)

// defaultTimeout bounds a call when Options names nothing else.
const defaultTimeout = 15 * time.Second

// Options configures New.
type Options struct {
	// Targets are the base URLs that may be called, as https://pagos.example:8443/api; none allows nothing.
	Targets []string
	// Timeout bounds each call, from the dial to the end of the answer; default 15 s.
	Timeout time.Duration
	// RootCAs are trusted instead of the system's; nil for those.
	RootCAs *x509.CertPool
	// Clock measures the latency; default the machine's.
	Clock clock.Clock
}

// Simulator calls the webhooks of the listed targets. It is safe for concurrent use and keeps nothing
// between runs.
type Simulator struct {
	targets []*target
	timeout time.Duration
	clock   clock.Clock
	// resolve takes the place of a name server in tests: it returns the address to dial for a host and port.
	resolve func(address string) string
}

// Run is the operator's input.
type Run struct {
	Target   string // one of Targets
	Phase    Phase
	Scenario Scenario
	Token    string // as typed, without the white space around it; "" sends no Authorization header
	// Fields by name, of FieldNames(Phase). A field that is not in it is not sent, an empty one is sent empty.
	Fields map[string]string
}

// Exchange is one call and what came of it. Every text is fit to show: the token is masked wherever it was.
type Exchange struct {
	Phase           Phase // A or B
	Method          string
	URL             string
	RequestHeaders  string // a line each
	RequestBody     string
	Status          int    // 0 when no answer came
	ResponseHeaders string // a line each, sorted
	ResponseBody    string // its first 64 KiB, and a note if there is more
	Latency         time.Duration
	Error           Failure // why there is no answer, or not all of it; "" otherwise
	Curl            string  // makes the call again, with the token in $BANK_TOKEN
}

// Result holds the exchanges of a run in the order of its steps.
type Result struct{ Exchanges []Exchange }

// New returns a simulator. It fails for a target that is no plain base URL, or can never be called.
func New(options Options) (*Simulator, error) {
	s := &Simulator{timeout: options.Timeout, clock: options.Clock, resolve: func(address string) string { return address }}
	if s.timeout < 0 {
		return nil, errors.New("banksim: the timeout is negative")
	}
	if s.timeout == 0 {
		s.timeout = defaultTimeout
	}
	if s.clock == nil {
		s.clock = clock.System{}
	}
	for i, raw := range options.Targets {
		t, err := parseTarget(raw)
		if err != nil {
			return nil, fmt.Errorf("banksim: target %d: %w", i+1, err)
		}
		if s.find(t.base) != nil {
			continue
		}
		t.transport = egress.NewTransport(options.RootCAs, func(address string) string { return s.resolve(address) })
		s.targets = append(s.targets, t)
	}
	return s, nil
}

// Targets returns the base URLs that may be called, normalised, each once.
func (s *Simulator) Targets() []string {
	bases := make([]string, len(s.targets))
	for i, t := range s.targets {
		bases[i] = t.base
	}
	return bases
}

// find returns the target of a base URL, nil if it is not listed.
func (s *Simulator) find(raw string) *target {
	wanted, err := parseTarget(raw)
	if err != nil {
		return nil
	}
	for _, t := range s.targets {
		if t.base == wanted.base {
			return t
		}
	}
	return nil
}

// Run makes the calls of a scenario, one after the other but for AtOnce, and returns them all: a call that
// fails is an exchange with its Error, and the next one is made all the same. Errors: ErrRun.
func (s *Simulator) Run(ctx context.Context, run *Run) (*Result, error) {
	trimmed := *run
	trimmed.Token = strings.TrimSpace(run.Token)
	t, err := s.check(&trimmed)
	if err != nil {
		return nil, err
	}
	steps, err := plan(&trimmed, t.base)
	if err != nil {
		return nil, fmt.Errorf("banksim: encode: %w", err)
	}
	var result Result
	for _, step := range steps {
		result.Exchanges = append(result.Exchanges, s.perform(ctx, t, step)...)
	}
	return &result, nil
}

// perform makes the calls of a step at once and waits for all of them.
func (s *Simulator) perform(ctx context.Context, t *target, step step) []Exchange {
	exchanges := make([]Exchange, step.times)
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range exchanges {
		group.Go(func() {
			<-start
			exchanges[i] = s.send(ctx, t.transport, step.call)
		})
	}
	close(start)
	group.Wait()
	return exchanges
}
