package draws

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrDrawNotFound    = apperr.New(apperr.NotFound, "DRAW_NOT_FOUND", "no such draw")
	ErrResultNotFound  = apperr.New(apperr.NotFound, "RESULT_NOT_FOUND", "no such result")
	ErrAlertNotFound   = apperr.New(apperr.NotFound, "ALERT_NOT_FOUND", "no such alert")
	ErrNotClosed       = apperr.New(apperr.Conflict, "DRAW_NOT_CLOSED", "sales of the draw are not closed, so it cannot have a result")
	ErrNotHeld         = apperr.New(apperr.Conflict, "DRAW_NOT_HELD", "the draw's time has not been reached, so it cannot have a result")
	ErrSuspended       = apperr.New(apperr.Conflict, "DRAW_SUSPENDED", "the draw is suspended and its tickets are refunded")
	ErrCannotSuspend   = apperr.New(apperr.Conflict, "DRAW_HAS_RESULT", "the draw has a result already; correct the result instead")
	ErrInvalidOutcome  = apperr.New(apperr.Invalid, "INVALID_RESULT", "the value is not a possible result of the game")
	ErrResultExists    = apperr.New(apperr.Conflict, "RESULT_EXISTS", "the draw has a verified result; correct it instead")
	ErrResultPending   = apperr.New(apperr.Conflict, "RESULT_PENDING", "another result of this draw awaits its verification")
	ErrResultClosed    = apperr.New(apperr.Conflict, "RESULT_CLOSED", "the result does not await verification")
	ErrSamePerson      = apperr.New(apperr.Forbidden, "SECOND_PERSON_REQUIRED", "a second person is required: another user, whose account the first one did not create and whose password or phone the first one did not set within a day")
	ErrResultMismatch  = apperr.New(apperr.Conflict, "RESULT_MISMATCH", "the typed result differs from the entered one")
	ErrResultUnchanged = apperr.New(apperr.Conflict, "RESULT_UNCHANGED", "the draw has this result already")
	ErrNoResult        = apperr.New(apperr.Conflict, "RESULT_NOT_VERIFIED", "the draw has no verified result")
	ErrSealBroken      = apperr.New(apperr.Conflict, "SEAL_BROKEN", "the draw's tickets differ from its seal")
	ErrSealHolds       = apperr.New(apperr.Conflict, "SEAL_HOLDS", "the draw's tickets match its seal")
	ErrReasonMissing   = apperr.New(apperr.Invalid, "REASON_REQUIRED", "a reason is required")
)
