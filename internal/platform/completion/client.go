package completion

import (
	"bufio"
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"banca/internal/platform/egress"
)

// Bounds of an answer.
const (
	maxAnswer  = 2 << 20   // bytes on the wire
	maxLine    = 512 << 10 // bytes of one event of a stream
	maxText    = 64 << 10  // bytes of text
	maxCalls   = 16
	maxArgs    = 16 << 10 // bytes of the arguments of a call
	bytesToken = 4        // bytes of a token, for an estimate
)

// Timeouts bound a call.
type Timeouts struct {
	FirstByte time.Duration // of a streamed answer
	Idle      time.Duration // between two bytes
	Total     time.Duration
}

// Client makes attempts. It is safe for concurrent use and keeps nothing.
type Client struct {
	timeouts  Timeouts
	transport http.RoundTripper
}

// NewClient returns a client. roots replace the system's unless nil.
func NewClient(t Timeouts, roots *x509.CertPool) *Client {
	return &Client{timeouts: t, transport: egress.NewTransport(roots, nil)}
}

// Complete makes one attempt at a model. onText receives each part of the text as it arrives; an error of it ends the
// attempt and is returned. Errors: *Error; *StoppedError with ctx.Err() if the caller cancelled, or with the error of
// onText.
func (c *Client) Complete(ctx context.Context, m *Model, r *Request, onText func(string) error) (*Answer, error) {
	body, err := encode(m, r)
	if err != nil {
		return nil, &Error{Model: m.Name, Kind: Malformed}
	}
	return c.send(ctx, m, body, onText)
}

// send sends the body of a request and reads the answer.
func (c *Client) send(ctx context.Context, m *Model, body []byte, onText func(string) error) (*Answer, error) {
	within, cancelTotal := context.WithTimeoutCause(ctx, c.timeouts.Total, errTotal)
	defer cancelTotal()
	within, cancel := context.WithCancelCause(within)
	defer cancel(nil)
	a := &attempt{model: m, onText: onText, sent: len(body)}
	within = httptrace.WithClientTrace(within, &httptrace.ClientTrace{WroteRequest: func(w httptrace.WroteRequestInfo) { a.written.Store(w.Err == nil) }})
	req, err := newRequest(within, m, body)
	if err != nil {
		return nil, &Error{Model: m.Name, Kind: Malformed}
	}
	first := c.timeouts.FirstByte
	if m.Whole {
		first = c.timeouts.Total
	}
	var began atomic.Bool
	watch := time.AfterFunc(first, func() {
		if began.Load() {
			cancel(errIdle)
			return
		}
		cancel(errFirstByte)
	})
	defer watch.Stop()
	res, err := c.transport.RoundTrip(req) // which follows no redirect and repeats nothing
	if err != nil {
		return nil, a.failed(ctx, within, err)
	}
	defer res.Body.Close() //nolint:errcheck // it was read to its end or is given up
	answer, err := a.read(
		res, &watched{r: io.LimitReader(res.Body, maxAnswer+1), watch: watch, idle: c.timeouts.Idle, began: &began},
	)
	if err != nil {
		return nil, a.failed(ctx, within, err)
	}
	return answer, nil
}

// watched restarts the watch at each byte and bounds their number.
type watched struct {
	r     io.Reader
	n     int64
	watch *time.Timer
	idle  time.Duration
	began *atomic.Bool
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		w.began.Store(true)
		w.watch.Reset(w.idle)
	}
	if w.n += int64(n); w.n > maxAnswer {
		return 0, errTooLarge
	}
	return n, err
}

// attempt is a call with the received part of its answer.
type attempt struct {
	model    *Model
	onText   func(string) error
	sent     int         // bytes of the request
	written  atomic.Bool // the request was sent as a whole
	received int         // bytes of the answer's text and calls
	counted  *wireUsage  // by the provider; nil until it has sent its count
	shown    bool
	stop     error // of onText
}

// show passes a part of the text on.
func (a *attempt) show(text string) error {
	if text == "" || a.onText == nil {
		return nil
	}
	a.shown = true
	if err := a.onText(text); err != nil {
		a.stop = err
		return err
	}
	return nil
}

// failed turns the error of an attempt into an *Error, or into a *StoppedError if the caller ended it.
func (a *attempt) failed(caller, within context.Context, err error) error {
	if cause := cmp.Or(a.stop, caller.Err()); cause != nil {
		return &StoppedError{Spent: a.spent(a.written.Load()), cause: cause}
	}
	var known *Error
	if !errors.As(err, &known) {
		known = &Error{Kind: kindOf(within, err)}
		if known.Kind == Network && a.shown {
			known.Kind = Cut
		}
	}
	known.Model, known.Shown = a.model.Name, a.shown
	unanswered := known.Kind == Timeout && known.Status == 0 && a.written.Load()
	known.Spent = a.spent(unanswered || known.Kind == Cut || known.Kind == Empty)
	return known
}

// read reads the answer of a provider.
func (a *attempt) read(res *http.Response, body io.Reader) (*Answer, error) {
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode == http.StatusOK && media == "text/event-stream" {
		return a.readStream(bufio.NewReaderSize(body, 4<<10))
	}
	all, err := io.ReadAll(body)
	if res.StatusCode != http.StatusOK {
		return nil, refusal(res.StatusCode, res.Header, all) // whatever was read of it
	}
	if err != nil {
		return nil, err
	}
	return a.readWhole(res.Header, all)
}
