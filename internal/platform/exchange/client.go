package exchange

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"banca/internal/platform/businessday"
	"banca/internal/platform/egress"
)

// Bounds of a source and of its answer.
const (
	maxAnswer = 64 << 10 // bytes
	maxURL    = 1_000
	minSecret = 8
	maxSecret = 1_000

	// MaxPairs bounds the pairs that are fetched.
	MaxPairs = 16
)

// defaultTimeout bounds a call, from the dial to the end of the answer.
const defaultTimeout = 10 * time.Second

// Pair names two currencies by their codes: one unit of Base is priced in units of Quote.
type Pair struct{ Base, Quote string }

// String returns the codes with a slash between them.
func (p Pair) String() string { return p.Base + "/" + p.Quote }

// Options configures New.
type Options struct {
	URL     string // of the source, with its path
	Secret  string // "" for none
	Pairs   []Pair
	Timeout time.Duration // default 10 s
	RootCAs *x509.CertPool
}

// Client calls the source. It is safe for concurrent use and keeps nothing.
type Client struct {
	options   Options
	url       *url.URL
	transport *http.Transport
	// resolve takes the place of a name server in tests.
	resolve func(address string) string
}

// errURL does not repeat the address, which may be a secret in the wrong variable.
var errURL = errors.New("exchange: the address of the source must be an https URL; http is for this machine and private numbers")

// New validates the options and returns a client.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.URL)
	if err != nil || len(o.URL) > maxURL || u.Host == "" || u.User != nil || u.Fragment != "" || !egress.Secure(u) {
		return nil, errURL
	}
	if o.Secret != "" && (len(o.Secret) < minSecret || len(o.Secret) > maxSecret || strings.ContainsFunc(o.Secret, unprintable)) {
		return nil, fmt.Errorf("exchange: the secret of the source must be %d to %d printable characters", minSecret, maxSecret)
	}
	if len(o.Pairs) == 0 || len(o.Pairs) > MaxPairs {
		return nil, fmt.Errorf("exchange: there must be 1 to %d pairs", MaxPairs)
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	c := &Client{options: o, url: u, resolve: func(address string) string { return address }}
	c.transport = egress.NewTransport(o.RootCAs, func(address string) string { return c.resolve(address) })
	return c, nil
}

func unprintable(r rune) bool { return r <= ' ' || r > '~' }

// Source names the source: its host.
func (c *Client) Source() string { return c.url.Host }

// Pairs are the pairs that the source is asked for.
func (c *Client) Pairs() []Pair { return c.options.Pairs }

// Fetch asks the source once for the rates of a day. Errors: ErrUnavailable, ErrRefused, ErrMalformed.
func (c *Client) Fetch(ctx context.Context, day businessday.Day) (*Answer, error) {
	within, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	at := *c.url
	query := at.Query()
	query.Set("date", day.String())
	at.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(within, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return nil, ErrRefused.WithCause(errURL)
	}
	req.Header.Set("Accept", "application/json")
	if c.options.Secret != "" {
		req.Header.Set("Authorization", "Bearer "+c.options.Secret)
	}
	res, err := c.transport.RoundTrip(req) // which follows no redirect
	if err != nil {
		return nil, c.unavailable(ctx, err)
	}
	defer res.Body.Close() //nolint:errcheck // it was read to its end or is given up
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, c.unavailable(ctx, err)
	}
	if err := fault(res, body); err != nil {
		return nil, err
	}
	return c.read(body)
}

// unavailable classifies a network failure; its cause is ctx.Err() if the caller cancelled.
func (c *Client) unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ErrUnavailable.WithCause(ctx.Err())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return ErrUnavailable.WithCause(errors.New("no whole answer in time"))
	}
	if errors.Is(err, egress.ErrAddress) {
		return ErrRefused.WithCause(egress.ErrAddress)
	}
	text := err.Error() // some quote what came
	if c.options.Secret != "" {
		text = strings.ReplaceAll(text, c.options.Secret, "***")
	}
	return ErrUnavailable.WithCause(errors.New(text))
}

// fault returns why an answer cannot have a document, or nil.
func fault(res *http.Response, body []byte) error {
	status := res.StatusCode
	passing := status == http.StatusRequestTimeout || status == http.StatusTooEarly || status == http.StatusTooManyRequests
	if passing || status >= http.StatusInternalServerError {
		return ErrUnavailable.WithCause(fmt.Errorf("status %d", status))
	}
	media, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	encoding := res.Header.Get("Content-Encoding")
	switch {
	case status != http.StatusOK:
		return ErrRefused.WithCause(fmt.Errorf("status %d", status))
	case len(body) > maxAnswer:
		return malformed(fmt.Sprintf("the answer is longer than %d bytes", maxAnswer))
	case encoding != "" && encoding != "identity":
		return malformed("the answer is packed, which was not asked for")
	case err != nil || media != "application/json" && media != "text/json" && !strings.HasSuffix(media, "+json"):
		return malformed("the content type is not JSON")
	}
	return nil
}

func malformed(text string) error { return ErrMalformed.WithCause(errors.New(text)) }
