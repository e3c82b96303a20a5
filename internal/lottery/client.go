package lottery

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"banca/internal/platform/clock"
	"banca/internal/platform/egress"
)

// maxCalls bounds the calls of one process at the same time; more wait for their turn.
const maxCalls = 16

// Options configures New.
type Options struct {
	Sources map[string]string // the base URL of each source, by its name
	Secrets map[string]string // by the name of the source
	// AllowedHosts are the hosts of allowed absolute URLs, in addition to the bases: host or host:port.
	AllowedHosts []string
	Timeout      time.Duration // of a call, from the dial to the end of the answer; default 10 s
	Failures     uint32        // after how many in a row a source is left alone; default 5
	Pause        time.Duration // for how long; default 30 s
	RootCAs      *x509.CertPool
	Clock        clock.Clock
}

// Client calls lottery systems. It is safe for concurrent use; a circuit for each source is all that it keeps.
type Client struct {
	options   Options
	bases     map[string]string
	hosts     map[string]bool
	masks     *strings.Replacer
	transport *http.Transport
	turns     chan struct{}
	circuits  circuits
	// resolve takes the place of a name server in tests.
	resolve func(address string) string
}

// New validates the options and returns a client. An error names the source but not the invalid value, which may be a
// secret in the wrong field.
func New(options Options) (*Client, error) {
	if options.Timeout <= 0 {
		options.Timeout = 10 * time.Second
	}
	if options.Failures == 0 {
		options.Failures = 5
	}
	if options.Pause <= 0 {
		options.Pause = 30 * time.Second
	}
	if options.Clock == nil {
		options.Clock = clock.System{}
	}
	c := &Client{
		options: options, bases: map[string]string{}, hosts: map[string]bool{}, masks: masksOf(options.Secrets),
		turns: make(chan struct{}, maxCalls), resolve: func(address string) string { return address },
	}
	c.transport = egress.NewTransport(options.RootCAs, func(address string) string { return c.resolve(address) })
	c.circuits.failures, c.circuits.pause = options.Failures, options.Pause
	for name, base := range options.Sources {
		checked, err := parseBase(base)
		if !IsSourceName(name) {
			return nil, errName // without the value: it may be a secret
		}
		if err != nil {
			return nil, fmt.Errorf("lottery: source %s: %w", name, err)
		}
		c.bases[name] = checked
	}
	for name, secret := range options.Secrets {
		if !IsSourceName(name) {
			return nil, errName
		}
		if len(secret) < minSecret || len(secret) > maxHeader || !isPrintable(secret, false) {
			return nil, fmt.Errorf(
				"lottery: the secret of source %s must be %d to %d printable characters", name, minSecret, maxHeader,
			)
		}
	}
	for _, host := range options.AllowedHosts {
		c.hosts[strings.ToLower(host)] = true
	}
	return c, nil
}

var errName = errors.New("lottery: a source's name must be small letters, digits, dashes and underscores, at most 32")

var errBase = errors.New("its base must be an https URL of a host and an optional path; http is for this machine and private numbers")

// parseBase checks a base URL and takes the slash from its end.
func parseBase(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Opaque != "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(raw, "#") {
		return "", errBase
	}
	if !egress.Secure(u) || len(raw) > maxURL || dotted(u.Path) {
		return "", errBase
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// dotted reports whether a path has a segment that leads elsewhere.
func dotted(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// Fetch requests the draw's result from every source with results, concurrently, and returns the answers in the
// sources' order. A failure is in the answer's Err.
func (c *Client) Fetch(ctx context.Context, cfg *Config, ref DrawRef) []Fetched {
	var asked []*Source
	for i := range cfg.Sources {
		if cfg.Sources[i].Result != nil {
			asked = append(asked, &cfg.Sources[i])
		}
	}
	fetched := make([]Fetched, len(asked))
	var waiting sync.WaitGroup
	for i, s := range asked {
		waiting.Go(func() { fetched[i] = c.fetch(ctx, cfg, s, ref) })
	}
	waiting.Wait()
	return fetched
}

// CloseDraw closes the draw at every source with a close call. It is idempotent. The error joins the
// sources' errors.
func (c *Client) CloseDraw(ctx context.Context, cfg *Config, ref DrawRef) error {
	var called []*Source
	for i := range cfg.Sources {
		if cfg.Sources[i].Close != nil {
			called = append(called, &cfg.Sources[i])
		}
	}
	errs := make([]error, len(called))
	var waiting sync.WaitGroup
	for i, s := range called {
		waiting.Go(func() {
			if _, _, err := c.call(ctx, cfg, s, s.Close, ref); err != nil && !errors.Is(err, errNoContent) {
				errs[i] = fmt.Errorf("source %s: %w", s.Name, err)
			}
		})
	}
	waiting.Wait()
	return errors.Join(errs...)
}

// ClosesDraws reports whether any source of the game has a close call.
func (c *Config) ClosesDraws() bool {
	for i := range c.Sources {
		if c.Sources[i].Close != nil {
			return true
		}
	}
	return false
}

// FetchesResults reports whether any source of the game has results.
func (c *Config) FetchesResults() bool {
	for i := range c.Sources {
		if c.Sources[i].Result != nil {
			return true
		}
	}
	return false
}

// Source returns the source of a name that has results, or nil.
func (c *Config) Source(name string) *Source {
	for i := range c.Sources {
		if c.Sources[i].Name == name && c.Sources[i].Result != nil {
			return &c.Sources[i]
		}
	}
	return nil
}
