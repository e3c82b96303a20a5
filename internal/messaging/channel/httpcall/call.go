package httpcall

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
)

// Call is one request.
type Call struct {
	Method string
	Base   string   // of the provider
	Path   []string // segments below it; each is escaped, so that none leads elsewhere
	Query  url.Values
	Header map[string]string
	Body   any // sent as JSON; []byte is sent as it is; nil sends no body
}

var errSegment = errors.New("a segment of the path is empty or leads elsewhere")

func (c *Call) request(ctx context.Context) (*http.Request, error) {
	address, err := c.address()
	if err != nil {
		return nil, err
	}
	payload, raw := c.Body.([]byte)
	if c.Body != nil && !raw {
		if payload, err = json.Marshal(c.Body); err != nil {
			return nil, fmt.Errorf("encode: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, c.Method, address, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	if c.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range c.Header {
		req.Header.Set(name, value)
	}
	return req, nil
}

func (c *Call) address() (string, error) {
	var address strings.Builder
	address.WriteString(c.Base)
	if len(c.Path) > 0 {
		address.Reset()
		address.WriteString(strings.TrimRight(c.Base, "/"))
	}
	for _, segment := range c.Path {
		if segment == "" || segment == "." || segment == ".." {
			return "", errSegment
		}
		address.WriteString("/" + url.PathEscape(segment))
	}
	if len(c.Query) > 0 {
		address.WriteString("?" + c.Query.Encode())
	}
	return address.String(), nil
}

// progress is how far a request got.
type progress struct{ connected, failed atomic.Bool }

func (p *progress) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { p.connected.Store(true) },
		WroteRequest: func(info httptrace.WroteRequestInfo) { p.failed.Store(info.Err != nil) },
	})
}

// unsent reports whether the provider certainly has no whole request. A request counts as sent from the moment
// there is a connection, because a cancelled caller may return before the end of the writing is reported.
func (p *progress) unsent() bool { return !p.connected.Load() || p.failed.Load() }
