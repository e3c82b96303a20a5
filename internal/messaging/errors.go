package messaging

import (
	"errors"
	"strings"
	"time"

	"banca/internal/apperr"
)

// Errors of the domain.
var (
	ErrInvalidRecipient = apperr.New(apperr.Invalid, "INVALID_RECIPIENT", "the recipient must be a telephone number in E.164 form")
	ErrInvalidMessage   = apperr.New(apperr.Invalid, "INVALID_MESSAGE", "the message is too long, empty, or its picture has no http address")
	ErrNotFound         = apperr.New(apperr.NotFound, "MESSAGE_NOT_FOUND", "no such message")
	ErrNotResendable    = apperr.New(apperr.Conflict, "MESSAGE_NOT_RESENDABLE", "only a failed or unknown message can be sent again")
	errUnderWay         = apperr.New(apperr.Unavailable, "MESSAGE_UNDER_WAY", "another attempt of this message is under way")
)

// ErrorKind is what a failed attempt means for the message and its channel.
type ErrorKind string

// The kinds of failure. The first three are temporary and retried; recipient, content, needs_template and auth need a
// person; after unknown_outcome it is uncertain whether the message was delivered.
const (
	Retryable      ErrorKind = "retryable"
	RateLimited    ErrorKind = "rate_limited"
	ChannelDown    ErrorKind = "channel_down" // not linked, banned, without licence: every message would fail
	BadRecipient   ErrorKind = "recipient"
	BadContent     ErrorKind = "content"
	NeedsTemplate  ErrorKind = "needs_template" // outside the window in which free text is allowed
	Unauthorised   ErrorKind = "auth"
	UnknownOutcome ErrorKind = "unknown_outcome"
)

// Error is a failed attempt. Its text is kept with the message, so it holds no telephone number in full and
// no credential.
type Error struct {
	Kind       ErrorKind
	Text       string
	RetryAfter time.Duration // zero when the gateway named none
}

// Error implements error.
func (e *Error) Error() string { return "messaging: " + string(e.Kind) + ": " + e.Text }

// code is the stable code of the failure, as message_logs.error_code keeps it.
func (e *Error) code() string { return strings.ToUpper(string(e.Kind)) }

// passes reports whether the same message may succeed later without anybody doing anything.
func (e *Error) passes() bool {
	return e.Kind == Retryable || e.Kind == RateLimited || e.Kind == ChannelDown
}

// asError returns err as an *Error. An error that a driver did not classify may have happened at any point, so its
// outcome is unknown.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: UnknownOutcome, Text: clean(err.Error())}
}
