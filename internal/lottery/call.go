package lottery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sony/gobreaker/v2"

	"banca/internal/platform/telemetry"
	"banca/models"
)

// Bounds of an answer, in bytes: of the part that is read, and of the part that is stored.
const (
	maxAnswer   = 256 << 10
	maxEvidence = 64 << 10
)

// Evidence is what came of a call, fit to keep and to show: there is no secret in it.
type Evidence struct {
	URL       string
	Status    int    // 0 when no answer came
	Body      string // its first 64 KiB as valid text, the secret masked
	SHA256    string // of the body as it was received, hexadecimal; "" when none was
	FetchedAt time.Time
	Duration  time.Duration
}

// reply is an answer as it was received.
type reply struct {
	status      int
	contentType string
	encoding    string
	body        []byte
}

// errNoContent is the cause of an answer without a body; of a close that is all there is to say.
var errNoContent = errors.New("the answer has no body")

// call makes a request of a source once and returns its document. Errors: ErrUnavailable, ErrRefused,
// ErrMalformed, ErrNotYet for an answer without a body, ErrConfig.
func (c *Client) call(ctx context.Context, cfg *Config, s *Source, r *Request, ref DrawRef) (Evidence, []byte, error) {
	e := Evidence{FetchedAt: c.options.Clock.Now()}
	v, err := c.values(cfg, s, ref)
	if err != nil {
		return e, nil, err
	}
	select {
	case c.turns <- struct{}{}:
		defer func() { <-c.turns }()
	case <-ctx.Done():
		return e, nil, ErrUnavailable.WithCause(ctx.Err())
	}
	within, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	req, shown, err := c.newRequest(within, s, r, v)
	e.URL = shown
	if err != nil {
		return e, nil, err
	}
	e.FetchedAt = c.options.Clock.Now()
	ctx, stage := telemetry.LotteryCalls.Begin(ctx, s.Name)
	answer, err := c.circuits.of(s.Name + " " + req.URL.Host).Execute(func() (*reply, error) { return c.roundTrip(ctx, req) })
	stage.End(err)
	e.Duration = c.options.Clock.Now().Sub(e.FetchedAt)
	if answer != nil {
		c.keep(&e, answer)
	}
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		err = ErrUnavailable.WithCause(err)
	}
	if err == nil {
		err = answer.fault()
	}
	if err != nil {
		return e, nil, err
	}
	return e, answer.body, nil
}

// roundTrip sends a request. What makes an error of it is what counts against the source; caller is the
// context without the call's own timeout.
func (c *Client) roundTrip(caller context.Context, req *http.Request) (*reply, error) {
	res, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, c.unavailable(caller, err)
	}
	defer res.Body.Close() //nolint:errcheck // it was read to its end or is given up
	answer := &reply{status: res.StatusCode, contentType: res.Header.Get("Content-Type"), encoding: res.Header.Get("Content-Encoding")}
	answer.body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return answer, c.unavailable(caller, err)
	}
	passing := answer.status == http.StatusRequestTimeout || answer.status == http.StatusTooEarly || answer.status == http.StatusTooManyRequests
	if passing || answer.status >= http.StatusInternalServerError {
		return answer, ErrUnavailable.WithCause(fmt.Errorf("status %d", answer.status))
	}
	return answer, nil
}

// unavailable classifies a network failure; it returns ctx.Err() if the caller cancelled.
func (c *Client) unavailable(caller context.Context, err error) error {
	if caller.Err() != nil {
		return ErrUnavailable.WithCause(caller.Err())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return ErrUnavailable.WithCause(errors.New("no whole answer in time"))
	}
	return ErrUnavailable.WithCause(&callError{text: c.masks.Replace(err.Error()), err: err})
}

// callError is an error of the network without a secret in its text: some quote what came.
type callError struct {
	text string
	err  error
}

// Error implements error.
func (f *callError) Error() string { return f.text }

// Unwrap returns what failed.
func (f *callError) Unwrap() error { return f.err }

// fault returns why an answer cannot have a document, or nil.
func (a *reply) fault() error {
	media, _, err := mime.ParseMediaType(a.contentType)
	switch {
	case a.status >= http.StatusMultipleChoices || a.status < http.StatusOK:
		return ErrRefused.WithCause(fmt.Errorf("status %d", a.status))
	case len(a.body) == 0:
		return ErrNotYet.WithCause(errNoContent)
	case len(a.body) > maxAnswer:
		return ErrMalformed.WithCause(fmt.Errorf("the answer is longer than %d bytes", maxAnswer))
	case a.encoding != "" && a.encoding != "identity":
		return ErrMalformed.WithCause(errors.New("the answer is packed, which was not asked for"))
	case err != nil || media != "application/json" && media != "text/json" && !strings.HasSuffix(media, "+json"):
		return ErrMalformed.WithCause(errors.New("the content type is not JSON"))
	}
	return nil
}

// keep writes an answer as evidence.
func (c *Client) keep(e *Evidence, a *reply) {
	sum := sha256.Sum256(a.body)
	e.Status, e.SHA256 = a.status, hex.EncodeToString(sum[:])
	text := strings.ReplaceAll(strings.ToValidUTF8(string(a.body), "\uFFFD"), "\x00", "\uFFFD") // Postgres keeps no NUL
	e.Body = models.Clip(c.masks.Replace(text), maxEvidence)
}

// The shown form of secrets, and the shortest secret that is searched for in texts: a shorter one may be ordinary
// text.
const (
	shownSecret = "***"
	minSecret   = 8
)

// masksOf hides the secrets in text, in the forms a document or an address may give them.
func masksOf(secrets map[string]string) *strings.Replacer {
	var pairs []string
	for _, secret := range secrets {
		if len(secret) < minSecret {
			continue // New refuses it
		}
		for _, form := range []string{secret, escapeJSON(secret), url.QueryEscape(secret), url.PathEscape(secret)} {
			pairs = append(pairs, form, shownSecret)
		}
	}
	return strings.NewReplacer(pairs...)
}
