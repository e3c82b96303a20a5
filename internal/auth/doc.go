// Package auth owns users and their sessions: it authenticates callers and limits them to a part of the organisation.
//
// Invariants: neither a password nor a token is stored, only a bcrypt hash and a SHA-256; a failed login gives the
// same answer after the same work whatever the cause; a session row is one family of refresh tokens of which exactly
// one is valid, and using an older one ends the family; the end of a session, an inactive user and a changed role
// take effect within seconds in every process.
//
// Data flow: Login -> session row -> an access token (signed, minutes) and a refresh token (opaque, days).
// Authenticate -> signature and session, both usually cached -> caller.Caller, whose Scope limits every query.
// Browsers carry one opaque token instead, see LoginBrowser.
package auth
