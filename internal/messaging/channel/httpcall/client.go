package httpcall

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"banca/internal/messaging/channel"
	"banca/internal/platform/egress"
)

// MaxAnswer bounds how much of an answer is read, in bytes. A QR code as a data URL fits.
const MaxAnswer = 256 << 10

// Client calls providers. It is safe for concurrent use.
type Client struct {
	http    *http.Client
	private map[string]bool
}

// New returns a client. Addresses of private networks and of this machine, and plain http, are for the hosts of private only:
// host or host:port. roots replace the system's unless nil.
func New(private []string, roots *x509.CertPool) *Client {
	c := &Client{private: make(map[string]bool, len(private))}
	for _, host := range private {
		c.private[strings.ToLower(host)] = true
	}
	c.http = &http.Client{
		Transport: egress.NewPublicTransport(roots, c.isPrivate),
		// A redirected POST would be sent again as a GET, or twice; a provider that redirects is misconfigured.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

func (c *Client) isPrivate(host, port string) bool {
	host = strings.ToLower(host)
	return c.private[host] || c.private[net.JoinHostPort(host, port)]
}

// refuses reports whether an address may not be called whatever its name resolves to: plain http carries the key in
// the open, so it is for private hosts.
func (c *Client) refuses(u *url.URL) bool {
	if u.Scheme == "https" {
		return false
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	return !c.isPrivate(u.Hostname(), port)
}

// Answer is what a provider answered. Cut reports that Body is only the beginning, because the answer was too long.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Cut    bool
}

// Do makes a call for channel ch within ctx. Errors are *channel.Error: channel_down when the address cannot be called,
// retryable when the request was certainly not sent, unknown_outcome when it may have been and no whole answer came.
func (c *Client) Do(ctx context.Context, ch channel.Channel, call Call) (Answer, error) {
	var way progress
	req, err := call.request(way.trace(ctx))
	if err != nil {
		return Answer{}, &channel.Error{Kind: channel.ChannelDown, Text: ch.Clean(joined(channel.BadRequest, reason(err)))}
	}
	if c.refuses(req.URL) {
		return Answer{}, &channel.Error{Kind: channel.ChannelDown, Text: string(channel.PlainHTTP)}
	}
	res, err := c.http.Do(req)
	switch {
	case errors.Is(err, egress.ErrAddress) && net.ParseIP(req.URL.Hostname()) != nil: // a name is as one that does not exist
		return Answer{}, &channel.Error{Kind: channel.ChannelDown, Text: string(channel.PrivateNetwork)}
	case err != nil && way.unsent():
		return Answer{}, &channel.Error{Kind: channel.Retryable, Text: ch.Clean(joined(channel.NotSent, classOf(err)))}
	case err != nil:
		return Answer{}, &channel.Error{Kind: channel.UnknownOutcome, Text: ch.Clean(joined(channel.NoAnswer, classOf(err)))}
	}
	defer res.Body.Close() //nolint:errcheck // it was read to its end or is given up
	body, err := io.ReadAll(io.LimitReader(res.Body, MaxAnswer+1))
	answer := Answer{Status: res.StatusCode, Header: res.Header, Body: body[:min(len(body), MaxAnswer)], Cut: err != nil || len(body) > MaxAnswer}
	if err != nil && answer.OK() {
		return answer, &channel.Error{Kind: channel.UnknownOutcome, Text: ch.Clean(joined(channel.HalfAnswer, classOf(err)))}
	}
	return answer, nil
}

// classOf is the class of a failed call. Who may set the address of a connection learns neither names and addresses of the
// network of the server, nor which of them exist.
func classOf(err error) channel.Reason {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return channel.BadCertificate
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return channel.NoTLS
	}
	return channel.Unreachable
}

func joined[T ~string](reason channel.Reason, rest T) string {
	return string(reason) + ": " + string(rest)
}

// reason is the text of an error without the address, which may hold an id.
func reason(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return err.Error()
}
