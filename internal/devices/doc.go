// Package devices owns the devices that entities sell with and the sessions they have.
//
// Invariants: neither a fingerprint nor a device key is stored, only an HMAC and a SHA-256; a fingerprint is unique
// in an entity; a device has at most one session that has not ended, and an ended session never comes back; a session
// has one live connection, the one with its highest number. A device or session outside the caller's subtree is
// answered as if it did not exist.
//
// Data flow: Register -> device, active, with a key shown once. Validate proves the device of a logged-in user by its
// fingerprint: older sessions end and a new one begins, under the device's row lock. Bind ties a connection to the
// session; Check finds, for all live connections at once, those that must end. Connections are notified after the
// commit, by realtime.
//
//	active    -> suspended, blocked, inactive
//	suspended -> active, blocked, inactive
//	blocked   -> inactive, active
//	inactive  -> blocked, active
//
// Suspending suspends the device's active session, and activating revives it; blocked and inactive end it. A session
// goes active <-> suspended, and to inactive, which is final; it is revived only on an active device.
package devices
