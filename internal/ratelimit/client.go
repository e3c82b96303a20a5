package ratelimit

import (
	"encoding/hex"
	"net/netip"

	"github.com/google/uuid"

	"banca/internal/clientaddr"
)

// Client is who is counted. Clients are comparable, and made without allocating.
type Client struct {
	kind byte
	id   [16]byte
}

// User is a user, whatever address the requests come from.
func User(id uuid.UUID) Client { return Client{kind: 'u', id: id} }

// Address is a client that nothing else is known of: an IPv4 address, or the network of an IPv6 address. All without an
// address are one.
func Address(a netip.Addr) Client {
	a = clientaddr.Network(a, clientaddr.SubscriberBits)
	if !a.IsValid() {
		return Client{kind: 'a'}
	}
	return Client{kind: 'a', id: a.As16()}
}

// key is the client's name in Redis.
func (c Client) key() string { return string(c.kind) + ":" + hex.EncodeToString(c.id[:]) }
