// Package devices owns the devices that entities sell with and the sessions they have.
//
// Invariants: neither a fingerprint nor a device key is stored, only an HMAC and a SHA-256; a fingerprint is
// known once in an entity; a device has at most one session that is not over, and an ended session never
// comes back; a session has one live connection, the one with its highest number. A device or session outside
// the caller's subtree is answered as if it did not exist.
//
// Data flow: Register -> device, active, with a key shown once. Validate proves the device, in the hands of a
// user who is logged in, by its fingerprint: older sessions end and a new one begins, under the device's row
// lock. Bind ties a connection to the session; Check tells, for all live connections at once, which of them
// have lost their ground. News goes to connections after the commit, by realtime.
//
//	active    -> suspended, blocked, inactive
//	suspended -> active, blocked, inactive
//	blocked   -> inactive, active
//	inactive  -> blocked, active
//
// Suspending suspends the device's active session, and activating revives it; blocked and inactive end it. A
// session goes active <-> suspended, and to inactive, which is final; it is revived only on an active device.
package devices
