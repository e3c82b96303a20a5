package egress

import (
	"errors"
	"net/netip"
)

// ErrAddress refuses an address when it is dialled.
var ErrAddress = errors.New("egress: the name resolves to an address that is not called")

// Never reports whether nothing may be called at ip. Link-local has the metadata service of clouds, and
// 0.0.0.0/8 leads to this machine.
func Never(ip netip.Addr) bool {
	thisNetwork := ip.Is4() && ip.As4()[0] == 0
	broadcast := ip == netip.AddrFrom4([4]byte{255, 255, 255, 255})
	return ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || thisNetwork || broadcast
}

// ThisMachine reports whether a host, a lower-case name or an address without brackets, names this machine,
// and so may lead to it.
func ThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// check allows or refuses the address that a host was resolved to, just before it is dialled: what the name
// resolved to earlier says nothing about now.
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
