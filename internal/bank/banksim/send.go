package banksim

import (
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Headers of every request.
const (
	contentType = "application/json"
	userAgent   = "banca-bank-simulator"
)

// maxAnswer bounds the shown part of an answer's body, in bytes.
const maxAnswer = 64 << 10

// send makes a call and records it. It uses a new connection, so that net/http does not repeat the request on a
// connection that it finds closed.
func (s *Simulator) send(ctx context.Context, transport *http.Transport, c *call) Exchange {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	x := Exchange{Phase: c.phase, Method: http.MethodPost, URL: c.url, RequestBody: c.body, Curl: curlLine(c)}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(c.body))
	if err != nil {
		x.Error = failedOther
		return x
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Content-Type", contentType)
	if token := c.authorization(); token != "" {
		req.Header.Set("Authorization", token)
	}
	x.RequestHeaders = requestHeaders(req)
	started := s.clock.Now()
	res, err := transport.RoundTrip(req)
	if err != nil {
		x.Error = failure(err)
	} else {
		x.receive(res, newSecret(c.token))
	}
	x.Latency = s.clock.Now().Sub(started)
	return x
}

// requestHeaders returns the header as it is sent, with the token masked, including the fields that net/http adds to
// req.Header.
func requestHeaders(req *http.Request) string {
	header := req.Header.Clone()
	if token := header.Get("Authorization"); token != "" {
		header.Set("Authorization", mask(token))
	}
	header.Set("Content-Length", strconv.FormatInt(req.ContentLength, 10))
	header.Set("Connection", "close")
	return "Host: " + req.URL.Host + "\n" + headerLines(header)
}

// headerLines writes a header, a line each, sorted by name.
func headerLines(header http.Header) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			lines = append(lines, name+": "+value)
		}
	}
	return strings.Join(lines, "\n")
}

// receive reads an answer to its end or its bound. The token is masked before the body is cut, with as many
// bytes more as a token has, so that a cut never leaves a part of it.
func (x *Exchange) receive(res *http.Response, hidden *secret) {
	defer res.Body.Close() //nolint:errcheck // it was read to its end or is given up
	x.Status = res.StatusCode
	x.ResponseHeaders = text(hidden.hide(headerLines(res.Header)))
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+maxValue))
	body, note := hidden.hide(string(raw)), ""
	if len(body) > maxAnswer {
		body, note = body[:maxAnswer], "\n[cut here: only the first 64 KiB are shown]"
	}
	x.ResponseBody = text(body) + note
	if err != nil {
		x.Error = failureOfBody(err)
	}
}

// text makes foreign bytes valid text.
func text(raw string) string { return strings.ToValidUTF8(raw, "\uFFFD") }
