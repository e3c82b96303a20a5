package banksim

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"syscall"
)

// maxResponseHeader bounds what is read of an answer's header, in bytes.
const maxResponseHeader = 16 << 10

// newTransport returns a transport that reaches one target only. Every call has a connection of its own, as
// a bank's calls have, and none outlives its call.
func newTransport(t *target, roots *x509.CertPool, resolve func(address string) string) *http.Transport {
	dialer := &net.Dialer{ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		return t.checkAddress(address)
	}}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy: nil, // the environment's would be what is dialled, and so checked, instead of the target
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, resolve(address))
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		Protocols:              &protocols,
		DisableKeepAlives:      true,
		DisableCompression:     true, // the answer is shown as it came
		MaxResponseHeaderBytes: maxResponseHeader,
	}
}

// checkAddress allows or refuses the address that a target's name was resolved to, just before it is
// dialled: what the name resolved to earlier says nothing about now.
func (t *target) checkAddress(address string) error {
	resolved, err := netip.ParseAddrPort(address)
	if err != nil || resolved.Port() != t.port {
		return errAddress
	}
	ip := resolved.Addr().Unmap()
	if neverCalled(ip) || ip.IsLoopback() && !t.loopback {
		return errAddress
	}
	return nil
}

// neverCalled reports whether no target may be at ip. Link-local has the metadata service of clouds, and
// 0.0.0.0/8 leads to this machine.
func neverCalled(ip netip.Addr) bool {
	thisNetwork := ip.Is4() && ip.As4()[0] == 0
	broadcast := ip == netip.AddrFrom4([4]byte{255, 255, 255, 255})
	return ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || thisNetwork || broadcast
}
