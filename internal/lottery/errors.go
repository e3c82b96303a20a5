package lottery

import "banca/internal/platform/apperr"

// What may come of a call. A cause, for the log, never holds a secret.
var (
	// ErrNotYet is the answer of a system that works and has no result of the draw yet.
	ErrNotYet = apperr.New(apperr.NotFound, "LOTTERY_NOT_YET", "the lottery system has no result of the draw yet")
	// ErrUnavailable is temporary: no connection, no answer in time, an answer of 5xx, an open circuit breaker.
	ErrUnavailable = apperr.New(apperr.Unavailable, "LOTTERY_UNAVAILABLE", "the lottery system does not answer")
	// ErrMalformed is an answer that cannot be used: no JSON of the expected form, an unknown code.
	ErrMalformed = apperr.New(apperr.Invalid, "LOTTERY_MALFORMED", "the answer of the lottery system cannot be used")
	// ErrRefused is an answer of 4xx, or of 3xx, because redirects are not followed.
	ErrRefused = apperr.New(apperr.Conflict, "LOTTERY_REFUSED", "the lottery system refuses the request")
	// ErrConfig refuses an api_config, or a source that this process has no base or secret of.
	ErrConfig = apperr.New(apperr.Invalid, "INVALID_API_CONFIG", "api_config cannot be used")
)
