package bank

import (
	"net/netip"
	"strings"

	"banca/internal/clientaddr"
)

// gatekeeper checks the source of a call: its address, and TLS.
type gatekeeper struct {
	allowed []netip.Prefix // of the bank; empty refuses everybody
	proxies clientaddr.Proxies
	tls     bool // whether the way must be encrypted
}

// source finds where a call came from. ok is false when a trusted proxy names something that is not an address.
func (g *gatekeeper) source(peer string, forwardedFor []string) (from netip.Addr, ok bool) {
	return g.proxies.Source(peer, forwardedFor)
}

// permits reports whether an address is one of the bank's.
func (g *gatekeeper) permits(from netip.Addr) bool { return clientaddr.In(g.allowed, from) }

// encrypted reports whether a call came over TLS: our own listener's, or by the word of a trusted proxy,
// whose last value counts.
func (g *gatekeeper) encrypted(own bool, peer string, forwardedProto []string) bool {
	if own || !g.tls {
		return true
	}
	from, ok := clientaddr.Parse(peer)
	if !ok || !g.proxies.Contain(from) {
		return false
	}
	protos := strings.Split(strings.Join(forwardedProto, ","), ",")
	return strings.EqualFold(strings.TrimSpace(protos[len(protos)-1]), "https")
}

// group is the key by which calls are counted: an IPv4 address, or the IPv6 network of one subscriber, who has too
// many addresses to count them one by one.
func group(addr netip.Addr) string {
	switch {
	case !addr.IsValid():
		return "unknown"
	case addr.Is6():
		return netip.PrefixFrom(clientaddr.Network(addr, clientaddr.SubscriberBits), clientaddr.SubscriberBits).String()
	default:
		return addr.String()
	}
}
