package closes

import (
	"errors"
	"time"

	"banca/internal/platform/apperr"
)

// Errors of the domain.
var (
	ErrNotFound         = apperr.New(apperr.NotFound, "CLOSE_NOT_FOUND", "no such daily close in your part of the organisation")
	ErrHandoverNotFound = apperr.New(apperr.NotFound, "HANDOVER_NOT_FOUND", "no such handover of this day")
	ErrEntityNotFound   = apperr.New(apperr.NotFound, "ENTITY_NOT_FOUND", "no such entity in your part of the organisation")
	ErrClosed           = apperr.New(apperr.Conflict, "DAY_CLOSED", "this day or a later one is closed")
	ErrFuture           = apperr.New(apperr.Invalid, "DAY_IN_FUTURE", "a day can be closed from its beginning on")
	ErrTooOld           = apperr.New(apperr.Invalid, "DAY_TOO_OLD", "a day can be opened within a year")
	ErrEarlierOpen      = apperr.New(apperr.Conflict, "EARLIER_DAY_OPEN", "an earlier day must be closed first")
	ErrPending          = apperr.New(apperr.Conflict, "SALES_PENDING", "the outcome of sales is not known yet; repeat in some seconds").WithRetryAfter(5 * time.Second)
	ErrMissing          = apperr.New(apperr.Conflict, "CLOSES_MISSING", "entities below have not closed the day")
	ErrCash             = apperr.New(apperr.Invalid, "CASH_INVALID", "the counted cash is invalid")
	ErrNote             = apperr.New(apperr.Invalid, "NOTE_INVALID", "a note has at most 500 characters")
	ErrNoDrawer         = apperr.New(apperr.Conflict, "NO_DRAWER", "only a ticket point has a drawer to hand over")
	ErrWaiting          = apperr.New(apperr.Conflict, "HANDOVER_WAITING", "the drawer was handed over and waits for the cashier who takes it")
	ErrTaken            = apperr.New(apperr.Conflict, "HANDOVER_TAKEN", "another cashier has taken the drawer")
	ErrOwnDrawer        = apperr.New(apperr.Conflict, "OWN_DRAWER", "the cashier who handed the drawer over cannot take it")
	ErrRange            = apperr.New(apperr.Invalid, "RANGE_INVALID", "a range ends on or after its first day and has at most 366 days")
)

// ErrOtherCluster reports that the close before was made in another cluster of Postgres, which a dump was restored from.
var ErrOtherCluster = errors.New("closes: the transactions of the close before are of another cluster")
