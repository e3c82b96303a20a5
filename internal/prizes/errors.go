package prizes

import (
	"time"

	"banca/internal/platform/apperr"
)

// Errors of the domain. Before the validation code was right, a refusal reveals nothing about the ticket.
var (
	ErrWrongCode   = apperr.New(apperr.Forbidden, "WRONG_VALIDATION_CODE", "the validation code is not the ticket's")
	ErrTooMany     = apperr.New(apperr.RateLimited, "TOO_MANY_ATTEMPTS", "too many wrong validation codes; wait before the next one")
	ErrNotVerified = apperr.New(apperr.Conflict, "RESULT_NOT_VERIFIED", "the ticket waits for the verified result of a draw")
	ErrDisputed    = apperr.New(apperr.Conflict, "RESULT_DISPUTED", "a correction of a result of this ticket awaits its verification; its prize is held until then")
	ErrNotWon      = apperr.New(apperr.Conflict, "TICKET_NOT_WON", "the ticket has no prize")
	ErrCancelled   = apperr.New(apperr.Conflict, "TICKET_CANCELLED", "the ticket was cancelled")
	ErrAlreadyPaid = apperr.New(apperr.Conflict, "PRIZE_ALREADY_PAID", "the ticket's prize was paid already")
	ErrExpired     = apperr.New(apperr.Conflict, "PRIZE_EXPIRED", "the time to collect this prize is over")
	ErrCollected   = apperr.New(apperr.Conflict, "PRIZE_COLLECTED", "the prize was paid, collected after a correction, and is due again; an administrator settles the difference or writes it off")
	ErrNotPaid     = apperr.New(apperr.Conflict, "PRIZE_NOT_PAID", "the ticket has no payment to cancel")

	ErrDifferenceNotFound = apperr.New(apperr.NotFound, "DIFFERENCE_NOT_FOUND", "no such difference")
	ErrDifferenceClosed   = apperr.New(apperr.Conflict, "DIFFERENCE_CLOSED", "the difference is closed already")
	ErrOperatorOnly       = apperr.New(apperr.Forbidden, "OPERATOR_ONLY",
		"only the operator writes off an amount that a ticket point owes")
	ErrNoteMissing = apperr.New(apperr.Invalid, "NOTE_REQUIRED", "a note is required")
	ErrTextTooLong = apperr.New(apperr.Invalid, "TEXT_TOO_LONG", "the text is too long")

	// ErrAttempts refuses to pay while wrong codes cannot be counted.
	ErrAttempts = apperr.New(apperr.Unavailable, "ATTEMPTS_UNAVAILABLE", "validation codes cannot be checked now, nothing was paid").WithRetryAfter(time.Second)
)
