// Package egress dials addresses that a person configured: it knows which addresses are never called, and checks the
// resolved address of a name when it is dialled, so that a name cannot be pointed inwards later.
//
// Its callers decide which names may be called at all, and set timeouts and the bound of a body.
package egress
