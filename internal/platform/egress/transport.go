package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// maxResponseHeader bounds the header of an answer, in bytes.
const maxResponseHeader = 16 << 10

// NewTransport returns a transport that checks each address when it dials. Every call has a new connection: net/http
// repeats a request whose kept connection turns out to be closed. The environment's proxy is not used: its address
// would be dialled, and so checked, instead. Answers are not decompressed. roots replace the system's unless nil;
// resolve replaces name resolution in tests and is nil otherwise.
func NewTransport(roots *x509.CertPool, resolve func(address string) string) *http.Transport {
	return newTransport(roots, dialWith(resolve, check))
}

// NewPublicTransport is NewTransport for addresses that users of the service type: private addresses and this machine are
// dialled only for the hosts that private names. roots replace the system's unless nil.
func NewPublicTransport(roots *x509.CertPool, private func(host, port string) bool) *http.Transport {
	return newTransport(roots, dialWith(nil, func(host, port, resolved string) error {
		if err := check(host, port, resolved); err != nil || private(host, port) {
			return err
		}
		return checkPublic(resolved)
	}))
}

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

func newTransport(roots *x509.CertPool, dial dialFunc) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		Protocols:              &protocols,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxResponseHeader,
	}
}

func dialWith(resolve func(address string) string, check func(host, port, resolved string) error) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, ErrAddress
		}
		if resolve != nil {
			address = resolve(address)
		}
		dialer := &net.Dialer{ControlContext: func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			return check(strings.ToLower(host), port, resolved)
		}}
		return dialer.DialContext(ctx, network, address)
	}
}
