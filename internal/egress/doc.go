// Package egress is how this program calls addresses that somebody typed: it says which addresses are never
// called, and checks the address that a name resolves to at the moment it is dialled, so that a name cannot be
// pointed inwards later.
//
// Which names may be called at all is its callers' business; so are timeouts and the bound on a body.
package egress
