// Package clientaddr finds the address of the client behind trusted proxies. The API, the panel, the bank's calls,
// the limits and the throttles use it, so that one rule decides which client a request counts against and which
// address is logged. It imports no other package of the module.
package clientaddr

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// maxHops bounds how far X-Forwarded-For is read.
const maxHops = 32

// Lengths of IPv6 prefixes: providers give a /64 to one subscriber, and a /48 to one site, which may use each of its
// 65,536 networks as another client.
const (
	SubscriberBits = 64
	SiteBits       = 48
)

// Proxies are the networks of the proxies whose X-Forwarded-For is believed. No other header is.
type Proxies []netip.Prefix

// Contain reports whether an address is a trusted proxy's.
func (p Proxies) Contain(addr netip.Addr) bool { return In(p, addr) }

// In reports whether an address is of one of the networks.
func In(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Contains(addr) })
}

// Source returns the address a request comes from: the peer, or, while that is a trusted proxy, the last address in
// X-Forwarded-For, read from the right, because a client may write anything on the left. ok is false if the peer is
// not an address or a trusted proxy sends an invalid one; from is then the nearest known address, or the zero Addr.
func (p Proxies) Source(peer string, forwardedFor []string) (from netip.Addr, ok bool) {
	from, ok = Parse(peer)
	if !ok || !p.Contain(from) {
		return from, ok
	}
	hops := strings.Split(strings.Join(forwardedFor, ","), ",")
	if len(hops) > maxHops {
		hops = hops[len(hops)-maxHops:]
	}
	for _, hop := range slices.Backward(hops) {
		if hop = strings.TrimSpace(hop); hop == "" && len(hops) == 1 {
			return from, true // the proxy itself calls
		}
		next, ok := Parse(hop)
		if !ok {
			return from, false
		}
		if from = next; !p.Contain(from) {
			return from, true
		}
	}
	return from, true
}

// Of returns the address of a request's client: the nearest known one if a proxy sends an invalid one, and the zero
// Addr on a listener without addresses.
func (p Proxies) Of(r *http.Request) netip.Addr {
	from, _ := p.Source(r.RemoteAddr, r.Header.Values("X-Forwarded-For"))
	return from
}

// Parse reads an address in the forms that proxies send: bare, with a port, in brackets, in brackets with a port.
// IPv4-mapped IPv6 is unmapped and zones are dropped.
func Parse(text string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		with, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}, false
		}
		addr = with.Addr()
	}
	return addr.Unmap().WithZone(""), true
}

// ParsePrefix reads a range such as 10.0.0.0/8 or a single address. IPv4-mapped IPv6 is unmapped, as peers are.
func ParsePrefix(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	return prefix.Masked(), err
}

// Network returns what requests without a user are counted by: an IPv4 address, or the network of an IPv6 address of so
// many bits. An invalid address returns itself.
func Network(addr netip.Addr, bits int) netip.Addr {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		if network, err := addr.Prefix(bits); err == nil {
			return network.Addr()
		}
	}
	return addr
}
