package risk

import (
	"time"

	"banca/internal/apperr"
)

// Errors of the domain.
var (
	ErrLimitExceeded = apperr.New(apperr.RiskLimit, "RISK_LIMIT_EXCEEDED", "a limit does not allow this sale")
	ErrUnavailable   = apperr.New(apperr.Unavailable, "RISK_ENGINE_UNAVAILABLE", "limits cannot be checked now, nothing was sold").WithRetryAfter(time.Second)

	// ErrDrawClosed is answered by counters that were told that their draw sells no more.
	ErrDrawClosed = apperr.New(apperr.Conflict, "DRAW_CLOSED", "sales of the draw are closed")

	// errCountersLost is the cause when a draw's counters are missing or of another Redis run.
	errCountersLost = apperr.New(apperr.Unavailable, "COUNTERS_LOST", "counters must be rebuilt")
	// errNotAnswered is the cause when the request that was to send for others broke down.
	errNotAnswered = apperr.New(apperr.Unavailable, "NOT_ANSWERED", "the request was not sent")

	errNotReady = ErrUnavailable.WithCause(errCountersLost)
)
