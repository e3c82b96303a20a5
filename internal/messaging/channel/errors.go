package channel

import (
	"errors"
	"strings"
	"time"
)

// Errors of webhooks.
var (
	ErrSignature = errors.New("messaging: the signature of the webhook does not fit its body")
	ErrWebhook   = errors.New("messaging: the body of the webhook is not of the provider's form")
)

// Kind is what a failed attempt means for the message and its channel.
type Kind string

// The kinds of failure. The first three are temporary and retried; recipient, content, needs_template and auth need a
// person; after unknown_outcome it is uncertain whether the message was delivered.
const (
	Retryable      Kind = "retryable"
	RateLimited    Kind = "rate_limited"
	ChannelDown    Kind = "channel_down" // not linked, banned, without licence: every message would fail
	BadRecipient   Kind = "recipient"
	BadContent     Kind = "content"
	NeedsTemplate  Kind = "needs_template" // outside the window in which free text is allowed
	Unauthorised   Kind = "auth"           // as channel_down, but for the key, which a person must replace
	UnknownOutcome Kind = "unknown_outcome"
)

// Error is a failed call of a provider. Its text is kept with the message, so it holds no telephone number in full and
// no credential.
type Error struct {
	Kind         Kind
	Text         string
	RetryAfter   time.Duration // zero when the provider named none
	ProviderCode string        // the provider's own code, such as 131047; empty when it has none
	PerRecipient bool          // of rate_limited: it concerns this recipient, and others may be sent to
	State        State         // what the error says of the account; empty when nothing
}

// Error implements error.
func (e *Error) Error() string { return "messaging: " + string(e.Kind) + ": " + e.Text }

// Code is the stable code of the failure, as message_logs.error_code keeps it.
func (e *Error) Code() string { return strings.ToUpper(string(e.Kind)) }

// Passes reports whether the same message may succeed later without anybody doing anything.
func (e *Error) Passes() bool {
	return e.Kind == Retryable || e.Kind == RateLimited || e.Kind == ChannelDown
}

// AsError returns err as an *Error. An error that a driver did not classify may have happened at any point, so its
// outcome is unknown.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: UnknownOutcome, Text: Clean(err.Error())}
}
