package egress

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// ErrAddress refuses an address when it is dialled.
var ErrAddress = errors.New("egress: the name resolves to an address that is not called")

// Never reports whether nothing may be called at ip: an address of no single host, one that leads to this machine or
// to the metadata service of a cloud, a unique local IPv6 address, or one that embeds an IPv4 address for a gateway
// to unpack, which a check of the IPv6 address would miss. Private IPv4 addresses may be called if a configured list
// allows the host.
func Never(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if ip.IsLoopback() {
		return false // whether this machine may be called depends on the name that leads to it
	}
	return ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast() ||
		slices.ContainsFunc(neverCalled(), func(p netip.Prefix) bool { return p.Contains(ip) })
}

// neverCalled lists the networks that net/netip has no name for.
func neverCalled() []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("240.0.0.0/4"),        // reserved, with the limited broadcast
		netip.MustParsePrefix("198.18.0.0/15"),      // benchmarks, RFC 2544
		netip.MustParsePrefix("192.88.99.0/24"),     // 6to4 relays, RFC 7526
		netip.MustParsePrefix("100.100.100.200/32"), // metadata: Alibaba
		netip.MustParsePrefix("168.63.129.16/32"),   // metadata: Azure
		netip.MustParsePrefix("192.0.0.0/24"),       // IETF protocols; metadata: Oracle, at 192.0.0.192
		netip.MustParsePrefix("fc00::/7"),           // unique local; metadata: Amazon, at fd00:ec2::254, and others
		netip.MustParsePrefix("64:ff9b::/96"),       // NAT64, RFC 6052
		netip.MustParsePrefix("64:ff9b:1::/48"),     // NAT64 of a site, RFC 8215
		netip.MustParsePrefix("2002::/16"),          // 6to4
		netip.MustParsePrefix("2001::/23"),          // IETF protocols: Teredo, ORCHID, benchmarks
		netip.MustParsePrefix("fec0::/10"),          // site-local, RFC 3879
		netip.MustParsePrefix("100::/63"),           // discard-only, RFC 6666, and dummy, RFC 9780
		netip.MustParsePrefix("3fff::/20"),          // documentation, RFC 9637
		netip.MustParsePrefix("5f00::/16"),          // SRv6 identifiers, RFC 9602
		netip.MustParsePrefix("::/96"),              // IPv4-compatible, but for the loopback address
	}
}

// ThisMachine reports whether a host, a lower-case name or an address without brackets, names this machine,
// and so may lead to it.
func ThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// Secure reports whether a URL may be called: its traffic must not be readable or changeable, so plain http is for
// this machine and private networks only.
func Secure(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return !Never(ip) && (u.Scheme == "https" || u.Scheme == "http" && (ip.IsLoopback() || ip.IsPrivate()))
	}
	return u.Scheme == "https" || u.Scheme == "http" && ThisMachine(host)
}

// check allows or refuses the resolved address of a host, just before it is dialled: an earlier resolution of the
// name proves nothing.
func check(host, port, resolved string) error {
	at, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return ErrAddress
	}
	wanted, err := netip.ParseAddrPort("0.0.0.0:" + port)
	if err != nil || at.Port() != wanted.Port() {
		return ErrAddress
	}
	ip := at.Addr().Unmap()
	if Never(ip) || ip.IsLoopback() && !ThisMachine(host) {
		return ErrAddress
	}
	return nil
}

// checkPublic refuses a resolved address of a private network, of this machine or of a carrier's network (RFC 6598).
func checkPublic(resolved string) error {
	at, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return ErrAddress
	}
	ip := at.Addr().Unmap()
	if ip.IsPrivate() || ip.IsLoopback() || netip.MustParsePrefix("100.64.0.0/10").Contains(ip) {
		return ErrAddress
	}
	return nil
}
