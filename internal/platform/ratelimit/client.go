package ratelimit

import (
	"encoding/hex"
	"net/netip"

	"github.com/google/uuid"

	"banca/internal/platform/clientaddr"
)

// Client identifies whose requests are counted. Clients are comparable, and made without allocating.
type Client struct {
	kind byte
	id   [16]byte
}

// Kinds of clients; each belongs to one class of limits, see [Limits].
const (
	kindUser    = 'u'
	kindDevice  = 'd'
	kindBrowser = 'b'
	kindAddress = 'a'
	kindSite    = 's' // the IPv6 networks of one site
)

// User is a user of the API, at any address.
func User(id uuid.UUID) Client { return Client{kind: kindUser, id: id} }

// Device is a registered device, with any user and session.
func Device(id uuid.UUID) Client { return Client{kind: kindDevice, id: id} }

// Browser is a user of the panel. All browser sessions of a user are one client, so that a further login brings no further
// requests.
func Browser(user uuid.UUID) Client { return Client{kind: kindBrowser, id: user} }

// Address is a client that nothing else is known of: an IPv4 address, or the network of an IPv6 address. All without an
// address are one.
func Address(a netip.Addr) Client {
	a = clientaddr.Network(a, clientaddr.SubscriberBits)
	if !a.IsValid() {
		return Client{kind: kindAddress}
	}
	return Client{kind: kindAddress, id: a.As16()}
}

// site returns the client that the IPv6 networks of the address's site are together; false for all other clients.
func (c Client) site() (Client, bool) {
	a := netip.AddrFrom16(c.id)
	if c.kind != kindAddress || a.Is4In6() || a.IsUnspecified() {
		return Client{}, false
	}
	return Client{kind: kindSite, id: clientaddr.Network(a, clientaddr.SiteBits).As16()}, true
}

// key is the client's name in Redis.
func (c Client) key() string { return string(c.kind) + ":" + hex.EncodeToString(c.id[:]) }
