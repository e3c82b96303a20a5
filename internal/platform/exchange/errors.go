package exchange

import "banca/internal/platform/apperr"

// What may come of a call. A cause, for the log, never holds the secret.
var (
	// ErrUnavailable is temporary: no connection, no answer in time, an answer of 5xx.
	ErrUnavailable = apperr.New(apperr.Unavailable, "RATES_UNAVAILABLE", "the source of exchange rates does not answer")
	// ErrMalformed is an answer that cannot be used: no JSON of the expected form, too long, packed.
	ErrMalformed = apperr.New(apperr.Invalid, "RATES_MALFORMED", "the answer of the source of exchange rates cannot be used")
	// ErrRefused is an answer of 4xx, or of 3xx, because redirects are not followed.
	ErrRefused = apperr.New(apperr.Conflict, "RATES_REFUSED", "the source of exchange rates refuses the request")
)
