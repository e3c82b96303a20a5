package risk

import (
	"time"

	"banca/internal/platform/apperr"
)

// Errors of the domain.
var (
	ErrLimitExceeded = apperr.New(apperr.RiskLimit, "RISK_LIMIT_EXCEEDED", "a limit does not allow this sale")
	ErrUnavailable   = apperr.New(apperr.Unavailable, "RISK_ENGINE_UNAVAILABLE", "limits cannot be checked now, nothing was sold").WithRetryAfter(time.Second)

	// ErrDrawClosed is returned when the counts of the draw are marked as closed.
	ErrDrawClosed = apperr.New(apperr.Conflict, "DRAW_CLOSED", "sales of the draw are closed")

	// errCountsLost is the cause when a draw's counts are missing or of another Redis run.
	errCountsLost = apperr.New(apperr.Unavailable, "COUNTERS_LOST", "counters must be rebuilt")
	// errNotAnswered is the cause when the request that was to send for others broke down.
	errNotAnswered = apperr.New(apperr.Unavailable, "NOT_ANSWERED", "the request was not sent")

	errNotReady = ErrUnavailable.WithCause(errCountsLost)
	// errNotRebuilt is errNotReady once a rebuild has failed, too.
	errNotRebuilt = ErrUnavailable.WithCause(apperr.New(apperr.Unavailable, "COUNTERS_NOT_REBUILT", "counters could not be rebuilt"))

	ErrLimitNotFound = apperr.New(apperr.NotFound, "LIMIT_NOT_FOUND", "no such limit")
	ErrLimitExists   = apperr.New(apperr.Conflict, "LIMIT_EXISTS", "a limit with the same conditions exists; change it instead")
	ErrSetAbove      = apperr.New(apperr.Forbidden, "LIMIT_SET_ABOVE",
		"an entity above set a limit on this; make it tighter, or ask the entity that set it")
	ErrInvalidLimit   = apperr.New(apperr.Invalid, "INVALID_LIMIT", "the limit is invalid")
	ErrUnknownElement = apperr.New(apperr.Invalid, "UNKNOWN_ELEMENT", "the draw's game has no such element")
	ErrReasonMissing  = apperr.New(apperr.Invalid, "REASON_REQUIRED", "a reason is required")
)
