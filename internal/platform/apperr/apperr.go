// Package apperr is the one error type of the project: a kind that decides the HTTP status, a stable
// code that clients branch on, a message that is safe to show, and the cause, which never leaves the
// process. An error that is not an *Error is internal.
package apperr

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Kind classifies an error; the api maps each to one HTTP status.
type Kind string

// The kinds of error, named for what the caller should understand.
const (
	Malformed       Kind = "malformed"       // 400: the request cannot be read
	Unauthenticated Kind = "unauthenticated" // 401
	Forbidden       Kind = "forbidden"       // 403
	NotFound        Kind = "not_found"       // 404
	Conflict        Kind = "conflict"        // 409
	TooLarge        Kind = "too_large"       // 413
	Invalid         Kind = "invalid"         // 422: readable, but breaks a rule
	RateLimited     Kind = "rate_limited"    // 429
	RiskLimit       Kind = "risk_limit"      // 433, the specification's own status
	Unavailable     Kind = "unavailable"     // 503: try again later
	Internal        Kind = "internal"        // 500
)

// Code is the stable name of an error, UPPER_SNAKE. It has a text error.<code> in both languages (api/problem/locales).
type Code string

// LineCode is the stable name of an error in one part of a request. It has a text line.<code> in both languages.
type LineCode string

// Message names the error in a part of a request and its remedy. It has a text field.* in both languages. Messages
// and codes are constants; a test finds them by their type and refuses any other.
type Message string

// Messagef returns the message of a template with its arguments, as fmt.Sprintf.
func Messagef(template Message, args ...any) Message {
	return Message(fmt.Sprintf(string(template), args...))
}

// Detail names one part of the request that was refused. Level, Limit, Sold and Available are filled
// for risk refusals only; the three amounts are decimal strings in the sale's currency.
type Detail struct {
	Location  string
	Code      string            // stable, UPPER_SNAKE; "" where Message is all there is
	Args      map[string]string // arguments of Code's text, safe to show; "" for one that cannot be repeated, ".." between the ends of a range
	Message   Message           // for logs, and for people where there is no Code
	Level     string
	Limit     string
	Sold      string
	Available string
}

// Line returns a detail with a stable code, a message for logs, and the arguments of the code's text as pairs of name
// and value.
func Line(code LineCode, message string, pairs ...string) *Detail {
	d := &Detail{Code: string(code), Message: Message(message)}
	for i := 0; i+1 < len(pairs); i += 2 {
		if d.Args == nil {
			d.Args = make(map[string]string, len(pairs)/2)
		}
		d.Args[pairs[i]] = pairs[i+1]
	}
	return d
}

// At returns the detail with its Location.
func (d *Detail) At(location string) Detail {
	at := *d
	at.Location = location
	return at
}

// ItemAt is the Location of an item of the request, counted from zero.
func ItemAt(i int) string { return "items[" + strconv.Itoa(i) + "]" }

// Error is a refusal or failure with everything that a client may know of it.
type Error struct {
	Kind       Kind
	Code       string // stable, UPPER_SNAKE
	Message    string // safe to show; holds no submitted value
	Details    []Detail
	RetryAfter time.Duration // zero when the caller gains nothing by waiting
	cause      error
}

// New returns an error of a kind with its stable code and safe message.
func New(kind Kind, code Code, message string) *Error {
	return &Error{Kind: kind, Code: string(code), Message: message}
}

// Wrap is New with the cause kept for the log.
func Wrap(cause error, kind Kind, code Code, message string) *Error {
	return &Error{Kind: kind, Code: string(code), Message: message, cause: cause}
}

// WithDetails returns a copy of e that names the refused parts.
func (e *Error) WithDetails(details ...Detail) *Error {
	c := *e
	c.Details = append(append([]Detail(nil), e.Details...), details...)
	return &c
}

// At returns a copy of e that names one refused part by the message of e.
func (e *Error) At(location string) *Error {
	return e.WithDetails(Detail{Location: location, Message: Message(e.Message)})
}

// WithCause returns a copy of e that keeps cause for the log.
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// WithRetryAfter returns a copy of e with the time after which the caller may try again.
func (e *Error) WithRetryAfter(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// Error returns code, message and cause: for logs, not for clients.
func (e *Error) Error() string {
	if e.cause != nil {
		return e.Code + ": " + e.Message + ": " + e.cause.Error()
	}
	return e.Code + ": " + e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an *Error with the same code, so that sentinel errors survive copies.
func (e *Error) Is(target error) bool {
	t, ok := errors.AsType[*Error](target)
	return ok && t.Code == e.Code
}

// busyFor is the time after which a caller may repeat a request that met BUSY.
const busyFor = time.Second

// busyState reports whether a SQLSTATE means that a statement conflicted or timed out and may succeed when it is
// repeated: a deadlock, a serialisation failure, a lock that was not available, a
// cancelled statement.
func busyState(code string) bool {
	return slices.Contains([]string{"40P01", "40001", "55P03", "57014"}, code)
}

// From finds the *Error in err's chain. A deadlock, a serialisation failure or a timeout of a statement becomes BUSY,
// an error of a store that does not answer STORE_UNAVAILABLE, anything else INTERNAL, with err as the cause.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	var refused interface{ SQLState() string }
	if errors.As(err, &refused) && busyState(refused.SQLState()) {
		return Wrap(err, Unavailable, "BUSY", "too many changes at once; repeat the request").WithRetryAfter(busyFor)
	}
	if e := outage(err); e != nil {
		return e
	}
	return Wrap(err, Internal, "INTERNAL", "internal error")
}

// CodeOf returns the stable code of err, INTERNAL for an unknown one and "" for nil.
func CodeOf(err error) string {
	if err == nil {
		return ""
	}
	return From(err).Code
}
