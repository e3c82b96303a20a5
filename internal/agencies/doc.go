// Package agencies makes an agency that is ready to sell: the agency below an entity, its ticket point, the credit of
// the ticket point's wallet, the user who sells and the device. It owns no table.
//
// Invariant: all parts are made in one transaction, or none. Checks that do not depend on stored rows, and the hash of
// the password, come before it.
package agencies
