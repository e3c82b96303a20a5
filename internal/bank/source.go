package bank

import (
	"net/netip"
	"strings"
	"sync/atomic"

	"banca/internal/platform/clientaddr"
)

// gatekeeper checks the source of a call: its address, and TLS.
type gatekeeper struct {
	allowed []netip.Prefix                 // of the bank, by the configuration
	stored  atomic.Pointer[[]netip.Prefix] // where the configuration has none; without both, every address is refused
	proxies clientaddr.Proxies
	tls     bool // TLS is required
}

// source returns the address that a call came from. ok is false if a trusted proxy sent an invalid address.
func (g *gatekeeper) source(peer string, forwardedFor []string) (from netip.Addr, ok bool) {
	return g.proxies.Source(peer, forwardedFor)
}

// permits reports whether an address is one of the bank's.
func (g *gatekeeper) permits(from netip.Addr) bool { return clientaddr.In(g.addresses(), from) }

// addresses are the bank's: those of the configuration, or the stored ones.
func (g *gatekeeper) addresses() []netip.Prefix {
	if stored := g.stored.Load(); stored != nil && len(g.allowed) == 0 {
		return *stored
	}
	return g.allowed
}

// encrypted reports whether a call came over TLS, to the listener of this process or to a trusted proxy. Of several
// values of X-Forwarded-Proto the last one counts. encrypted is true if TLS is not required.
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

// sourceKey returns the key by which calls of an address are counted: the IPv4 address, or the network of an IPv6
// subscriber, who can use any address of it.
func sourceKey(addr netip.Addr) string {
	switch {
	case !addr.IsValid():
		return "unknown"
	case addr.Is6():
		return netip.PrefixFrom(clientaddr.Network(addr, clientaddr.SubscriberBits), clientaddr.SubscriberBits).String()
	default:
		return addr.String()
	}
}
