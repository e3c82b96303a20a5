package completion

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Kind is the class of a failed attempt.
type Kind string

// The kinds.
const (
	RateLimited Kind = "rate_limited" // 429
	Timeout     Kind = "timeout"      // 408, no first byte, silence, too long altogether
	Network     Kind = "network"      // no connection, or it broke before the answer began
	Server      Kind = "server"       // 5xx
	Access      Kind = "access"       // 401, 403, 404: the key or the address is wrong
	Rejected    Kind = "rejected"     // another 4xx: this model does not take this request
	Malformed   Kind = "malformed"    // not the protocol: garbage, no choices, too large
	Empty       Kind = "empty"        // neither text nor a tool call
	Cut         Kind = "cut"          // broken off: a limit of tokens, a filter, the end of the stream
	Stopped     Kind = "stopped"      // by the caller, which is no failure of the model
)

// Error is a failed attempt at a model.
type Error struct {
	Model      string
	Kind       Kind
	Status     int           // of the answer, or the one inside a 200; 0 without
	RetryAfter time.Duration // as the provider asks; 0 if it does not
	Shown      bool          // text of the answer was shown before it failed
	Spent      Usage         // zero if the model had not begun to answer
}

// Error names the model and the kind. It never holds what the provider wrote, which may repeat the key.
func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("completion: model %s: %s (%d)", e.Model, e.Kind, e.Status)
	}
	return fmt.Sprintf("completion: model %s: %s", e.Model, e.Kind)
}

// StoppedError is the error of an attempt that the caller ended. It wraps the caller's reason.
type StoppedError struct {
	Spent Usage // zero if the request was not sent

	cause error
}

// Error implements error.
func (e *StoppedError) Error() string { return "completion: stopped: " + e.cause.Error() }

// Unwrap returns the caller's reason.
func (e *StoppedError) Unwrap() error { return e.cause }

// ErrSaturated is the result of a chain of which no model answers.
var ErrSaturated = errors.New("completion: no model answers")

var (
	errFirstByte = errors.New("completion: no first byte in time")
	errIdle      = errors.New("completion: silence in the answer")
	errTotal     = errors.New("completion: the call takes too long")
	errTooLarge  = errors.New("completion: the answer is too large")
	errProtocol  = errors.New("completion: not the protocol")
)

// kindOf classifies the error of a transport or a reader.
func kindOf(ctx context.Context, err error) Kind {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errFirstByte), errors.Is(cause, errIdle), errors.Is(cause, errTotal):
		return Timeout
	case errors.Is(err, errTooLarge), errors.Is(err, errProtocol):
		return Malformed
	default:
		return Network
	}
}

// kindOfStatus classifies a status.
func kindOfStatus(status int) Kind {
	switch {
	case status == 429:
		return RateLimited
	case status == 408:
		return Timeout
	case status == 401, status == 403, status == 404:
		return Access
	case status >= 500:
		return Server
	default:
		return Rejected
	}
}
