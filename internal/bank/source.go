package bank

import (
	"net/netip"
	"slices"
	"strings"
)

// gatekeeper decides who may call: from where, and whether the way was encrypted.
type gatekeeper struct {
	allowed []netip.Prefix // of the bank; empty refuses everybody
	proxies []netip.Prefix // whose word about the client is believed
	tls     bool           // whether the way must be encrypted
}

// maxHops bounds how far X-Forwarded-For is read.
const maxHops = 32

// source finds where a call came from: the peer, or, while that is a trusted proxy, the last address that it
// says it heard from, read from the right, because a client writes whatever it likes on the left. ok is
// false when a trusted proxy names something that is no address.
func (g *gatekeeper) source(peer string, forwardedFor []string) (from netip.Addr, ok bool) {
	from, ok = parseAddr(peer)
	if !ok || !contains(g.proxies, from) {
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
		if from, ok = parseAddr(hop); !ok || !contains(g.proxies, from) {
			return from, ok
		}
	}
	return from, true
}

// permits reports whether an address is one of the bank's.
func (g *gatekeeper) permits(from netip.Addr) bool { return contains(g.allowed, from) }

// encrypted reports whether a call came over TLS: our own listener's, or by the word of a trusted proxy,
// whose last value counts.
func (g *gatekeeper) encrypted(own bool, peer string, forwardedProto []string) bool {
	if own || !g.tls {
		return true
	}
	from, ok := parseAddr(peer)
	if !ok || !contains(g.proxies, from) {
		return false
	}
	protos := strings.Split(strings.Join(forwardedProto, ","), ",")
	return strings.EqualFold(strings.TrimSpace(protos[len(protos)-1]), "https")
}

// parseAddr reads an address, with or without a port. IPv4-mapped IPv6 is unmapped and zones are dropped.
func parseAddr(text string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		with, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}, false
		}
		addr = with.Addr()
	}
	return addr.Unmap().WithZone(""), true
}

func contains(list []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// group is what calls are counted by: an IPv4 address, or the IPv6 network of one subscriber, who has more
// addresses than could be counted.
func group(addr netip.Addr) string {
	if addr.Is6() {
		if prefix, err := addr.Prefix(subscriberBits); err == nil {
			return prefix.String()
		}
	}
	if !addr.IsValid() {
		return "unknown"
	}
	return addr.String()
}

// subscriberBits is the length of the IPv6 prefix that providers give to one subscriber.
const subscriberBits = 64
